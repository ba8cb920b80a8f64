-- Operator: makes a member; returns its id. The name has no colon: names with one are users of
-- front ends ("librechat:<user id>"), made when they are first seen.
create function new_member(p_name text) returns bigint
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_id bigint;
begin
    if p_name is null or p_name !~ '^[^:[:cntrl:]]{1,200}$' then
        raise exception 'a member''s name has 1 to 200 characters and no colon';
    end if;
    insert into member (name) values (p_name) returning id into v_id;
    return v_id;
end
$$;
