-- Drops one month of the log that old_logs names, and what was pending of it. False: it is not old
-- enough, or gone.
create function janitor_drop_log(p_name text) returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
set lock_timeout = '3s'
as $$
begin
    if not exists (select 1 from old_logs() o where o.name = p_name) then
        return false;
    end if;
    execute format('delete from backtalk.pending p using backtalk.%I c where c.id = p.call_id',
                   p_name);
    execute format('alter table backtalk.call detach partition backtalk.%I', p_name);
    execute format('drop table backtalk.%I', p_name);
    return true;
end
$$;
