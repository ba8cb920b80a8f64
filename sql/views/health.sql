create or replace view health as
select (select count(*) from pending p where p.ended is null) as open_calls,
       (select count(*) from pending p
         where p.ended is null
           and not exists (select 1 from pg_locks l
                            where l.locktype = 'advisory' and l.granted and l.pid = p.backend_pid))
           as dead_worker_calls,
       (select count(*) from pending p where p.ended is not null) as undelivered_calls,
       (select count(*) from sandbox s where s.state = 'running') as running_sandboxes,
       (select count(*) from sandbox s where s.removed_at is null) as kept_sandboxes,
       (select coalesce(sum(s.size_bytes), 0)::bigint from sandbox s where s.removed_at is null)
           as kept_bytes,
       pg_database_size(current_database()) as database_bytes,
       (select count(*) from stray t) as stray_containers,
       (select j.ended_at from janitor_state j) as janitor_pass_at,
       (select j.ok_at from janitor_state j) as janitor_ok_at,
       (select j.says from janitor_state j) as janitor_says;

comment on view health is 'One row: how the house is. A member sees its own part.';
comment on column health.open_calls is 'calls that run now, or seem to';
comment on column health.dead_worker_calls is
    'of these, without a worker: the janitor closes them, the chat''s next call reports them';
comment on column health.undelivered_calls is 'answers that did not go out and are not told yet';
comment on column health.running_sandboxes is 'machines running';
comment on column health.kept_sandboxes is 'machines that are there, running or stopped';
comment on column health.kept_bytes is 'disk they use, as last measured';
comment on column health.database_bytes is 'size of this database';
comment on column health.stray_containers is 'containers that no chat explains';
comment on column health.janitor_pass_at is 'end of the janitor''s last pass: older than two minutes, it does not run';
comment on column health.janitor_ok_at is 'end of the last pass that nothing was in the way of';
comment on column health.janitor_says is 'what the last pass said';
