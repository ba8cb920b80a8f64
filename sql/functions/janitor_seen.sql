-- Records what the engine says of a sandbox. p_state 'running', 'stopped' (p_at: since when, seconds
-- since 1970; p_reason: why, '' when unknown) or 'removed' (p_reason: 'missing', or 'never' for one
-- that was never made).
create function janitor_seen(p_sandbox_id bigint, p_state text, p_reason text, p_at bigint)
returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
begin
    case p_state
    when 'running' then
        update sandbox s
           set state = 'running', stopped_at = null, stop_reason = '', stop_running = ''
         where s.id = p_sandbox_id and s.removed_at is null;
    when 'stopped' then
        update sandbox s
           set state = 'stopped', stop_reason = p_reason, stop_running = '',
               stopped_at = least(coalesce(to_timestamp(p_at), now()), now())
         where s.id = p_sandbox_id and s.removed_at is null;
    when 'removed' then
        update sandbox s
           set state = 'removed', removed_at = now(), remove_reason = p_reason
         where s.id = p_sandbox_id and s.removed_at is null;
        if found and p_reason <> 'never' then
            insert into eviction (member_id, sandbox_id, container, action, reason, size_bytes)
            select s.member_id, s.id, s.container, 'gone', p_reason, s.size_bytes
              from sandbox s where s.id = p_sandbox_id;
        end if;
    else
        raise exception 'no such state: %', p_state;
    end case;
    return found;
end
$$;
