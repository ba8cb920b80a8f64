-- Operator: deletes a member and all of its data: keys, sandboxes, calls, programs. Returns the
-- names of the containers that may still be on the Docker host; the janitor's next pass removes
-- them. Refused while a call of it runs.
create function purge_member(p_member text) returns setof text
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_id bigint := member_id(p_member);
    v_conversation text;
begin
    perform set_disabled(p_member, true);
    for v_conversation in
        select distinct s.conversation from sandbox s where s.member_id = v_id
    loop
        if not pg_try_advisory_xact_lock(
               ('x' || substr(chat_hash(p_member, v_conversation), 33, 16))::bit(64)::bigint) then
            raise exception 'a call of "%" is running', p_member
                using hint = 'Call set_disabled(..., true), wait for its end, try again.';
        end if;
    end loop;
    insert into stray (container, reason)
    select distinct s.container, 'purged' from sandbox s where s.member_id = v_id
    on conflict (container) do update set reason = 'purged';
    return query select distinct s.container from sandbox s
                  where s.member_id = v_id and s.removed_at is null;
    delete from pending p where p.member_id = v_id;
    delete from call c where c.member_id = v_id;
    delete from eviction e where e.member_id = v_id;
    delete from sandbox s where s.member_id = v_id;
    delete from member m where m.id = v_id;
end
$$;
