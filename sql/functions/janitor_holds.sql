-- Does this session hold the sandbox's chat, as janitor_hold took it? Not after a lost connection.
create function janitor_holds(p_sandbox_id bigint) returns boolean
language sql volatile
set search_path = backtalk, pg_temp
as $$
    select exists (select 1 from pg_locks l, sandbox s
                    where s.id = p_sandbox_id
                      and l.locktype = 'advisory' and l.granted and l.objsubid = 1
                      and l.pid = pg_backend_pid()
                      and (l.classid::bigint << 32) | l.objid::bigint
                          = chat_key(s.member_id, s.conversation));
$$;
