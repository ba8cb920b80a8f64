-- Operator: makes a key for a member and returns it, this once; only its SHA-256 is kept.
create function new_key(p_member text, p_label text) returns text
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_key text := make_key();
begin
    insert into api_key (key_sha256, member_id, label)
    values (sha256(convert_to(v_key, 'UTF8')), member_id(p_member), p_label);
    return v_key;
end
$$;
