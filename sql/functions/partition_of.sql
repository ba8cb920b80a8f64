-- Makes sure that the call log has a partition for the month of p_at (UTC) and for the next one.
-- Cheap when they exist. The new table is made apart and attached, which stops no other call; it
-- belongs to the owner, whoever asks.
create function partition_of(p_at timestamptz) returns void
language plpgsql security definer
set search_path = backtalk, pg_temp
set client_min_messages = warning
as $$
declare
    v_month timestamp;
    v_name text;
begin
    for v_month in
        select date_trunc('month', p_at at time zone 'UTC') + n * interval '1 month'
          from generate_series(0, 1) n
    loop
        v_name := to_char(v_month, '"call_y"YYYY"m"MM');
        continue when to_regclass('backtalk.' || v_name) is not null;
        perform pg_advisory_xact_lock(hashtext('backtalk.call'), hashtext('partition'));
        continue when to_regclass('backtalk.' || v_name) is not null;
        execute format('create table backtalk.%I (like backtalk.call including defaults'
                       ' including constraints including generated including storage'
                       ' including compression) with (fillfactor = 75)', v_name);
        execute format('alter table backtalk.call attach partition backtalk.%I'
                       ' for values from (%L) to (%L)', v_name,
                       v_month at time zone 'UTC',
                       (v_month + interval '1 month') at time zone 'UTC');
    end loop;
end
$$;
