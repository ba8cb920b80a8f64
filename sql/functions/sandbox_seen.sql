-- Records what a call saw of its sandbox (p_state as call_end takes it). Returns the id of the row
-- that stands for the machine now: another one when the container had to be made again.
create function sandbox_seen(p_sandbox_id bigint, p_state text, p_image text, p_at timestamptz)
returns bigint
language plpgsql volatile
set search_path = backtalk, pg_temp
as $$
declare
    v_id bigint;
begin
    case p_state
    when 'running' then
        update sandbox s
           set state = 'running', last_used_at = p_at, image = coalesce(p_image, s.image),
               stopped_at = null, stop_reason = '', stop_running = '', image_told = s.image_old
         where s.id = p_sandbox_id and s.removed_at is null;
    when 'fresh' then
        update sandbox s
           set state = 'removed', removed_at = p_at, remove_reason = 'missing'
         where s.id = p_sandbox_id and s.state in ('running', 'stopped');
        if found then
            insert into sandbox (member_id, conversation, container, image, state, created_at,
                                 last_used_at)
            select s.member_id, s.conversation, s.container, coalesce(p_image, s.image), 'running',
                   p_at, p_at
              from sandbox s where s.id = p_sandbox_id
            returning id into v_id;
            return v_id;
        end if;
        return sandbox_seen(p_sandbox_id, 'running', p_image, p_at);
    when 'absent' then
        update sandbox s
           set state = 'stopped', stopped_at = p_at, stop_reason = 'missing'
         where s.id = p_sandbox_id and s.state = 'running';
    when 'removed' then
        update sandbox s
           set state = 'removed', removed_at = p_at, remove_reason = 'reset', last_used_at = p_at
         where s.id = p_sandbox_id and s.removed_at is null;
    else
        null;
    end case;
    return p_sandbox_id;
end
$$;
