-- Months of the log that ended more than the setting retention_days ago.
create function old_logs() returns table (name text)
language sql stable
set search_path = backtalk, pg_temp
as $$
    select c.relname::text
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'backtalk.call'::regclass
       and c.relname ~ '^call_y[0-9]{4}m[0-9]{2}$'
       and (to_date(substr(c.relname, 7, 4) || substr(c.relname, 12, 2), 'YYYYMM')::timestamp
            + interval '1 month') at time zone 'UTC'
           < now() - setting_int('retention_days') * interval '1 day';
$$;
