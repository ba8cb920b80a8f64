-- Records that a sandbox is about to be stopped, why, and what still runs in it (in words, or ''). It
-- is held by janitor_hold, or p_force: even in the middle of a call. False: not so, or there is none.
create function janitor_stop(p_sandbox_id bigint, p_reason text, p_running text, p_force boolean) returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
begin
    update sandbox s
       set state = 'stopped', stopped_at = clock_timestamp(), stop_reason = p_reason,
           stop_running = left(p_running, 1000), cpu_ns = null, cpu_at = null
     where s.id = p_sandbox_id and s.removed_at is null
       and (p_force or janitor_holds(s.id));
    if found then
        insert into eviction (member_id, sandbox_id, container, action, reason, size_bytes)
        select s.member_id, s.id, s.container, 'stopped', p_reason, s.size_bytes
          from sandbox s where s.id = p_sandbox_id;
    end if;
    return found;
end
$$;
