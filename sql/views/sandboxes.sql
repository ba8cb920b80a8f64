create or replace view sandboxes as
select s.id,
       m.name as member,
       s.conversation,
       s.container,
       s.image,
       s.state,
       s.created_at,
       s.last_used_at,
       s.stopped_at,
       s.stop_reason,
       s.removed_at,
       s.remove_reason,
       s.size_bytes,
       s.sized_at,
       s.remove_limit,
       s.stop_running,
       s.image_old,
       s.remove_asked
  from sandbox s
  join member m on m.id = s.member_id;

comment on view sandboxes is 'Every machine there ever was; the live ones have no removed_at.';
comment on column sandboxes.id is 'number of the machine in the record';
comment on column sandboxes.member is 'whose it is';
comment on column sandboxes.conversation is 'the chat it belongs to';
comment on column sandboxes.container is 'its name in Docker';
comment on column sandboxes.image is 'the image it was made from, empty until it was seen';
comment on column sandboxes.state is 'creating, running, stopped or removed';
comment on column sandboxes.created_at is 'when the chat first needed it';
comment on column sandboxes.last_used_at is 'end of the last call in it';
comment on column sandboxes.stopped_at is 'when it was stopped';
comment on column sandboxes.stop_reason is 'why: idle, disk, host, operator, limit, missing';
comment on column sandboxes.removed_at is 'when its files went away';
comment on column sandboxes.remove_reason is
    'why: unused, count, space, disk, operator, reset, missing, never (it was never made)';
comment on column sandboxes.size_bytes is 'disk it used when last measured';
comment on column sandboxes.sized_at is 'when that was';
comment on column sandboxes.remove_limit is 'the number the reason is about: days, machines, bytes';
comment on column sandboxes.stop_running is 'what still ran when it was stopped';
comment on column sandboxes.image_old is 'made from an older image than new machines';
comment on column sandboxes.remove_asked is 'who asked for its removal (reset_sandbox), not done yet';
