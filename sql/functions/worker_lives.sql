-- Does a session hold this chat's lock? A worker does from call_begin until its answer went out.
create function worker_lives(p_lock_key bigint) returns boolean
language sql volatile
set search_path = backtalk, pg_temp
as $$
    select exists (select 1 from pg_locks l
                    where l.locktype = 'advisory' and l.granted and l.objsubid = 1
                      and l.database = (select d.oid from pg_database d
                                         where d.datname = current_database())
                      and (l.classid::bigint << 32) | l.objid::bigint = p_lock_key);
$$;
