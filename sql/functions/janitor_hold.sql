-- Takes a sandbox for the janitor: no call of its chat begins until janitor_release. False, and
-- nothing is held: a call has it, or it is no longer what the snapshot said. p_used: when it was
-- last used, as the snapshot said; NULL: a removed sandbox whose container is still there.
create function janitor_hold(p_sandbox_id bigint, p_used bigint) returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_box sandbox;
    v_lock bigint;
begin
    select * into v_box from sandbox s where s.id = p_sandbox_id;
    v_lock := chat_key(v_box.member_id, v_box.conversation);
    if v_lock is null or not pg_try_advisory_lock(v_lock) then
        return false;
    end if;
    select * into v_box from sandbox s where s.id = p_sandbox_id;
    if p_used is null then
        if v_box.removed_at is not null
           and not exists (select 1 from sandbox s
                            where s.container = v_box.container and s.removed_at is null) then
            return true;
        end if;
    elsif v_box.removed_at is null
          and epoch(greatest(v_box.last_used_at, v_box.worked_at)) = p_used
          and not exists (select 1 from pending p
                           where p.sandbox_id = v_box.id and p.ended is null) then
        return true;
    end if;
    perform pg_advisory_unlock(v_lock);
    return false;
end
$$;
