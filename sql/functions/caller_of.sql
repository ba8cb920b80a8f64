-- Who stands behind a key. problem: NULL, 'unauthorized' (no such key, revoked, member disabled) or
-- 'user' (a front-end key without a usable user). member_id NULL: a front end's user, seen first.
create function caller_of(
    p_key_sha256 bytea,
    p_user text,
    out problem text,
    out key_id bigint,
    out front_end text,
    out member_id bigint,
    out member_name text,
    out calls_limit int,
    out running_limit int)
language plpgsql stable
set search_path = backtalk, pg_temp
as $$
#variable_conflict use_column
declare
    v_key api_key;
    v_member member;
begin
    select * into v_key from api_key k
     where k.key_sha256 = p_key_sha256 and k.revoked_at is null;
    if not found then
        problem := 'unauthorized';
        return;
    end if;
    key_id := v_key.id;
    front_end := v_key.front_end;
    if v_key.member_id is not null then
        select * into v_member from member m where m.id = v_key.member_id;
    else
        if p_user is null or p_user !~ '^[!-~]{1,200}$' or p_user ~ '[{}]'
           or lower(p_user) in ('null', 'undefined', 'new', 'none') then
            problem := 'user';
            return;
        end if;
        member_name := v_key.front_end || ':' || p_user;
        select * into v_member from member m where m.name = member_name;
    end if;
    if v_member.disabled_at is not null then
        problem := 'unauthorized';
        return;
    end if;
    member_id := v_member.id;
    member_name := coalesce(v_member.name, member_name);
    calls_limit := coalesce(v_member.calls_limit, setting_int('member_calls'));
    running_limit := coalesce(v_member.running_limit, setting_int('member_running'));
end
$$;
