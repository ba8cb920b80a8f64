-- Begins a pass: false when another session is in the middle of one. Lasts until janitor_unlock or
-- the end of the session. p_disk_limit_bytes: what a sandbox may use from now on; NULL: as it was.
create function janitor_lock(p_disk_limit_bytes bigint) returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
begin
    if not pg_try_advisory_lock(hashtext('backtalk'), hashtext('janitor')) then
        return false;
    end if;
    if p_disk_limit_bytes is not null then
        update setting set value = p_disk_limit_bytes::text
         where name = 'disk_limit_bytes' and value <> p_disk_limit_bytes::text;
        insert into janitor_state (one) values (true)
        on conflict (one) do update set began_at = now();
    end if;
    return true;
end
$$;
