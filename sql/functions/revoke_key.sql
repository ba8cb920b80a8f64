-- Operator: revokes the live keys with this label of a member, or of a front end. Returns how many;
-- workers notice within 30 s, and no call begins with it from now on.
create function revoke_key(p_member_or_front_end text, p_label text) returns int
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_count int;
begin
    update api_key k
       set revoked_at = now()
     where k.label = p_label and k.revoked_at is null
       and (k.front_end = p_member_or_front_end
            or k.member_id = (select m.id from member m where m.name = p_member_or_front_end));
    get diagnostics v_count = row_count;
    if v_count = 0 then
        raise exception '"%" has no live key with the label "%"', p_member_or_front_end, p_label
            using hint = 'select * from backtalk.keys; lists them.';
    end if;
    return v_count;
end
$$;
