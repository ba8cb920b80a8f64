-- Records that a sandbox is about to be removed, and why; p_limit: the number the reason is about
-- (days, machines, bytes), NULL: none; held or p_force as for janitor_stop. Its container goes
-- afterwards; should that fail, the next pass finds it.
create function janitor_remove(p_sandbox_id bigint, p_reason text, p_limit bigint, p_force boolean) returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
begin
    update sandbox s
       set state = 'removed', removed_at = clock_timestamp(), remove_reason = p_reason,
           remove_limit = p_limit
     where s.id = p_sandbox_id and s.removed_at is null
       and (p_force or janitor_holds(s.id));
    if found then
        insert into eviction (member_id, sandbox_id, container, action, reason, size_bytes)
        select s.member_id, s.id, s.container, 'removed', p_reason, s.size_bytes
          from sandbox s where s.id = p_sandbox_id;
    end if;
    return found;
end
$$;
