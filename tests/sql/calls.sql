-- What one call leaves in the record, and what the next call of its chat hears.
select plan(85);
select t.member('alice');
select t.open('w');
select t.open('v');

-- A first call, step by step.
select t.row('w', t.begin_sql('alice', 'one', 'ls', -9223372036854775808)) as b \gset
select is(:'b'::jsonb ->> 'status', 'ok', 'the first call of a chat begins');
select matches(:'b'::jsonb ->> 'container', '^bt-[0-9a-f]{32}$', 'its container has a name');
select is(:'b'::jsonb ->> 'sandbox_state', 'new', 'its sandbox is new');
select is(:'b'::jsonb ->> 'image', '', 'of no image yet');
select matches(:'b'::jsonb ->> 'member_label', '^[0-9]+$', 'the label is digits');
select is(:'b'::jsonb ->> 'disk_limit_bytes', '2147483648', 'the disk limit is the setting');
select is(:'b'::jsonb ->> k, null, k || ' is NULL')
  from unnest(array['message', 'stopped_ago_s', 'lost_on', 'previous_nonce', 'failure_count']) as k;
select results_eq(
    $$select outcome, tool, command, arguments, client, delivered, ended from backtalk.calls$$,
    $$values ('running', 'run', 'ls', '{"command" : "ls"}', 'test', false, null::timestamptz)$$,
    'it is in the log before anything runs');
select is((select open_calls from backtalk.health), 1::bigint, 'health counts it');
select is(
    t.row('w', format($$select backtalk.call_end(%s, 'failed', 2, -1, 240, 5000, 10, 20, 30, 'fail', '{a,b}',
                        'the text', true, 'running', 'backtalk-sandbox:slim', null, null, null, null) as done$$,
                      :'b'::jsonb ->> 'call_id')) -> 'done', 'true', 'it is closed');
select results_eq(
    $$select outcome, exit_code, signal, duration_ms, peak_bytes, out_bytes, err_bytes, cut_bytes, verdict,
             hint_ids, changed, delivered, ended is not null from backtalk.calls$$,
    $$values ('failed', 2, null::int, 240::bigint, 5000::bigint, 10::bigint, 20::bigint, 30::bigint,
              'fail', array['a', 'b'], true, false, true)$$, 'with all it was told');
select is((select sent from backtalk.transcript), 'the text', 'and the text');
select is(t.row('w', t.end_sql((:'b'::jsonb ->> 'call_id')::bigint)) -> 'done', 'false',
          'it is not closed a second time');
select is(t.row('w', t.end_sql(999999)) -> 'done', 'false', 'nor one that never was');
select results_eq(
    $$select state, image, stopped_at from backtalk.sandboxes$$,
    $$values ('running', 'backtalk-sandbox:slim', null::timestamptz)$$, 'its sandbox runs');
select t.row('w', t.delivered_sql((:'b'::jsonb ->> 'call_id')::bigint)) ->> 'x';
select is((select delivered from backtalk.calls), true, 'its answer went out');
select is((select count(*) from backtalk.pending), 0::bigint, 'nothing is pending');

select t.call('v', 'alice', 'one', 'pwd') as b \gset
select is(:'b'::jsonb ->> 'sandbox_state', 'running', 'the next call finds the sandbox running');
select is(:'b'::jsonb ->> 'image', 'backtalk-sandbox:slim', 'of its image');
select is(:'b'::jsonb ->> 'previous_nonce', null, 'and has nothing to hear');

-- A call whose answer did not go out: told once.
select t.row('w', t.begin_sql('alice', 'one', 'make', -42)) ->> 'call_id' as id \gset
select t.row('w', t.end_sql(:id, 'failed', 2)) ->> 'x';
select t.row('w', t.delivered_sql(:id, false)) ->> 'x';
select is((select undelivered_calls from backtalk.health), 1::bigint,
          'health counts an undelivered answer');
select is((select delivered from backtalk.calls where id = :id), false, 'it is not marked');
select is(t.call('w', 'alice', 'other chat') ->> 'previous_nonce', null,
          'another chat hears nothing');
select t.call('v', 'alice', 'one', 'pwd') as b \gset
select is(:'b'::jsonb ->> 'previous_nonce', '-42', 'the chat''s next call hears of it: nonce');
select is(:'b'::jsonb ->> 'previous_command', 'make', 'command');
select is(:'b'::jsonb ->> 'previous_outcome', 'failed', 'outcome');
select is(:'b'::jsonb ->> 'previous_exit', '2', 'exit code');
select is(:'b'::jsonb ->> 'previous_signal', null, 'no signal');
select is(:'b'::jsonb ->> 'previous_duration_ms', '12', 'duration');
select is(t.call('v', 'alice', 'one', 'pwd') ->> 'previous_nonce', null,
          'the call after that does not');

-- A call that nobody closed.
select t.row('w', t.begin_sql('alice', 'one', 'crash', 43)) ->> 'call_id' as id \gset
select t.row('w', t.delivered_sql(:id)) ->> 'x';
select is((select outcome from backtalk.calls where id = :id), 'running',
          'an open call that says it was delivered stays open');
select t.call('v', 'alice', 'one', 'pwd') as b \gset
select is(:'b'::jsonb ->> 'previous_outcome', 'lost', 'the next call hears that it is lost');
select is((select outcome from backtalk.calls where id = :id), 'lost', 'the log has it closed');
select is(t.row('w', t.end_sql(:id)) -> 'done', 'false', 'its worker cannot close it any more');
select t.row('w', t.begin_sql('alice', 'one', 'again', 44)) ->> 'call_id' as id \gset
select t.row('w', t.begin_sql('alice', 'one', 'repeated', 45)) as b \gset
select is(:'b'::jsonb ->> 'status', 'ok', 'a session that begins anew lets go of what it held');
select is(:'b'::jsonb ->> 'previous_nonce', '44', 'and hears of its own lost call');
select t.row('w', 'select backtalk.call_release()') ->> 'x';

-- What becomes of the machine.
update backtalk.sandbox set state = 'stopped', stopped_at = now() - interval '90 s', stop_reason = 'idle'
 where conversation = 'one';
select t.row('w', t.begin_sql('alice', 'one')) as b \gset
select is(:'b'::jsonb ->> 'sandbox_state', 'stopped', 'a stopped sandbox');
select cmp_ok((:'b'::jsonb ->> 'stopped_ago_s')::int, '>=', 90, 'for so long');
select is(:'b'::jsonb ->> 'stop_reason', 'idle', 'for a reason');
select t.row('w', t.end_sql((:'b'::jsonb ->> 'call_id')::bigint, p_state => null)) ->> 'x';
select is((select state from backtalk.sandboxes where conversation = 'one'), 'stopped',
          'not known: it stays as it was');
select t.row('w', t.delivered_sql((:'b'::jsonb ->> 'call_id')::bigint)) ->> 'x';
select t.call('w', 'alice', 'one') ->> 'x';
select is((select (state, stop_reason)::text from backtalk.sandboxes where conversation = 'one'),
          '(running,"")', 'seen running: it runs');
select t.call('w', 'alice', 'one', p_state => 'absent') ->> 'x';
select is((select (state, stop_reason)::text from backtalk.sandboxes where conversation = 'one'),
          '(stopped,missing)', 'seen absent: it does not run');
select t.call('w', 'alice', 'one', p_outcome => 'failed', p_fingerprint => 'f', p_code => 'old') ->> 'x';
select t.call('w', 'alice', 'one', p_state => 'fresh') ->> 'x';
select results_eq(
    $$select state, remove_reason from backtalk.sandboxes where conversation = 'one' order by id$$,
    $$values ('removed', 'missing'), ('running', '')$$, 'made anew: the old one is recorded as lost');
select is((select count(distinct container) from backtalk.sandboxes where conversation = 'one'), 1::bigint,
          'under the same name');
select is(t.row('w', t.begin_sql('alice', 'one')) ->> 'failure_count', null,
          'nothing is remembered of the old one');
select t.call('w', 'alice', 'one', p_state => 'removed') as b \gset
select t.call('v', 'alice', 'one', p_state => null) as b \gset
select is(:'b'::jsonb ->> 'sandbox_state', 'new', 'after a reset the sandbox is new');
select is(:'b'::jsonb ->> 'lost_why', 'reset', 'the chat hears why');
select is(:'b'::jsonb ->> 'lost_on', to_char(now(), 'YYYY-MM-DD'), 'and when');
select is(t.call('v', 'alice', 'one', p_state => 'fresh') ->> 'lost_why', 'reset',
          'still, as the last call did not see the new machine');
select is(t.call('v', 'alice', 'one') ->> 'lost_why', null, 'not once it has been seen');
select is((select count(*) from backtalk.sandboxes where conversation = 'one' and removed_at is null), 1::bigint,
          'one machine of the chat lives');

-- Memory: the same command, the same result, nothing written in between.
create function t.memory(p_command text default 'rustc x.rs') returns text language plpgsql as $$
declare
    v jsonb := t.row('w', t.begin_sql('alice', 'memory', p_command));
begin
    perform t.row('w', t.end_sql((v ->> 'call_id')::bigint, 'refused', null));
    perform t.row('w', t.delivered_sql((v ->> 'call_id')::bigint));
    return coalesce(v ->> 'failure_count', 'none') || ' ' || coalesce(v ->> 'failure_fingerprint', '');
end
$$;
create function t.ran(p_fingerprint text, p_changed boolean default false, p_command text default 'rustc x.rs')
returns text language sql as $$
    select t.call('w', 'alice', 'memory', p_command,
                  case when p_fingerprint is null then 'ok' else 'failed' end,
                  p_changed => p_changed, p_fingerprint => p_fingerprint) ->> 'x';
$$;
select is(t.memory(), 'none ', 'nothing is remembered at first');
select t.ran('E1');
select is(t.memory(), '1 E1', 'a failure is remembered, and a refused call does not change that');
select t.ran('E1');
select is(t.memory(), '2 E1', 'the same again is counted');
select is(t.memory('rustc y.rs'), 'none ', 'another command has no memory');
select t.row('w', replace(t.begin_sql('alice', 'memory', 'rustc x.rs'), '{"command"', '{"timeout" : 9, "command"'))
    as b \gset
select is(:'b'::jsonb ->> 'failure_count', '2', 'the same command with another timeout is the same');
select t.row('w', t.end_sql((:'b'::jsonb ->> 'call_id')::bigint, 'refused', null)) ->> 'x';
select t.row('w', t.delivered_sql((:'b'::jsonb ->> 'call_id')::bigint)) ->> 'x';
select t.ran(null, p_command => 'ls');
select is(t.memory(), '2 E1', 'another command that changes nothing leaves it');
select t.ran('E2');
select is(t.memory(), '1 E2', 'another result starts anew');
select t.ran(null, true, 'echo > x.rs');
select is(t.memory(), 'none ', 'something written clears it');
select t.ran('E1');
select t.ran('E1', true);
select is(t.memory(), 'none ', 'a failing command that itself wrote something is not remembered');
select t.ran('E1');
select t.ran(null);
select is(t.memory(), 'none ', 'a success clears it');

-- Programs: the newest ten.
select count(t.call('w', 'alice', 'programs', p_code => 'print(' || n || ')')) = 13 as x
  from generate_series(1, 13) n \gset
select results_eq(
    $$select p.code, p.language, p.verdict, p.code_sha256 from backtalk.program p
        join backtalk.sandbox s on s.id = p.sandbox_id where s.conversation = 'programs' order by p.id$$,
    $$select 'print(' || n || ')', 'python', 'ran', sha256(convert_to('print(' || n || ')', 'UTF8'))
        from generate_series(4, 13) n$$, 'the newest ten programs of a sandbox are kept');

-- Cancelling.
select t.member('bob');
select t.row('w', t.begin_sql('alice', 'cancel', 'sleep 100', -77, p_session => 's1', p_request => '"x"')) as b \gset
select dblink_exec('w', 'listen backtalk_' || t.pid('w'));
create function t.cancel(p_key text, p_session text, p_request text) returns jsonb language sql as $$
    select t.row('v', format('select backtalk.call_cancel(%L, %L, %L) as found',
                             t.hash(p_key), p_session, p_request)) -> 'found';
$$;
select is(t.cancel('bob', 's1', '"x"'), 'false', 'another member''s key cancels nothing');
select is(t.cancel('alice', 's2', '"x"'), 'false', 'nor another session');
select is(t.cancel('alice', 's1', '"y"'), 'false', 'nor another request');
select is(t.cancel('alice', 's1', null), 'false', 'nor none');
select is((select count(*) from dblink_get_notify('w')), 0::bigint,
          'its worker heard nothing so far');
select is(t.cancel('alice', 's1', '"x"'), 'true', 'the right one is found');
select ok(t.until($$exists (select 1 from dblink_get_notify('w') where extra = '-77')$$),
          'its worker hears the nonce');
select t.row('w', t.end_sql((:'b'::jsonb ->> 'call_id')::bigint, 'cancelled')) ->> 'x';
select is(t.cancel('alice', 's1', '"x"'), 'false', 'a call that ended is not found');
insert into t.keys values ('front', backtalk.new_front_end_key('front', 'test'));
select t.row('w', t.begin_sql('front', 'cancel', p_user => 'u1', p_session => null)) ->> 'x';
select is(t.cancel('front', null, '1'), 'false', 'a front end''s key has to name the session');

-- Hint rules that are switched off.
select is(t.call('w', 'alice', 'rules') ->> 'rules_off', null, 'no rule is off');
select backtalk.set_rule('pip-name', false, 'not now'), backtalk.set_rule('port-used', false),
       backtalk.set_rule('pip-name', false, 'misleads here');
select is((select string_agg(r, ' ' order by r)
             from regexp_split_to_table(t.call('w', 'alice', 'rules') ->> 'rules_off', ' ') r),
          'pip-name port-used', 'the next call hears of two');
select is((select why from backtalk.hint_switch where rule = 'pip-name'), 'misleads here',
          'and why is kept');
select backtalk.set_rule('pip-name', true), backtalk.set_rule('port-used', true);
select is(t.call('w', 'alice', 'rules') ->> 'rules_off', null, 'on again');
select throws_matching($$select backtalk.set_rule('two words', false)$$,
                       'not the id of a rule: two words', 'what cannot be a rule is refused');

-- The log's months.
select is((select count(*) from pg_inherits where inhparent = 'backtalk.call'::regclass), 2::bigint,
          'there is a partition for this month and for the next');
select lives_ok($$select backtalk.partition_of('2031-12-31 23:59:59.9+00')$$,
                'another month can be made');
select is((select array_agg(c.relname::text || ' ' || pg_get_expr(c.relpartbound, c.oid) order by c.relname)
             from pg_class c where c.relname ~ 'call_y203' and c.relkind = 'r'),
          array['call_y2031m12 FOR VALUES FROM (''2031-12-01 00:00:00+00'') TO (''2032-01-01 00:00:00+00'')',
                'call_y2032m01 FOR VALUES FROM (''2032-01-01 00:00:00+00'') TO (''2032-02-01 00:00:00+00'')'],
          'by months of UTC');
select format('drop table backtalk.%I', c.relname) from pg_class c
 where c.relispartition and c.relkind = 'r' and c.relnamespace = 'backtalk'::regnamespace \gexec
select is(t.call('w', 'alice', 'month') ->> 'status', 'ok',
          'the first call of a month makes its partition');
select is((select count(*) from pg_inherits where inhparent = 'backtalk.call'::regclass), 2::bigint,
          'and the next one''s');
select * from finish();
