-- May this member have one more running sandbox (p_sandbox_id), or one more sandbox at all (NULL)?
-- NULL: yes; else why not, in words. Hold the member's lock. A machine that is being used counts
-- as running, whatever its row says yet.
create function sandbox_limit_words(
    p_member_id bigint, p_sandbox_id bigint, p_running_limit int, p_kept_limit int) returns text
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
    if p_sandbox_id is null and p_kept_limit is not null then
        select count(*) into v_count
          from sandbox s where s.member_id = p_member_id and s.removed_at is null;
        if v_count >= p_kept_limit then
            return format('Nothing was run: %s machines are kept for your chats, and no more'
                          ' than %s may be. Go on in an earlier chat, or ask the operator to remove'
                          ' one.',
                          v_count, p_kept_limit);
        end if;
    end if;
    return null;
end
$$;
