-- Operator: makes a key for a front end (LibreChat) that serves many users and names each of them
-- in the header X-User-Id; they become members "<front end>:<user id>". Returns the key, this once.
create function new_front_end_key(p_front_end text, p_label text) returns text
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_key text := make_key();
begin
    insert into api_key (key_sha256, front_end, label)
    values (sha256(convert_to(v_key, 'UTF8')), p_front_end, p_label);
    return v_key;
end
$$;
