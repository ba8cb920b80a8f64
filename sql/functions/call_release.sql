-- After a call_begin that failed or was cancelled: this session holds no chat. (A cancel that comes
-- between the last statement and the commit may leave the locks of the session behind.)
create function call_release() returns void
language sql volatile security definer
set search_path = backtalk, pg_temp
as $$
    select pg_advisory_unlock_all();
$$;
