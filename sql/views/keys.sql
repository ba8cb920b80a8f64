create or replace view keys as
select k.id,
       m.name as member,
       k.front_end,
       k.label,
       k.created_at,
       k.last_used_hour,
       k.revoked_at
  from api_key k
  left join member m on m.id = k.member_id;

comment on view keys is 'Keys; the keys themselves are not recorded.';
comment on column keys.id is 'number of the key';
comment on column keys.member is 'whose it is, or';
comment on column keys.front_end is 'the front end whose users it stands for';
comment on column keys.label is 'what the operator called it';
comment on column keys.created_at is 'when it was made';
comment on column keys.last_used_hour is 'the hour in which it was last used';
comment on column keys.revoked_at is 'no longer valid since';
