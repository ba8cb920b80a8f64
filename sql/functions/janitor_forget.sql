-- Forgets strays that are none any more: their container is not among those the engine has, or a
-- chat has it again.
create function janitor_forget(p_containers text[]) returns void
language sql volatile security definer
set search_path = backtalk, pg_temp
as $$
    delete from stray t
     where t.container <> all (p_containers)
        or exists (select 1 from sandbox s
                    where s.container = t.container and s.removed_at is null);
$$;
