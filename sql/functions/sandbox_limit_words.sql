-- May this member have one more running sandbox (p_sandbox_id; NULL: a new one)? NULL: yes; else
-- why not, in words. Hold the member's lock. A machine that is being used counts
-- as running, whatever its row says yet.
create function sandbox_limit_words(
    p_member_id bigint, p_sandbox_id bigint, p_running_limit int) returns text
language plpgsql volatile
set search_path = backtalk, pg_temp
as $$
declare
    v_count bigint;
begin
    select count(*) into v_count
      from sandbox s
     where s.member_id = p_member_id and s.removed_at is null
       and s.id is distinct from p_sandbox_id
       and (s.state = 'running'
            or exists (select 1 from pending p where p.sandbox_id = s.id and p.ended is null));
    if v_count >= p_running_limit then
        return format('Nothing was run: %s machines of your chats are running, and no more than %s'
                      ' may at once. One that is not used for a while is stopped by itself; go on'
                      ' in an earlier chat, try again later, or ask the operator.',
                      v_count, p_running_limit);
    end if;
    return null;
end
$$;
