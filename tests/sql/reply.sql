-- What backtalk-reply hears of the programs of a turn, and what it leaves in the record.
select plan(31);
select t.member('alice');
select t.member('bob');
select t.open('w');
select t.open('r', 'backtalk_reply');

create function t.sha(p_code text) returns text language sql as $$
    select '\x' || encode(sha256(convert_to(p_code, 'UTF8')), 'hex');
$$;
-- Runs as reply_results takes them: of code, and of a file.
create function t.code(p_code text) returns json language sql as $$
    select json_build_object('code', t.sha(p_code));
$$;
create function t.file(p_command text, p_content text, p_path text default '/work/a.py')
returns json language sql as $$
    select json_build_object('command', p_command, 'written', 'write_file ' || p_path,
                             'content', to_json(p_content)::text);
$$;
create function t.results(p_key text, p_chat text, variadic p_runs json[]) returns text
language sql as $$
    select t.row('r', format('select backtalk.reply_results(%L::bytea, null, %L, %L) as v',
                             t.hash(p_key), p_chat, array_to_json(p_runs))) ->> 'v';
$$;
-- A whole call with a program and its verdict, as the worker records it.
create function t.program(p_key text, p_chat text, p_code text, p_verdict text) returns void
language plpgsql as $$
declare
    v jsonb := t.row('w', t.begin_sql(p_key, p_chat, 'python3 main.py', p_tool => 'run_code'));
begin
    perform t.row('w', format($q$select backtalk.call_end(%s, 'ok', 0, -1, 1, 1, 1, 1, 0, null, '{}', 'x', true,
                'running', 'i', 'python', %L, %L, null) as done$q$, v ->> 'call_id', p_code, p_verdict));
    perform t.row('w', t.delivered_sql((v ->> 'call_id')::bigint));
end
$$;
-- A call of write_file or run with its arguments and command.
create function t.tool(p_key text, p_chat text, p_tool text, p_arguments text, p_command text,
                       p_outcome text default 'ok', p_exit int default 0) returns void
language plpgsql as $$
declare
    v jsonb := t.row('w', format('select * from backtalk.call_begin(%L::bytea, null, %L, %L, %L, %L, 1,'
                                 ' null, null, null, 0)', t.hash(p_key), p_chat, p_tool, p_arguments,
                                 p_command));
begin
    perform t.row('w', t.end_sql((v ->> 'call_id')::bigint, p_outcome, p_exit));
    perform t.row('w', t.delivered_sql((v ->> 'call_id')::bigint));
end
$$;

-- Programs of run_code.
select t.program('alice', 'one', 'print(1)', 'passed');
select t.program('alice', 'one', 'print(2)', 'failed');
select t.program('alice', 'two', 'print(1)', 'failed');
select t.program('alice', 'two', 'print(3)', 'ran');
select t.program('bob', 'one', 'print(4)', 'passed');
select is(t.results('alice', 'one', t.code('print(1)')), 'passed', 'a program that passed');
select is(t.results('alice', 'one', t.code('print(1)'), t.code('print(2)')), 'passed,failed',
          'two, in order');
select is(t.results('alice', 'two', t.code('print(1)'), t.code('print(3)')), 'failed,ran',
          'another chat has results of its own');
select is(t.results('alice', 'one', t.code('print(3)')), '-', 'and none of this one''s');
select is(t.results('alice', 'one', t.code('print(1) ')), '-', 'another text is another program');
select is(t.results('bob', 'one', t.code('print(1)')), '-', 'nobody hears of other people''s');
select is(t.results('alice', null, t.code('print(3)'), t.code('print(4)')), 'ran,-',
          'without a chat all of the member''s are looked through');
select is(t.results('alice', null, t.code('print(1)')), 'failed', 'the newest one counts');
select is(t.results('alice', 'none', t.code('print(1)')), '-', 'a chat that has no machine');
select is(t.row('r', $$select backtalk.reply_results('\x00', null, 'one', '[]') as v$$) ->> 'v', null,
          'nobody behind the key');

-- The same program several times: the last with the last.
select t.program('alice', 'three', 'print(5)', 'failed');
select t.program('alice', 'three', 'print(5)', 'passed');
select t.program('alice', 'three', 'print(6)', 'failed');
select t.program('alice', 'three', 'print(5)', 'ran');
select is(t.results('alice', 'three', t.code('print(5)'), t.code('print(5)'), t.code('print(6)'),
                    t.code('print(5)')), 'failed,passed,failed,ran', 'runs of one text keep their order');
select is(t.results('alice', 'three', t.code('print(5)'), t.code('print(5)')), 'passed,ran',
          'a turn with fewer of them has the newest');
select is(t.results('alice', 'three', t.code('print(6)'), t.code('print(6)')), '-,failed',
          'a run too many was never recorded');

-- Files.
select t.tool('alice', 'four', 'run', '{}', 'python3 a.py', 'failed', 2);
select t.tool('alice', 'four', 'write_file', '{"path":"a.py","content":"print(\"é\")\n"}',
              'write_file /work/a.py');
select is(t.results('alice', 'four', t.file('python3 a.py', E'print("é")\n')), '-',
          'a file is not run before it was written');
select t.tool('alice', 'four', 'run', '{}', 'python3 a.py');
select is(t.results('alice', 'four', t.file('python3 a.py', E'print("é")\n')), 'ran', 'it ran');
select is(t.results('alice', 'four', t.file('python3 a.py', E'print("e")\n')), '-',
          'another text did not');
select is(t.results('alice', 'four', t.file('python3 b.py', E'print("é")\n')), '-',
          'nor by another command');
select is(t.results('alice', null, t.file('python3 a.py', E'print("é")\n')), 'ran',
          'without a chat it is found too');
select is(t.results('alice', 'five', t.file('python3 a.py', E'print("é")\n')), '-',
          'in another chat it is not');
select t.tool('alice', 'four', 'write_file', '{"path":"a.py","content":"exit(1)"}',
              'write_file /work/a.py');
select t.tool('alice', 'four', 'run', '{}', 'python3 a.py', 'failed', 1);
select is(t.results('alice', 'four', t.file('python3 a.py', E'print("é")\n'),
                    t.file('python3 a.py', 'exit(1)')), '-,failed',
          'the last file of that name is what ran');
select is(t.results('alice', 'four', t.code('print(1)'), t.file('python3 a.py', 'exit(1)')),
          '-,failed', 'both kinds at once');

-- Front ends: the member is the user.
insert into t.keys values ('front', backtalk.new_front_end_key('chat', 'test'));
select is(t.row('r', format($$select backtalk.reply_results(%L::bytea, %L, 'one', '[]') as v$$,
                            t.hash('front'), u)) ->> 'v', null, 'front end: ' || coalesce(u, 'no user'))
  from unnest(array[null, 'never seen']) u;

-- What is left.
create function t.note(p_key text, p_showed text, p_appended text) returns text language sql as $$
    select t.row('r', format('select backtalk.reply_note(%L::bytea, null, %L, %L, %L, %L, 2, 3, %L, %L) as v',
                             t.hash(p_key), 'one', 'python', t.sha('print(1)'), 'passed', p_showed,
                             p_appended)) ->> 'v';
$$;
select is(t.note('alice', 'missing', 'the text'), 'true', 'an answer is recorded');
select is(t.note('alice', 'shown', null), 'true', 'and another');
select is(t.row('r', $$select backtalk.reply_note('\x00', null, null, 'c', '\x00', 'ran', 0, 0, 'shown', null)
                       as v$$) ->> 'v', 'false', 'nobody behind the key: nothing is recorded');
select throws_ok($$select t.note('alice', 'perhaps', null)$$, null, null, 'only what has a meaning');
select results_eq(
    $$select member, conversation, language, code_sha256, verdict, tests_passed, tests, showed, appended
        from backtalk.answers order by id$$,
    $$values ('alice', 'one', 'python', substr(t.sha('print(1)'), 3), 'passed', 2, 3, 'missing', 'the text'),
             ('alice', 'one', 'python', substr(t.sha('print(1)'), 3), 'passed', 2, 3, 'shown', null)$$,
    'answers has them');
select results_eq(
    $$select answers, after_pass, after_fail, untested, shown, missing, different, elsewhere, appended
        from backtalk.honesty$$,
    $$values (2::bigint, 2::bigint, 0::bigint, 0::bigint, 1::bigint, 1::bigint, 0::bigint, 0::bigint, 1::bigint)$$,
    'honesty counts them');
select lives_ok($$select backtalk.purge_member('alice')$$, 'a member who is purged');
select is((select count(*) from backtalk.answer), 0::bigint, 'leaves no answer');
select * from finish();
