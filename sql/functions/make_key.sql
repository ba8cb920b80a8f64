-- A new random key: "bt_" and 43 characters of A-Z a-z 0-9 - _ (from 244 random bits).
create function make_key() returns text
language sql volatile
set search_path = backtalk, pg_temp
as $$
    select 'bt_' || translate(encode(
        sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64'),
        '+/=', '-_');
$$;
