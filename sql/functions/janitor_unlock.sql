-- Ends a pass: lets go of everything this session holds.
create function janitor_unlock() returns void
language sql volatile security definer
set search_path = backtalk, pg_temp
as $$
    select pg_advisory_unlock_all();
$$;
