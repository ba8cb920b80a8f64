-- The last program of a series, and whether it was compared.
select plan(5);
select t.member('alice');
select t.member('bob');
select id as alice from backtalk.member where name = 'alice' \gset
select id as bob from backtalk.member where name = 'bob' \gset
-- p_ago minutes ago a program ran in a chat.
create function t.ran(p_member bigint, p_chat text, p_ago int, p_outcome text, p_verdict text,
                      p_tool text default 'run_code') returns void language sql as $$
    select backtalk.partition_of(now() - p_ago * interval '1 minute');
    insert into backtalk.call (started, member_id, key_id, sandbox_id, conversation, tool, arguments, command,
                               nonce, outcome, verdict)
    values (now() - p_ago * interval '1 minute', p_member, 1, 1, p_chat, p_tool, '{"language": "py...', 'python3 main.py',
            p_ago, p_outcome, p_verdict);
$$;
select t.ran(:alice, 'a', 60, 'failed', 'fail'), t.ran(:alice, 'a', 55, 'ok', 'pass'), -- one series: passed
       t.ran(:alice, 'a', 40, 'failed', null),                                         -- another: failed
       t.ran(:alice, 'b', 60, 'ok', 'pass'), t.ran(:alice, 'b', 58, 'ok', null),       -- untested
       t.ran(:alice, 'c', 60, 'ok', 'fail'),                                           -- failed
       t.ran(:alice, 'd', 60, 'refused', null), t.ran(:alice, 'd', 59, null, null),    -- nothing ran
       t.ran(:alice, 'e', 60, 'ok', null, 'run'),                                      -- no program
       t.ran(:bob, 'a', 56, 'ok', null);                                               -- another's chat
select results_eq(
    $$select conversation, tested from backtalk.last_programs where member = 'alice' order by call_id$$,
    $$values ('a', 'passed'), ('a', 'failed'), ('b', 'untested'), ('c', 'failed')$$,
    'the last program of each series counts, and no refused call or one that still runs');
select results_eq($$select tested from backtalk.last_programs where member = 'bob'$$, $$values ('untested')$$,
    'a chat of the same name of another member is another chat');
create role alice_programs login in role backtalk_member;
select backtalk.set_login('alice', 'alice_programs');
select t.open('alice_programs', 'alice_programs');
select is(t.row('alice_programs', 'select count(*) as n from backtalk.last_programs') ->> 'n', '4',
          'a member sees its own answers');
select is(t.row('alice_programs', 'select stray_containers as n from backtalk.health') ->> 'n', '0',
          'strays are the operator''s business');
select is(t.row('alice_programs', $$select count(*) as n from backtalk.sandboxes where member = 'bob'$$) ->> 'n', '0',
          'other people''s machines are not seen');
select * from finish();
