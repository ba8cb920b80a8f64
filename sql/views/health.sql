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
       pg_database_size(current_database()) as database_bytes;

comment on view health is 'One row: how the house is. A member sees its own part.';
comment on column health.open_calls is 'calls that run now, or seem to';
comment on column health.dead_worker_calls is
    'of these, without a worker: the chat''s next call closes and reports them';
comment on column health.undelivered_calls is 'answers that did not go out and are not told yet';
comment on column health.running_sandboxes is 'machines running';
comment on column health.kept_sandboxes is 'machines that are there, running or stopped';
comment on column health.kept_bytes is 'disk they use, as last measured';
comment on column health.database_bytes is 'size of this database';
