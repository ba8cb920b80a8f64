-- Asks whoever runs a call to stop it: NOTIFY on the channel backtalk_<backend pid> with the
-- call's nonce. Only calls of the same key or the same member; a front end's key stands for many
-- people, so it has to name the session. False: no such call is running.
create function call_cancel(p_key_sha256 bytea, p_session text, p_request_id text) returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_key api_key;
    v_open pending;
    v_found boolean := false;
begin
    if p_request_id is null or not key_check(p_key_sha256) then
        return false;
    end if;
    select * into v_key from api_key k where k.key_sha256 = p_key_sha256;
    if v_key.member_id is null and p_session is null then
        return false;
    end if;
    for v_open in
        select * from pending p
         where p.ended is null
           and p.request_id = p_request_id
           and p.session is not distinct from p_session
           and (p.key_id = v_key.id or p.member_id = v_key.member_id)
    loop
        perform pg_notify('backtalk_' || v_open.backend_pid, v_open.nonce::text);
        v_found := true;
    end loop;
    return v_found;
end
$$;
