-- Who may do what, whole: everything is taken away first, then given by name.
-- Run by migrate.sh as the owner, in the transaction that makes the functions and views.

grant create on schema backtalk to backtalk_viewer; -- while it is given the views
do $$
declare
    v_view text;
begin
    for v_view in
        select format('%I', c.relname) from pg_class c
         where c.relnamespace = 'backtalk'::regnamespace and c.relkind = 'v'
    loop
        execute 'alter view backtalk.' || v_view || ' owner to backtalk_viewer';
    end loop;
end
$$;

revoke all on schema backtalk
    from public, backtalk_worker, backtalk_janitor, backtalk_reply, backtalk_auditor, backtalk_member,
         backtalk_viewer;
revoke all on all tables in schema backtalk
    from public, backtalk_worker, backtalk_janitor, backtalk_reply, backtalk_auditor, backtalk_member;
revoke all on all sequences in schema backtalk
    from public, backtalk_worker, backtalk_janitor, backtalk_reply, backtalk_auditor, backtalk_member,
         backtalk_viewer;
revoke all on all functions in schema backtalk
    from public, backtalk_worker, backtalk_janitor, backtalk_reply, backtalk_auditor, backtalk_member,
         backtalk_viewer;

grant usage on schema backtalk
    to backtalk_worker, backtalk_janitor, backtalk_reply, backtalk_auditor, backtalk_member, backtalk_viewer;

-- The views read the tables as backtalk_viewer, under row-level security; nobody logs in as it.
grant select on member, api_key, sandbox, call, pending, program, failure, eviction, answer, stray,
                janitor_state
    to backtalk_viewer;
grant select on sandboxes, calls, transcript, activity_hourly, hint_outcomes, members_usage, keys,
                evictions, health, answers, honesty, last_programs
    to backtalk_auditor, backtalk_member;

grant execute on function
    key_check, call_begin, call_end, call_delivered, call_release, call_cancel
    to backtalk_worker;
grant execute on function key_check, reply_results, reply_note to backtalk_reply;
grant execute on function
    janitor_lock, janitor_unlock, janitor_snapshot, janitor_hold, janitor_release, janitor_seen,
    janitor_measured, janitor_stop, janitor_remove, janitor_warned, janitor_adopt, janitor_stray,
    janitor_forget, janitor_close_call, janitor_drop_log, janitor_done
    to backtalk_janitor;
