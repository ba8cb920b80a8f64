-- Closes a call as lost when its worker is gone. The chat's next call still tells of it. A worker
-- that lost only its connection may come back and close it better (call_end). False: not closed.
create function janitor_close_call(p_call_id bigint) returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_open pending;
begin
    select * into v_open from pending p where p.call_id = p_call_id and p.ended is null;
    if not found or not pg_try_advisory_xact_lock(v_open.lock_key) then
        return false;
    end if;
    update call c set ended = clock_timestamp(), outcome = 'lost'
     where c.id = v_open.call_id and c.started = v_open.started and c.ended is null;
    update pending p set ended = clock_timestamp()
     where p.call_id = p_call_id and p.ended is null;
    return found;
end
$$;
