-- The id of a member by name; an error when there is none.
create function member_id(p_name text) returns bigint
language plpgsql stable
set search_path = backtalk, pg_temp
as $$
declare
    v_id bigint;
begin
    select m.id into v_id from member m where m.name = p_name;
    if not found then
        raise exception 'there is no member "%"', p_name
            using hint = 'select member from backtalk.members_usage; lists them.';
    end if;
    return v_id;
end
$$;
