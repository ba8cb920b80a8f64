-- Lets go of a sandbox that janitor_hold took.
create function janitor_release(p_sandbox_id bigint) returns void
language sql volatile security definer
set search_path = backtalk, pg_temp
as $$
    select pg_advisory_unlock(chat_key(s.member_id, s.conversation))
      from sandbox s where s.id = p_sandbox_id;
$$;
