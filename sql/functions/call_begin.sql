-- Begins a tool call: nothing may run before it said 'ok'. One row comes back.
--
-- status        'ok', or nothing was recorded and no lock is held:
--               'unauthorized' the key is no longer good; 'user' a front-end key without a usable
--               user; 'busy' an earlier call of the chat still runs; 'limit' one of the member's
--               limits. message then says it in words for the model.
-- sandbox_state 'new' (no container was seen yet), 'running', 'stopped' (stopped_ago_s, stop_reason
--               and stop_running, what still ran then, are set). used_ago_s: its last call ended.
-- image_old     true: made from an older image than new machines, and the chat was not told yet.
-- lost_*        with 'new': when and why this chat's earlier machine was removed, and the number the
--               reason is about.
-- previous_*    the chat's previous call when its answer may not have reached the client; outcome
--               'lost': nobody closed it. It is told by this row and not again.
-- failure_*     the same tool with the same command (other tools: the same arguments) failed before in
--               this sandbox, how often, and with what fingerprint, and nothing was written since.
-- rules_off     the hint rules that hint_switch names, blank-separated; null without any.
--
-- Locks: first one of the member's slots (calls at once), then the chat, in arrival order, for at
-- most p_wait_ms. Both are taken for the transaction, so an error or a cancel lets go of them; the
-- last thing done is to take them for the session as well, which cannot wait. call_delivered lets
-- go of them.
create function call_begin(
    p_key_sha256 bytea,
    p_user text,
    p_conversation text,
    p_tool text,
    p_arguments text,
    p_command text,
    p_nonce bigint,
    p_client text,
    p_session text,
    p_request_id text,
    p_wait_ms int)
returns table (
    status text,
    message text,
    call_id bigint,
    sandbox_id bigint,
    container text,
    image text,
    sandbox_state text,
    member_label text,
    stopped_ago_s bigint,
    stop_reason text,
    stop_running text,
    used_ago_s bigint,
    image_old boolean,
    lost_on text,
    lost_why text,
    lost_limit bigint,
    previous_nonce bigint,
    previous_command text,
    previous_outcome text,
    previous_exit int,
    previous_signal int,
    previous_duration_ms bigint,
    disk_used_bytes bigint,
    disk_limit_bytes bigint,
    failure_count int,
    failure_fingerprint text,
    rules_off text)
language plpgsql volatile security definer
set search_path = backtalk, pg_temp
as $$
#variable_conflict use_column
declare
    v_give_up timestamptz := clock_timestamp() + greatest(p_wait_ms, 0) * interval '1 ms';
    v_who record;
    v_hash text;
    v_lock bigint;
    v_member_lock int;
    v_slot int;
    v_now timestamptz;
    v_box sandbox;
    v_command_sha256 bytea;
    v_previous record;
begin
    perform pg_advisory_unlock_all(); -- whatever a failed call of this session left behind
    perform set_config('synchronous_commit', 'off', true);

    v_who := caller_of(p_key_sha256, p_user);
    if v_who.problem is not null then
        status := v_who.problem;
        message := caller_words(v_who.problem, v_who.front_end);
        return next;
        return;
    end if;

    v_member_lock := hashtext(v_who.member_name);
    v_slot := member_slot(v_member_lock, v_who.calls_limit, v_give_up);
    if v_slot is null then
        status := 'limit';
        message := format('Nothing was run: %s of your calls are running or waiting already, and no'
                          ' more than that may at once. Wait until one of them has answered, then'
                          ' call again.', v_who.calls_limit);
        return next;
        return;
    end if;

    v_hash := chat_hash(v_who.member_name, p_conversation);
    v_lock := ('x' || substr(v_hash, 33, 16))::bit(64)::bigint;
    if not chat_lock(v_lock, v_give_up) then
        status := 'busy';
        message := busy_words(v_lock);
        return next;
        return;
    end if;

    -- The wait may have been long, and somebody else may have been first: look again.
    v_who := caller_of(p_key_sha256, p_user);
    if v_who.problem is null and v_who.member_id is null then
        insert into member (name) values (v_who.member_name) on conflict do nothing;
        v_who := caller_of(p_key_sha256, p_user);
    end if;
    if v_who.problem is not null then
        status := v_who.problem;
        message := caller_words(v_who.problem, v_who.front_end);
        return next;
        return;
    end if;

    select * into v_box from sandbox s
     where s.member_id = v_who.member_id and s.conversation = p_conversation
       and s.removed_at is null;
    if v_box.state is distinct from 'running' then
        perform pg_advisory_xact_lock(v_member_lock, 0); -- count and claim as one
        message := sandbox_limit_words(v_who.member_id, v_box.id, v_who.running_limit);
        if message is not null then
            status := 'limit';
            return next;
            return;
        end if;
    end if;
    if v_box.id is null then
        insert into sandbox (member_id, conversation, container)
        values (v_who.member_id, p_conversation, 'bt-' || left(v_hash, 32))
        returning * into v_box;
    end if;
    v_now := clock_timestamp();

    sandbox_id := v_box.id;
    container := v_box.container;
    image := v_box.image;
    sandbox_state := case v_box.state when 'creating' then 'new' else v_box.state end;
    member_label := v_who.member_id::text;
    if v_box.state = 'stopped' then
        stopped_ago_s := greatest(extract(epoch from v_now - v_box.stopped_at), 0)::bigint;
        stop_reason := v_box.stop_reason;
        stop_running := v_box.stop_running;
    elsif v_box.state = 'creating' then
        select to_char(s.removed_at, 'YYYY-MM-DD'), s.remove_reason, s.remove_limit
          into lost_on, lost_why, lost_limit
          from sandbox s
         where s.member_id = v_who.member_id and s.conversation = p_conversation
           and s.removed_at is not null and s.remove_reason <> 'never'
         order by s.removed_at desc
         limit 1;
    end if;
    used_ago_s := greatest(extract(epoch from v_now - v_box.last_used_at), 0)::bigint;
    image_old := v_box.image_old and not v_box.image_told;
    disk_used_bytes := v_box.size_bytes;
    disk_limit_bytes := setting_int('disk_limit_bytes');

    -- This session holds the chat, so whoever ran a call that is still open is gone.
    select p.nonce, c.command, coalesce(c.outcome, 'lost') as outcome, c.exit_code, c.signal,
           c.duration_ms into v_previous
      from pending p
      join call c on c.id = p.call_id and c.started = p.started
     where p.lock_key = v_lock
     order by p.call_id desc
     limit 1;
    if found then
        previous_nonce := v_previous.nonce;
        previous_command := v_previous.command;
        previous_outcome := v_previous.outcome;
        previous_exit := v_previous.exit_code;
        previous_signal := v_previous.signal;
        previous_duration_ms := v_previous.duration_ms;
        update call c set ended = v_now, outcome = 'lost'
          from pending p
         where p.lock_key = v_lock and p.ended is null
           and c.id = p.call_id and c.started = p.started and c.ended is null;
        delete from pending p where p.lock_key = v_lock;
    end if;

    -- Another timeout is not another command. A long command is shown shortened: two may look alike.
    v_command_sha256 := sha256(convert_to(p_tool || E'\n' || case
        when p_tool = 'run' and p_command <> '' and p_command not like '%bytes of the command not shown%'
        then p_command else p_arguments end, 'UTF8'));
    select f.count, f.fingerprint into failure_count, failure_fingerprint
      from failure f
     where f.sandbox_id = v_box.id and f.command_sha256 = v_command_sha256;

    select string_agg(h.rule, ' ') into rules_off from hint_switch h;

    perform partition_of(v_now);
    insert into call (started, member_id, key_id, sandbox_id, conversation, tool, arguments,
                      command, client, nonce)
    values (v_now, v_who.member_id, v_who.key_id, v_box.id, p_conversation, p_tool, p_arguments,
            p_command, p_client, p_nonce)
    returning id into call_id;
    insert into pending (call_id, started, lock_key, member_id, key_id, sandbox_id, command_sha256,
                         nonce, backend_pid, session, request_id)
    values (call_id, v_now, v_lock, v_who.member_id, v_who.key_id, v_box.id, v_command_sha256,
            p_nonce, pg_backend_pid(), p_session, p_request_id);
    update api_key k set last_used_hour = date_trunc('hour', v_now)
     where k.id = v_who.key_id
       and k.last_used_hour is distinct from date_trunc('hour', v_now);

    perform pg_advisory_lock(v_member_lock, v_slot);
    perform pg_advisory_lock(v_lock);
    status := 'ok';
    return next;
end
$$;
