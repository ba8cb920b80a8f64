-- After an answer went out (true) or could not (false): the next call of the chat may begin, and is
-- told of this one when it was not delivered or was never closed. The chat's lock is held until
-- this has been committed, so that the next call sees it.
create function call_delivered(p_call_id bigint, p_delivered boolean) returns void
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_open pending;
begin
    perform set_config('synchronous_commit', 'off', true);
    select * into v_open from pending p where p.call_id = p_call_id;
    if found and pg_try_advisory_xact_lock(v_open.lock_key)
       and p_delivered and v_open.ended is not null then
        update call c set delivered = true
         where c.id = p_call_id and c.started = v_open.started;
        delete from pending p where p.call_id = p_call_id;
    end if;
    perform pg_advisory_unlock_all();
end
$$;
