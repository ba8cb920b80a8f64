-- Takes a chat's lock for the transaction, in arrival order. False: not free before p_give_up.
-- Afterwards no other lock is waited for longer than 10 s.
create function chat_lock(p_lock bigint, p_give_up timestamptz) returns boolean
language plpgsql
set search_path = backtalk, pg_temp
as $$
begin
    if not pg_try_advisory_xact_lock(p_lock) then
        begin
            perform set_config('lock_timeout', greatest(ceil(extract(
                        epoch from p_give_up - clock_timestamp()) * 1000), 1)::bigint::text, true);
            perform pg_advisory_xact_lock(p_lock);
        exception when lock_not_available then
            return false;
        end;
    end if;
    perform set_config('lock_timeout', '10s', true);
    return true;
end
$$;
