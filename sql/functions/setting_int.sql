-- A setting that is a whole number; NULL when there is none of that name.
create function setting_int(p_name text) returns bigint
language sql stable
set search_path = backtalk, pg_temp
as $$
    select s.value::bigint from setting s where s.name = p_name;
$$;
