-- Calls of one chat run one at a time, in arrival order; whoever goes away holds nothing.
select plan(53);
select t.member('alice');
select t.open(c) from unnest(array['a', 'b', 'c', 'd', 'w']) as c;
create table t.pids as select c, t.pid(c) as pid from unnest(array['a', 'b', 'c', 'd', 'w']) as c;
create function t.pid_of(text) returns int language sql as
    $$ select pid from t.pids where c = $1 $$;

-- One after the other.
select is(t.row('a', t.begin_sql('alice', 'one', 'sleep 100', 11)) ->> 'status', 'ok',
          'the first call begins');
select is(t.locks(t.pid_of('a')), 2::bigint, 'its session holds the slot and the chat');
select is(t.row('w', t.begin_sql('alice', 'two')) ->> 'status', 'ok', 'another chat does not wait');
select t.row('w', 'select backtalk.call_release()');
select t.row('w', t.begin_sql('alice', 'one', 'ls')) as busy \gset
select is(:'busy'::jsonb ->> 'status', 'busy', 'the same chat is busy');
select matches(:'busy'::jsonb ->> 'message', '^Nothing was run: .* for \d+ s now: \$ sleep 100\n.*call again\.$',
               'the answer names the command and since when');
select is(jsonb_strip_nulls(:'busy'::jsonb - 'status' - 'message'), '{}', 'and nothing else');
select is(t.locks(t.pid_of('w')), 0::bigint, 'the one turned away holds nothing');
select ok(clock_timestamp() - s < interval '3 s' and clock_timestamp() - s >= interval '0.3 s',
          'with a wait it waits that long')
  from (select clock_timestamp() as s) x,
       lateral (select t.row('w', t.begin_sql('alice', 'one', 'ls', p_wait_ms => 300)) as r) y
 where r ->> 'status' = 'busy';
select is(t.locks(t.pid_of('w')), 0::bigint, 'and holds nothing then');

select t.send('b', t.begin_sql('alice', 'one', 'second', 12, 60000));
select ok(t.until($$t.locks(t.pid_of('b'), false) = 1$$), 'the second call waits');
select t.send('c', t.begin_sql('alice', 'one', 'third', 13, 60000));
select ok(t.until($$t.locks(t.pid_of('c'), false) = 1$$), 'the third call waits');
select t.send('d', t.begin_sql('alice', 'one', 'fourth', 14, 60000));
select ok(t.until($$t.locks(t.pid_of('d'), false) = 1$$), 'the fourth call waits');

select is(t.row('a', t.end_sql((select max(call_id) from backtalk.pending where nonce = 11))) ->> 'done',
          'true', 'the first call ends');
select is(t.locks(t.pid_of('b'), false), 1::bigint,
          'the second waits on until the answer went out');
select dblink_exec('a', 'begin');
select t.row('a', t.delivered_sql((select max(call_id) from backtalk.pending where nonce = 11)));
select is(t.locks(t.pid_of('b'), false), 1::bigint, 'and until that is committed');
select dblink_exec('a', 'commit');
select ok(t.until($$dblink_is_busy('b') = 0$$), 'then it begins');
select is(t.locks(t.pid_of('a')), 0::bigint, 'the first session holds nothing');
select t.got('b') as second \gset
select is(:'second'::jsonb ->> 'status', 'ok', 'the second call is in');
select is(:'second'::jsonb ->> 'previous_nonce', null, 'and sees that the first was answered');
select is(:'second'::jsonb ->> 'sandbox_state', 'running', 'and what the first left');

-- The session of the running call goes away: the next in line is in, and is told.
select dblink_disconnect('b');
select ok(t.until($$dblink_is_busy('c') = 0$$), 'a dead session frees the chat');
select t.got('c') as third \gset
select is(:'third'::jsonb ->> 'previous_nonce', '12', 'the next in line, the third, hears of it');
select is(:'third'::jsonb ->> 'previous_command', 'second', 'by its command');
select is(:'third'::jsonb ->> 'previous_outcome', 'lost', 'that it is lost');
select is((select outcome from backtalk.calls where command = 'second'), 'lost', 'the log says so');

-- The fourth gives up while it waits.
select is(dblink_cancel_query('d'), 'OK', 'the fourth is cancelled while it waits');
select matches(t.failure('d'), 'canceling statement', 'its begin fails');
select ok(t.until($$t.locks(t.pid_of('d')) + t.locks(t.pid_of('d'), false) = 0$$),
          'it holds nothing and waits for nothing');
select is((select count(*) from backtalk.calls where command = 'fourth'), 0::bigint,
          'it is not in the log: nothing was run');
select t.row('c', t.end_sql((:'third'::jsonb ->> 'call_id')::bigint));
select t.row('c', t.delivered_sql((:'third'::jsonb ->> 'call_id')::bigint));
select is(t.row('d', t.begin_sql('alice', 'one', 'fifth', 15)) ->> 'status', 'ok',
          'the cancelled session works on, the chat is free');
select t.row('d', 'select backtalk.call_release()');
select is(t.locks(t.pid_of('d')), 0::bigint, 'call_release frees it');

-- Cancelled, and failed, after the locks were taken.
select t.open('boss', 'postgres');
select dblink_exec('boss', 'begin');
select dblink_exec('boss', 'lock table backtalk.pending in access exclusive mode');
select t.send('a', t.begin_sql('alice', 'three', 'ls', 20));
select ok(t.until($$exists (select 1 from pg_locks where pid = t.pid_of('a') and not granted
                             and relation = 'backtalk.pending'::regclass)$$), 'a begin hangs elsewhere');
select ok(t.locks(t.pid_of('a')) >= 2, 'with its locks taken');
select is(dblink_cancel_query('a'), 'OK', 'it is cancelled there');
select matches(t.failure('a'), 'canceling statement', 'it fails');
select ok(t.until($$t.locks(t.pid_of('a')) = 0$$), 'and holds nothing');
select dblink_exec('boss', 'rollback');
alter table backtalk.call add constraint boom check (command <> 'boom');
select throws_ok($$select t.row('a', t.begin_sql('alice', 'three', 'boom'))$$, '23514', null,
                 'a begin fails in its last steps');
select is(t.locks(t.pid_of('a')), 0::bigint, 'and holds nothing');
select dblink_exec('w', 'begin');
select is(t.row('w', t.begin_sql('alice', 'three')) ->> 'status', 'ok', 'the chat is free');
select t.send('a', t.begin_sql('alice', 'three', 'boom', p_wait_ms => 20000));
select ok(t.until($$t.locks(t.pid_of('a'), false) = 1$$), 'one that is going to fail waits for it');
select dblink_exec('w', 'rollback');
select t.row('w', 'select backtalk.call_release()');
select matches(t.failure('a'), 'violates check constraint', 'it fails');
select is(t.locks(t.pid_of('a')), 0::bigint, 'and holds nothing');
select is((select count(*) from backtalk.sandboxes where conversation = 'three'), 0::bigint,
          'and left nothing');

-- The session is lost in the middle of a call, the worker is not.
select t.row('a', t.begin_sql('alice', 'four', 'survivor', 30)) as lost \gset
select dblink_disconnect('a');
select ok(t.until($$t.locks(t.pid_of('a')) = 0$$), 'a session is lost in the middle of a call');
select t.open('a');
select is(t.row('a', t.end_sql((:'lost'::jsonb ->> 'call_id')::bigint)) ->> 'done', 'true',
          'its worker closes the call from another session');
select is(t.row('a', t.end_sql((:'lost'::jsonb ->> 'call_id')::bigint)) ->> 'done', 'true',
          'closing it again in the same words is no error');
select is(t.row('a', t.end_sql((:'lost'::jsonb ->> 'call_id')::bigint, 'failed')) ->> 'done', 'false',
          'in other words it is refused');
select t.row('w', t.begin_sql('alice', 'five', 'taken over', 31)) as taken \gset
select is(t.row('a', t.end_sql((:'taken'::jsonb ->> 'call_id')::bigint)) ->> 'done', 'false',
          'a call that another session runs cannot be closed');
select t.row('a', t.delivered_sql((:'taken'::jsonb ->> 'call_id')::bigint));
select is((select delivered from backtalk.calls where id = (:'taken'::jsonb ->> 'call_id')::bigint), false,
          'nor marked');
select is(t.locks(t.pid_of('w')), 2::bigint, 'nor freed');
select t.row('w', t.end_sql((:'taken'::jsonb ->> 'call_id')::bigint));
select t.row('a', t.delivered_sql((:'taken'::jsonb ->> 'call_id')::bigint));
select is((select delivered from backtalk.calls where id = (:'taken'::jsonb ->> 'call_id')::bigint),
          false, 'nor marked once it has ended');

-- A cancel that comes between the last statement and the commit.
select dblink_exec('d', 'begin');
select is(t.row('d', t.begin_sql('alice', 'six')) ->> 'status', 'ok', 'a begin whose commit fails');
select dblink_exec('d', 'rollback');
select t.row('d', 'select backtalk.call_release()');
select is(t.locks(t.pid_of('d')), 0::bigint, 'is freed by call_release');
select * from finish();
