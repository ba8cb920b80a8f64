-- Records that a sandbox came near its disk limit; its chat reads it with its next result.
create function janitor_warned(p_sandbox_id bigint) returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
begin
    insert into eviction (member_id, sandbox_id, container, action, reason, size_bytes)
    select s.member_id, s.id, s.container, 'warned', 'disk', s.size_bytes
      from sandbox s where s.id = p_sandbox_id and s.removed_at is null;
    return found;
end
$$;
