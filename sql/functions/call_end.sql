-- Closes a call, once, before its answer is sent: when this returns true the log has it for good,
-- by this call of the function or by an earlier one with the same outcome and text (so it may be
-- repeated when a connection broke). A call that the janitor closed as lost meanwhile, because its
-- worker's connection was gone, is closed better. False, and nothing is changed: there is no such call, or it
-- was closed otherwise, or somebody else holds the chat (this session lost its lock, and the chat's
-- next call has taken over).
--
-- p_exit, p_signal    NULL or -1: none.
-- p_container_state   'running'; 'fresh': running, and it had to be made although the record knew
--                     one (that one is then recorded as lost); 'absent': there is certainly none;
--                     'removed': by the tool reset; NULL: not known.
-- p_image             what the container runs, NULL: as recorded.
-- p_language, p_code, p_program_verdict ('passed', 'ran', 'failed'): a program that ran, or NULL.
-- p_changed           files or packages changed: what failed before may work now.
-- p_fingerprint       of the result of a command that failed; NULL: it did not fail.
create function call_end(
    p_call_id bigint,
    p_outcome text,
    p_exit int,
    p_signal int,
    p_duration_ms bigint,
    p_peak_bytes bigint,
    p_out_bytes bigint,
    p_err_bytes bigint,
    p_cut_bytes bigint,
    p_verdict text,
    p_hint_ids text[],
    p_text text,
    p_changed boolean,
    p_container_state text,
    p_image text,
    p_language text,
    p_code text,
    p_program_verdict text,
    p_fingerprint text)
returns boolean
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_open pending;
    v_now timestamptz := clock_timestamp();
    v_box bigint;
    v_was text;
begin
    select * into v_open from pending p where p.call_id = p_call_id;
    if not found or not pg_try_advisory_xact_lock(v_open.lock_key) then
        return false;
    end if;
    if v_open.ended is not null then
        select c.outcome into v_was from call c
         where c.id = p_call_id and c.started = v_open.started;
        if v_was is distinct from 'lost' or p_outcome = 'lost' then
            return exists (select 1 from call c
                            where c.id = p_call_id and c.started = v_open.started
                              and c.outcome = p_outcome and c.sent is not distinct from p_text);
        end if;
    end if;

    v_box := sandbox_seen(v_open.sandbox_id, p_container_state, p_image, v_now);
    update call c
       set ended = v_now, outcome = p_outcome, exit_code = nullif(p_exit, -1),
           signal = nullif(p_signal, -1), duration_ms = p_duration_ms, peak_bytes = p_peak_bytes,
           out_bytes = p_out_bytes, err_bytes = p_err_bytes, cut_bytes = p_cut_bytes,
           verdict = p_verdict, hint_ids = p_hint_ids, sent = p_text, changed = p_changed,
           sandbox_id = v_box
     where c.id = p_call_id and c.started = v_open.started
       and (c.ended is null or c.outcome = 'lost');
    if not found then
        raise exception 'call % is open and is not in the log', p_call_id;
    end if;
    update pending p set ended = v_now, sandbox_id = v_box where p.call_id = p_call_id;

    if p_changed or p_container_state in ('fresh', 'removed') then
        delete from failure f where f.sandbox_id in (v_open.sandbox_id, v_box);
    elsif p_fingerprint is not null then
        insert into failure as f (sandbox_id, command_sha256, fingerprint, count)
        values (v_box, v_open.command_sha256, p_fingerprint, 1)
        on conflict (sandbox_id, command_sha256) do update
           set fingerprint = excluded.fingerprint,
               count = case when f.fingerprint = excluded.fingerprint then f.count + 1 else 1 end;
    elsif p_outcome in ('ok', 'failed', 'timeout') then -- it ran, with another result
        delete from failure f
         where f.sandbox_id = v_box and f.command_sha256 = v_open.command_sha256;
    end if;

    if p_code is not null then
        insert into program (sandbox_id, call_id, language, code, code_sha256, verdict)
        values (v_box, p_call_id, p_language, p_code, sha256(convert_to(p_code, 'UTF8')),
                p_program_verdict);
        delete from program o
         where o.sandbox_id = v_box
           and o.id <= (select n.id from program n where n.sandbox_id = v_box
                         order by n.id desc offset 10 limit 1);
    end if;
    return true;
end
$$;
