-- Who can do what: the worker its functions and nothing else, nobody rewrites the log.
select plan(45);
select t.open('worker');
select t.open('janitor', 'backtalk_janitor');

select is(
    (select array_agg(p.proname::text order by p.proname::text) from pg_proc p
      where p.pronamespace = 'backtalk'::regnamespace
        and has_function_privilege('backtalk_worker', p.oid, 'execute')),
    array['call_begin', 'call_cancel', 'call_delivered', 'call_end', 'call_release', 'key_check'],
    'the worker may execute its functions only');
select is(
    (select array_agg(p.proname::text order by p.proname::text) from pg_proc p
      where p.pronamespace = 'backtalk'::regnamespace
        and has_function_privilege('backtalk_reply', p.oid, 'execute')),
    array['key_check', 'reply_note', 'reply_results'], 'backtalk-reply its own');
select is(
    (select array_agg(p.proname::text) from pg_proc p
      where p.pronamespace = 'backtalk'::regnamespace
        and has_function_privilege('backtalk_janitor', p.oid, 'execute')
        and p.proname !~ '^janitor_'),
    null, 'the janitor executes its own only');
select is(
    (select array_agg(p.proname::text order by p.proname::text) from pg_proc p
      where p.pronamespace = 'backtalk'::regnamespace and p.proname ~ '^janitor_'
        and not has_function_privilege('backtalk_janitor', p.oid, 'execute')),
    array['janitor_holds'], 'all of them but one that they use');
select is(
    (select array_agg(p.proname::text) from pg_proc p
      where p.pronamespace = 'backtalk'::regnamespace
        and (has_function_privilege('backtalk_auditor', p.oid, 'execute')
             or has_function_privilege('backtalk_member', p.oid, 'execute')
             or has_function_privilege('public', p.oid, 'execute'))),
    null, 'nobody else may execute any');
select is(
    (select array_agg(c.relname::text) from pg_class c
      cross join unnest(array['public', 'backtalk_worker', 'backtalk_janitor', 'backtalk_reply']) as r
      cross join unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references',
                              'trigger']) as x
      where c.relnamespace = 'backtalk'::regnamespace and c.relkind in ('r', 'p', 'v')
        and has_table_privilege(r, c.oid, x)),
    null, 'worker, janitor, reply and PUBLIC have no right on any table or view');
select is(
    (select array_agg(c.relname::text) from pg_class c
      cross join unnest(array['public', 'backtalk_worker', 'backtalk_janitor', 'backtalk_reply']) as r
      cross join unnest(array['select', 'insert', 'update', 'references']) as x
      where c.relnamespace = 'backtalk'::regnamespace and c.relkind in ('r', 'p', 'v')
        and has_any_column_privilege(r, c.oid, x)),
    null, 'nor on any column');
select is(
    (select array_agg(c.relname::text) from pg_class c
      cross join unnest(array['public', 'backtalk_worker', 'backtalk_janitor', 'backtalk_reply', 'backtalk_auditor',
                              'backtalk_member', 'backtalk_viewer']) as r
      where c.relnamespace = 'backtalk'::regnamespace and c.relkind = 'S'
        and has_sequence_privilege(r, c.oid, 'usage, select, update')),
    null, 'nobody has a right on a sequence');
select is(
    (select array_agg(c.relname::text || ' ' || x) from pg_class c
      cross join unnest(array['backtalk_auditor', 'backtalk_member']) as r
      cross join unnest(array['insert', 'update', 'delete', 'truncate']) as x
      where c.relnamespace = 'backtalk'::regnamespace and c.relkind in ('r', 'p', 'v')
        and has_table_privilege(r, c.oid, x)),
    null, 'readers write nothing');
select is(
    (select array_agg(c.relname::text) from pg_class c
      cross join unnest(array['backtalk_auditor', 'backtalk_member']) as r
      where c.relnamespace = 'backtalk'::regnamespace and c.relkind in ('r', 'p')
        and has_table_privilege(r, c.oid, 'select')),
    null, 'readers read views only, no table');
select is(has_schema_privilege('public', 'backtalk', 'usage'), false,
          'PUBLIC cannot use the schema');
select is(r || has_schema_privilege(r, 'backtalk', 'create')::text, r || 'false',
          r || ' can create nothing in the schema')
  from unnest(array['public', 'backtalk_worker', 'backtalk_janitor', 'backtalk_reply', 'backtalk_auditor',
                    'backtalk_member', 'backtalk_viewer']) as r;
select is(has_database_privilege('backtalk_worker', current_database(), 'temporary, create'), false,
          'the worker makes no tables, not even temporary ones');
select is(
    (select array_agg(r.rolname::text) from pg_roles r
      where r.rolname like 'backtalk%'
        and (r.rolsuper or r.rolcreaterole or r.rolcreatedb or r.rolbypassrls or r.rolreplication)),
    null, 'no role of ours has a power of the cluster');
select is(
    (select array_agg(p.proname::text) from pg_proc p
      where p.pronamespace = 'backtalk'::regnamespace
        and not coalesce('search_path=backtalk, pg_temp' = any (p.proconfig), false)),
    null, 'every function pins its search_path');
select is(
    (select array_agg(p.proname::text) from pg_proc p
      where p.pronamespace = 'backtalk'::regnamespace
        and pg_get_userbyid(p.proowner) <> 'backtalk'),
    null, 'every function belongs to backtalk');

-- The catalog says so; the server does so too.
select throws_ok(
    format('select * from dblink(''worker'', %L) as (x text)', q), '42501', null, 'worker: ' || q)
  from unnest(array[
    'select tool from backtalk.call',
    'select command from backtalk.calls',
    'select label from backtalk.api_key',
    'select name from backtalk.member']) as q;
select throws_ok(
    format('select dblink_exec(''worker'', %L)', q), '42501', null, 'worker: ' || q)
  from unnest(array[
    'insert into backtalk.call (tool) values (1)',
    'update backtalk.call set sent = 1',
    'delete from backtalk.call',
    'truncate backtalk.call',
    'delete from backtalk.pending',
    'create table backtalk.x (i int)',
    'create temporary table x (i int)',
    'alter table backtalk.call add x int',
    'drop function backtalk.key_check(bytea)',
    'set role backtalk']) as q;
select throws_ok(
    format('select * from dblink(''worker'', %L) as (x text)', q), '42501', null, 'worker: ' || q)
  from unnest(array[
    $$select backtalk.new_key('alice', 'x')$$,
    $$select backtalk.purge_member('alice')$$]) as q;
select throws_ok(
    $$select * from dblink('janitor', 'select backtalk.key_check(''\x00'')') as (x text)$$,
    '42501', null, 'the janitor has no call of the worker');
select t.open('reply', 'backtalk_reply');
select throws_ok(
    format('select * from dblink(''reply'', %L) as (x text)', q), '42501', null, 'reply: ' || q)
  from unnest(array[
    'select code from backtalk.program',
    'select appended from backtalk.answer',
    $$select backtalk.call_release()$$,
    $$select backtalk.purge_member('alice')$$]) as q;
select throws_ok(
    format('select dblink_exec(''reply'', %L)', q), '42501', null, 'reply: ' || q)
  from unnest(array[
    'insert into backtalk.answer (language) values (1)',
    'delete from backtalk.answer']) as q;
select * from finish();
