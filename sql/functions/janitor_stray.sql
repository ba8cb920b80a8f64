-- Notes a container that no sandbox explains, or its size; p_gone: it was removed.
create function janitor_stray(
    p_container text, p_member_label text, p_size_bytes bigint, p_gone boolean) returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
begin
    if p_gone then
        insert into eviction (member_id, container, action, reason, size_bytes)
        select coalesce((select m.id from member m where m.id::text = t.member_label), 0),
               t.container, 'removed', t.reason, t.size_bytes
          from stray t where t.container = p_container;
        delete from stray t where t.container = p_container;
    else
        insert into stray as t (container, member_label, size_bytes, sized_at)
        values (p_container, p_member_label, p_size_bytes, case when p_size_bytes >= 0 then now() end)
        on conflict (container) do update
           set size_bytes = coalesce(excluded.size_bytes, t.size_bytes),
               sized_at = coalesce(excluded.sized_at, t.sized_at);
    end if;
    return true;
end
$$;
