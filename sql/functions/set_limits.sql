-- Operator: a member's own limits: calls at once, running sandboxes, kept sandboxes. NULL: the
-- setting member_calls, the setting member_running, no limit.
create function set_limits(p_member text, p_calls int, p_running int, p_kept int) returns void
language sql volatile security definer
set search_path = backtalk, pg_temp
as $$
    update member m
       set calls_limit = p_calls, running_limit = p_running, kept_limit = p_kept
     where m.id = member_id(p_member);
$$;
