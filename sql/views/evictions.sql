create or replace view evictions as
select e.id,
       e.at,
       m.name as member,
       e.sandbox_id,
       e.container,
       e.action,
       e.reason,
       e.size_bytes
  from eviction e
  left join member m on m.id = e.member_id;

comment on view evictions is 'What the janitor did and why.';
comment on column evictions.id is 'number, in order';
comment on column evictions.at is 'when';
comment on column evictions.member is 'whose machine';
comment on column evictions.sandbox_id is 'which machine (view sandboxes)';
comment on column evictions.container is 'its name in Docker';
comment on column evictions.action is
    'what was done: warned, stopped, removed, adopted; or gone: found missing';
comment on column evictions.reason is
    'why: idle, limit, disk, unused, count, space, operator, missing, record, purged, unknown';
comment on column evictions.size_bytes is 'disk it used then';
