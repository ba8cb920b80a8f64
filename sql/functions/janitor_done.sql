-- What a pass says of itself; p_ok: nothing was in its way. The view health shows it.
create function janitor_done(
    p_ok boolean, p_says text, p_took_ms bigint, p_machines int, p_done int, p_failed int)
returns boolean
language sql volatile security definer
set search_path = backtalk, pg_temp
as $$
    insert into janitor_state as j (one, ended_at, ok_at, says, took_ms, machines, done, failed)
    values (true, clock_timestamp(), case when p_ok then clock_timestamp() end, p_says, p_took_ms,
            p_machines, p_done, p_failed)
    on conflict (one) do update
       set ended_at = excluded.ended_at, ok_at = coalesce(excluded.ok_at, j.ok_at),
           says = excluded.says, took_ms = excluded.took_ms, machines = excluded.machines,
           done = excluded.done, failed = excluded.failed
    returning true;
$$;
