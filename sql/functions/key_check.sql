-- Is this the SHA-256 of a key that may call? For the answer 401 before a body is read;
-- call_begin checks again.
create function key_check(p_key_sha256 bytea) returns boolean
language sql stable security definer
set search_path = backtalk, pg_temp
as $$
    select exists (
        select 1
          from api_key k
          left join member m on m.id = k.member_id
         where k.key_sha256 = p_key_sha256
           and k.revoked_at is null
           and m.disabled_at is null);
$$;
