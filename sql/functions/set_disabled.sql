-- Operator: turns a member away, or lets it in again. What it has stays.
create function set_disabled(p_member text, p_disabled boolean) returns void
language sql volatile security definer
set search_path = backtalk, pg_temp
as $$
    update member m
       set disabled_at = case when p_disabled then coalesce(m.disabled_at, now()) end
     where m.id = member_id(p_member);
$$;
