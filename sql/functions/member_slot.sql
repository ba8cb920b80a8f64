-- Takes one of a member's slots for the transaction: as many calls at once as there are slots. A
-- slot comes free a moment after its answer was seen, so a full house is asked again for a second
-- at most. NULL: none came free.
create function member_slot(p_member_lock int, p_slots int, p_give_up timestamptz) returns int
language plpgsql
set search_path = backtalk, pg_temp
as $$
declare
    v_give_up timestamptz := least(p_give_up, clock_timestamp() + interval '1 s');
begin
    loop
        for v_slot in 1..p_slots loop
            if pg_try_advisory_xact_lock(p_member_lock, v_slot) then
                return v_slot;
            end if;
        end loop;
        if clock_timestamp() >= v_give_up then
            return null;
        end if;
        perform pg_sleep(0.02);
    end loop;
end
$$;
