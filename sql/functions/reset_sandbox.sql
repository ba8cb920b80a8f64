-- Operator: has a sandbox removed, files and all, by the janitor's next pass that finds no call in
-- it; its chat is told "by the operator". Takes a container's name (view sandboxes). False: there is
-- no such sandbox.
create function reset_sandbox(p_container text) returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
begin
    update sandbox s set remove_asked = 'operator'
     where s.container = p_container and s.removed_at is null;
    return found;
end
$$;
