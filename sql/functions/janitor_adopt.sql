-- A container whose sandbox the record says is removed, and which was made later than that: the
-- record is an older one (restored from a backup), or lost its last moments. It is the chat's again.
create function janitor_adopt(p_sandbox_id bigint, p_running boolean) returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_id bigint;
begin
    insert into sandbox (member_id, conversation, container, image, state, stopped_at)
    select s.member_id, s.conversation, s.container, s.image,
           case when p_running then 'running' else 'stopped' end,
           case when not p_running then now() end
      from sandbox s
     where s.id = p_sandbox_id
       and not exists (select 1 from sandbox n
                        where n.container = s.container and n.removed_at is null)
    returning id into v_id;
    if v_id is not null then
        delete from stray t
         where t.container = (select s.container from sandbox s where s.id = v_id);
        insert into eviction (member_id, sandbox_id, container, action, reason)
        select s.member_id, s.id, s.container, 'adopted', 'record' from sandbox s where s.id = v_id;
    end if;
    return v_id is not null;
end
$$;
