-- A member's limits hold however many come at once, and are said in words.
select plan(26);
select t.member('alice');
select t.member('bob');
select t.open('c' || n) from generate_series(1, 50) n;
create table t.answers (n int, answer jsonb);
create table t.pids as select n, t.pid('c' || n) as pid from generate_series(1, 50) n;

-- p_count sessions begin a call each, at the same moment, as the SQL says.
create function t.all_at_once(p_count int, p_sql text) returns void language plpgsql as $$
begin
    delete from t.answers;
    for n in 1..p_count loop
        perform t.send('c' || n, replace(p_sql, '%n%', n::text));
    end loop;
    for n in 1..p_count loop
        insert into t.answers values (n, t.got('c' || n));
    end loop;
end
$$;
create function t.release_all() returns void language sql as $$
    select t.row('c' || n, 'select backtalk.call_release()') from generate_series(1, 50) n;
$$;
create function t.counts() returns text language sql as $$
    select string_agg(s || ' ' || c, ', ' order by s)
      from (select answer ->> 'status' as s, count(*) as c from t.answers group by 1) x;
$$;

-- Calls at once.
select backtalk.set_limits('alice', 5, 100, null);
select t.all_at_once(50, t.begin_sql('alice', 'chat-%n%'));
select is(t.counts(), 'limit 45, ok 5', '50 calls of 50 chats at once: as many as may run are in');
select is((select count(*) from pg_locks where locktype = 'advisory'), 10::bigint,
          'only these hold locks');
select is((select open_calls from backtalk.health), 5::bigint, 'only these are in the log');
select is((select distinct answer ->> 'message' from t.answers where answer ->> 'status' = 'limit'),
          'Nothing was run: 5 of your calls are running or waiting already, and no more than that'
          ' may at once. Wait until one of them has answered, then call again.',
          'the others are told in words');
select is(t.row('c50', t.begin_sql('bob', 'chat-1')) ->> 'status', 'ok',
          'another member is not concerned');
select t.release_all();
select is((select dead_worker_calls from backtalk.health), 6::bigint,
          'health sees calls without a worker');

-- A slot that is about to come free is worth a moment.
select t.row('c' || n, t.begin_sql('alice', 'slot-' || n)) ->> 'x' from generate_series(1, 5) n;
select t.send('c6', t.begin_sql('alice', 'slot-6', p_wait_ms => 30000));
select ok(dblink_is_busy('c6') = 1, 'a sixth call waits a moment for a slot');
select t.row('c1', 'select backtalk.call_release()') ->> 'x';
select is(t.got('c6') ->> 'status', 'ok', 'and is in when one comes free');
select t.release_all();

-- Calls that wait for their chat count too.
select t.row('c1', t.begin_sql('alice', 'queue')) ->> 'x';
select t.send('c' || n, t.begin_sql('alice', 'queue', p_wait_ms => 60000)) from generate_series(2, 5) n;
select ok(t.until($$(select count(*) from pg_locks l join t.pids p using (pid) where not l.granted) = 4$$),
          'four calls wait for the first of the chat');
select is(t.row('c6', t.begin_sql('alice', 'elsewhere')) ->> 'status', 'limit',
          'a call more is refused');
select dblink_cancel_query('c' || n) as cancelled from generate_series(2, 5) n;
select is((select count(*) from generate_series(2, 5) n where t.failure('c' || n) like '%cancel%'), 4::bigint,
          'all four are cancelled');
select is(t.row('c6', t.begin_sql('alice', 'elsewhere')) ->> 'status', 'ok', 'and count no more');
select t.release_all();

-- 50 sessions, one chat: one at a time.
select backtalk.set_limits('alice', 100, 100, null);
create function t.one_by_one() returns text language plpgsql as $$
declare
    v_done int := 0;
    v_in int;
    v_most int := 0;
    v jsonb;
begin
    for n in 1..50 loop
        perform t.send('c' || n, t.begin_sql('alice', 'crowd', n::text, n, 60000));
    end loop;
    while v_done < 50 loop
        select count(*), min(p.n) into v_in, v_done
          from (select n from generate_series(1, 50) n
                 where not exists (select 1 from t.answers a where a.n = n.n)
                   and dblink_is_busy('c' || n.n) = 0) p;
        v_most := greatest(v_most, v_in);
        if v_in > 0 then
            v := t.got('c' || v_done);
            insert into t.answers values (v_done, v);
            perform t.row('c' || v_done, t.end_sql((v ->> 'call_id')::bigint));
            perform t.row('c' || v_done, t.delivered_sql((v ->> 'call_id')::bigint));
        end if;
        select count(*) into v_done from t.answers;
    end loop;
    return 'at most ' || v_most || ' at once';
end
$$;
delete from t.answers;
select is(t.one_by_one(), 'at most 1 at once', '50 calls of one chat at once run one at a time');
select is(t.counts(), 'ok 50', 'all of them run');
select is((select count(*) from t.answers where answer ->> 'previous_nonce' is not null), 0::bigint,
          'and each sees that the one before was answered');
select is((select count(*) from backtalk.sandboxes where conversation = 'crowd'), 1::bigint,
          'in one sandbox');
select is((select count(*) from backtalk.calls where conversation = 'crowd' and delivered), 50::bigint,
          'the log has them all');
select is((select count(*) from backtalk.pending p join backtalk.calls c on c.id = p.call_id
            where c.conversation = 'crowd'), 0::bigint, 'none is pending');

-- Running and kept sandboxes.
delete from backtalk.pending;
delete from backtalk.sandbox;
select backtalk.set_limits('alice', 100, 4, null);
select t.all_at_once(50, t.begin_sql('alice', 'many-%n%'));
select is(t.counts(), 'limit 46, ok 4', '50 new chats at once: as many machines as may run');
select matches((select min(answer ->> 'message') from t.answers where answer ->> 'status' = 'limit'),
               '^Nothing was run: 4 machines of your chats are running, and no more than 4 may at once\.',
               'the others are told in words');
select is((select count(*) from backtalk.sandbox), 4::bigint, 'and made no sandbox');
select is((select count(*) from pg_locks where locktype = 'advisory'), 8::bigint,
          'and hold no locks');
select t.release_all();
select conversation as chat from backtalk.sandbox order by id limit 1 \gset
update backtalk.sandbox set state = 'running';
select is(t.call('c1', 'alice', :'chat') ->> 'status', 'ok', 'a chat whose machine runs goes on');
delete from backtalk.pending;
update backtalk.sandbox set state = 'stopped', stopped_at = now() where conversation = :'chat';
select is(t.row('c1', t.begin_sql('alice', 'new one')) ->> 'status', 'ok',
          'one that stopped makes room');
select is(t.row('c2', t.begin_sql('alice', :'chat')) ->> 'status', 'limit',
          'for one: the stopped one has to wait');
select t.release_all();
select backtalk.set_limits('alice', 100, 100, 5);
select is(t.row('c1', t.begin_sql('alice', 'a sixth')) ->> 'status', 'ok',
          'a machine more than may be kept is made: the janitor removes the oldest');
select * from finish();
