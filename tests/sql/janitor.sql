-- What the janitor asks and records: one pass at a time, never against a call, and what the chat
-- hears afterwards.
select plan(60);
select t.member('alice');
select t.member('bob');
select t.open('v');
select t.open('w');
select t.open('j', 'backtalk_janitor');
select t.open('k', 'backtalk_janitor');
create function t.said(p_sql text, p_name text default 'j') returns text language sql as $$
    select t.row(p_name, 'select backtalk.janitor_' || p_sql || ' as said') ->> 'said';
$$;
create function t.snapshot(p_containers text default '{}') returns jsonb language sql as $$
    select t.said(format('snapshot(%L)', p_containers))::jsonb;
$$;
create function t.used(p_id bigint) returns bigint language sql as $$
    select floor(extract(epoch from greatest(last_used_at, worked_at)))::bigint
      from backtalk.sandbox where id = p_id;
$$;

-- A pass.
select is(t.said('lock(null)'), 'true', 'a pass begins');
select is(t.said('lock(null)', 'k'), 'false', 'a second one does not');
select is((select count(*) from backtalk.janitor_state), 0::bigint, 'a dry run writes nothing');
select t.row('j', 'select backtalk.janitor_unlock()') ->> 'x';
select is(t.said('lock(1000000)', 'k'), 'true', 'when the first has ended the second begins');
select is(backtalk.setting_int('disk_limit_bytes'), 1000000::bigint, 'the disk limit is what it was told');
select dblink_disconnect('k');
select ok(t.until($$(select count(*) from pg_locks where locktype = 'advisory') = 0$$),
          'a janitor that is gone holds nothing');
select is(t.said('lock(2147483648)'), 'true', 'so the next pass begins');
select is(t.said($$done(true, 'all is well', 12, 3, 2, 0)$$), 'true', 'it leaves word');
select is((select janitor_says from backtalk.health), 'all is well', 'health shows it');
select ok((select janitor_ok_at >= now() - interval '1 minute' from backtalk.health), 'and when');
select is(t.said($$done(false, 'trouble', 12, 3, 2, 0)$$), 'true', 'or of trouble');
select ok((select janitor_says = 'trouble' and janitor_ok_at < janitor_pass_at from backtalk.health),
          'health tells when it was well last');

-- A machine, and a call in it.
select t.call('v', 'alice', 'one') ->> 'sandbox_id' as box \gset
select t.call('v', 'alice', 'one') ->> 'container' as container \gset
select is(jsonb_array_length(t.snapshot() -> 'machines'), 1, 'the snapshot has the machine');
select is(t.snapshot() -> 'machines' -> 0 ->> 'in_call', 'false', 'no call runs in it');
select is((t.snapshot() -> 'machines' -> 0 ->> 'used')::bigint, t.used(:box), 'it says when it was used');
select t.row('v', t.begin_sql('alice', 'one')) ->> 'call_id' as call \gset
select is(t.snapshot() -> 'machines' -> 0 ->> 'in_call', 'true', 'now one does');
select is(t.said(format('hold(%s, %s)', :box, t.used(:box))), 'false', 'then it is not held');
select is(t.said(format($$stop(%s, 'idle', '', false)$$, :box)), 'false', 'nor stopped');
select is(t.said(format('close_call(%s)', :call)), 'false', 'nor is its call closed');
select t.row('v', t.end_sql(:call)) ->> 'x', t.row('v', t.delivered_sql(:call)) ->> 'x';
select is(t.said(format('hold(%s, %s)', :box, t.used(:box) - 1)), 'false',
          'one that was used since is not held');
select is(t.said(format('hold(%s, %s)', :box, t.used(:box))), 'true', 'one that was not is');
select is(t.row('v', t.begin_sql('alice', 'one')) ->> 'status', 'busy', 'and no call begins in it');
select is(t.said(format($$stop(%s, 'idle', E'sleep 900\nnode x.js', false)$$, :box)), 'true', 'it is stopped');
select t.row('j', format('select backtalk.janitor_release(%s)', :box)) ->> 'x';
select is(t.said(format($$stop(%s, 'idle', '', false)$$, :box)), 'false', 'not without holding it');
select t.row('v', t.begin_sql('alice', 'one')) as b \gset
select is(:'b'::jsonb ->> 'stop_reason', 'idle', 'the chat hears why');
select is(:'b'::jsonb ->> 'stop_running', E'sleep 900\nnode x.js', 'and what ran then');
select t.row('v', t.end_sql((:'b'::jsonb ->> 'call_id')::bigint)) ->> 'x';
select t.row('v', t.delivered_sql((:'b'::jsonb ->> 'call_id')::bigint)) ->> 'x';
select results_eq(format('select state, stop_reason, stop_running from backtalk.sandboxes where id = %s', :box),
    $$values ('running', '', '')$$, 'once it runs again that is forgotten');
select results_eq('select action, reason, member from backtalk.evictions', $$values ('stopped', 'idle', 'alice')$$,
    'what was done is recorded');

-- Removal and what it is about.
select is(t.said(format('hold(%s, %s)', :box, t.used(:box))), 'true', 'held again');
select is(t.said(format($$remove(%s, 'count', 50, false)$$, :box)), 'true', 'it is removed');
select t.row('j', format('select backtalk.janitor_release(%s)', :box)) ->> 'x';
select is(t.snapshot(format('{%s}', :'container')) -> 'unknown' -> 0 ->> 'reason', 'count',
          'its container is known as that of a removed one');
select is(t.said(format('hold(%s, null)', :box)), 'true', 'which can be held, to finish the removal');
select t.row('j', format('select backtalk.janitor_release(%s)', :box)) ->> 'x';
select t.row('v', t.begin_sql('alice', 'one')) as b \gset
select is(:'b'::jsonb ->> 'lost_why', 'count', 'the chat hears why');
select is(:'b'::jsonb ->> 'lost_limit', '50', 'and of the limit');
select is(t.said(format('hold(%s, null)', :box)), 'false', 'the chat has a machine again: nothing to finish');
select t.row('v', 'select backtalk.call_release()') ->> 'x';

-- A worker that is gone, and one that lost its connection only.
select is(jsonb_array_length(t.snapshot() -> 'calls'), 1, 'the snapshot has the call nobody closed');
select (:'b'::jsonb ->> 'call_id')::bigint as call \gset
select is(t.said(format('close_call(%s)', :call)), 'true', 'it is closed as lost');
select is((select outcome from backtalk.calls where id = :call), 'lost', 'the log has it');
select is(jsonb_array_length(t.snapshot() -> 'calls'), 0, 'once');
select is(t.row('w', t.end_sql(:call)) ->> 'done', 'true', 'its worker comes back and closes it better');
select is((select outcome from backtalk.calls where id = :call), 'ok', 'so the log has what was');
select t.call('v', 'alice', 'one', p_outcome => 'failed') as b \gset
select is(:'b'::jsonb ->> 'previous_outcome', 'ok', 'and the chat is told');
select is(t.row('w', t.end_sql(:call)) ->> 'done', 'false', 'afterwards it is too late');

-- Strays, adopted ones, purged ones.
select is(t.said($$stray('bt-x', '7', 500, false)$$), 'true', 'a container nobody knows is noted');
select is(t.snapshot('{bt-x}') -> 'unknown' -> 0 ->> 'stray', 'unknown', 'the next snapshot has it so');
select is((select stray_containers from backtalk.health), 1::bigint, 'health counts it');
select is(t.said($$stray('bt-x', '', null, true)$$), 'true', 'it is removed');
select is((select count(*) from backtalk.stray), 0::bigint, 'and no stray any more');
select t.said($$stray('bt-y', '7', null, false)$$), t.said($$stray('bt-z', '7', null, false)$$);
select t.row('j', $$select backtalk.janitor_forget('{bt-z}')$$) ->> 'x';
select results_eq('select container from backtalk.stray', $$values ('bt-z')$$,
    'one whose container is gone is forgotten');
select t.row('j', $$select backtalk.janitor_forget('{}')$$) ->> 'x';
select t.call('v', 'bob', 'two') ->> 'container' as bobs \gset
update backtalk.sandbox set state = 'removed', removed_at = now(), remove_reason = 'unused'
 where container = :'bobs' returning id as bobs_box \gset
select is(t.said(format('adopt(%s, true)', :bobs_box)), 'true', 'a machine is the chat''s again');
select is(t.said(format('adopt(%s, true)', :bobs_box)), 'false', 'once');
select is(t.row('v', t.begin_sql('bob', 'two')) ->> 'sandbox_state', 'running', 'and the chat finds it');
select t.row('v', 'select backtalk.call_release()') ->> 'x';
delete from backtalk.pending;
select is(backtalk.reset_sandbox(:'bobs'), true, 'the operator asks for its removal');
select is(t.snapshot() -> 'machines' @> '[{"asked": "operator"}]', true, 'the janitor is told');
select is(backtalk.purge_member('bob'), :'bobs', 'or purges its member');
select is(t.snapshot(format('{%s}', :'bobs')) -> 'unknown' -> 0 ->> 'stray', 'purged', 'the janitor is told, too');

-- Old months of the log.
create table backtalk.call_y2020m01 partition of backtalk.call
    for values from ('2020-01-01 00:00+00') to ('2020-02-01 00:00+00');
alter table backtalk.call_y2020m01 owner to backtalk;
insert into backtalk.call (started, member_id, key_id, sandbox_id, conversation, tool, arguments, command, nonce)
    select '2020-01-07', member_id, key_id, sandbox_id, conversation, tool, arguments, command, nonce
      from backtalk.call limit 1;
select is(t.snapshot() -> 'logs', '["call_y2020m01"]', 'an old month is in the snapshot');
select is(t.said($$drop_log('call')$$), 'false', 'nothing else is dropped');
select is(t.said($$drop_log('call_y2020m01')$$), 'true', 'it is dropped');
select is((select count(*) from backtalk.call where started < '2021-01-01'), 0::bigint, 'with its calls');
select * from finish();
