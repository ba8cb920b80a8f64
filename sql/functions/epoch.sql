-- A time as whole seconds since 1970.
create function epoch(p_at timestamptz) returns bigint
language sql immutable
set search_path = backtalk, pg_temp
as $$
    select floor(extract(epoch from p_at))::bigint;
$$;
