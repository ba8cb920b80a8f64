-- Every table, view, sequence and function of the schema, taken from the catalog, tried by the roles of
-- the worker and the janitor: each statement must be refused with 42501, apart from the functions that
-- grants.sql gives. What is added to the schema later is tried without a change here.
select * from no_plan();
select t.open('worker');
select t.open('janitor', 'backtalk_janitor');

-- What became of a statement that p_name tried: '' when it was refused for want of rights.
create function t.not_refused(p_name text, p_sql text) returns text
language plpgsql as $$
begin
    perform dblink_exec(p_name, 'begin');
    perform dblink_exec(p_name, p_sql);
    perform dblink_exec(p_name, 'rollback');
    return p_sql || ': carried out';
exception
    when insufficient_privilege or object_not_in_prerequisite_state then -- the latter: a view nobody can write
        perform dblink_exec(p_name, 'rollback');
        return '';
    when others then
        perform dblink_exec(p_name, 'rollback');
        return p_sql || ': ' || sqlerrm;
end
$$;

-- The same for several; all that was not refused.
create function t.all_refused(p_name text, variadic p_sql text[]) returns text
language sql as $$
    select coalesce(string_agg(x, E'\n'), '')
      from unnest(p_sql) as s, t.not_refused(p_name, s) as x where x <> '';
$$;

-- A statement dblink_exec can carry: one without rows.
create function t.quiet(p_query text) returns text
language sql as $$
    select format('do %L', format('begin perform %s; end', p_query));
$$;

create view t.relation as
    select c.oid::regclass::text as name, c.relkind as kind,
           (select quote_ident(a.attname) from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
             order by a.attnum limit 1) as first_column
      from pg_class c
     where c.relnamespace = 'backtalk'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S');

-- A call of each function with nothing but nulls, and whether the roles may make it.
create view t.routine as
    select p.oid, p.oid::regprocedure::text as name,
           format('backtalk.%I(%s)', p.proname,
                  (select string_agg('null::' || format_type(a, null), ', ' order by n)
                     from unnest(p.proargtypes) with ordinality as x(a, n))) as call
      from pg_proc p
     where p.pronamespace = 'backtalk'::regnamespace;

select cmp_ok((select count(*) from t.relation), '>', 15::bigint, 'the catalog shows the relations');
select cmp_ok((select count(*) from t.routine), '>', 20::bigint, 'and the functions');

select is(t.all_refused(who,
              t.quiet(format('from %s', r.name)),
              t.quiet(format('%s from %s', r.first_column, r.name)),
              format('insert into %s default values', r.name),
              format('update %s set %s = default', r.name, r.first_column),
              t.quiet(format('from %s for update', r.name)),
              format('delete from %s', r.name),
              format('lock table %s in access share mode', r.name),
              format('drop %s %s', case r.kind when 'v' then 'view' else 'table' end, r.name),
              format('grant select on %s to public', r.name)),
          '', who || ': ' || r.name)
  from t.relation r, unnest(array['worker', 'janitor']) as who where r.kind in ('r', 'p', 'v');
select is(t.all_refused(who,
              format('truncate %s', r.name),
              format('alter table %s disable trigger user', r.name),
              format('alter table %s disable row level security', r.name),
              format('create index on %s (%s)', r.name, r.first_column),
              format('create policy p on %s', r.name),
              format('copy %s to program ''cat''', r.name)),
          '', who || ': ' || r.name || ', as a table')
  from t.relation r, unnest(array['worker', 'janitor']) as who where r.kind in ('r', 'p');
select is(t.all_refused(who,
              t.quiet(format('nextval(%L)', r.name)),
              t.quiet(format('setval(%L, 1)', r.name)),
              t.quiet(format('from %s', r.name)),
              format('alter sequence %s restart', r.name)),
          '', who || ': ' || r.name)
  from t.relation r, unnest(array['worker', 'janitor']) as who where r.kind = 'S';
select is((select count(*) from t.relation where kind not in ('r', 'p', 'v', 'S')), 0::bigint,
          'there is no other kind of relation');

select is(t.all_refused(who, t.quiet(f.call), format('drop function %s', f.name),
              format('alter function %s security invoker', f.name),
              format('grant execute on function %s to public', f.name)),
          '', who || ': ' || f.name)
  from t.routine f, unnest(array['worker', 'janitor']) as who
 where not has_function_privilege('backtalk_' || who, f.oid, 'execute');
-- rights.sql has the list of those that may be called; owning them is another thing
select is(t.all_refused(who, format('drop function %s', f.name),
              format('alter function %s security invoker', f.name),
              format('create or replace function %s returns int language sql return 1', f.name)),
          '', who || ': ' || f.name || ' is not its own')
  from t.routine f, unnest(array['worker', 'janitor']) as who
 where has_function_privilege('backtalk_' || who, f.oid, 'execute');

select is(f.name, null, 'not to be passed on by the worker: ' || f.name)
  from t.routine f
 where has_function_privilege('backtalk_worker', f.oid, 'execute with grant option');

-- Ways out of the role and out of the database.
select is(t.all_refused(who, 'set role ' || r.rolname, 'set session authorization ' || r.rolname,
              format('grant %s to backtalk_%s', r.rolname, who)),
          '', who || ': does not become ' || r.rolname)
  from pg_roles r, unnest(array['worker', 'janitor']) as who
 where r.rolname not in ('backtalk_' || who, 'pg_database_owner');
select is(t.all_refused(who,
              t.quiet('pg_read_file(''postgresql.conf'')'),
              t.quiet('pg_read_binary_file(''postgresql.conf'')'),
              t.quiet('pg_ls_dir(''.'')'),
              t.quiet('pg_stat_file(''postgresql.conf'')'),
              t.quiet('lo_import(''/etc/passwd'')'),
              t.quiet('pg_reload_conf()'),
              t.quiet('pg_rotate_logfile()'),
              t.quiet('pg_switch_wal()'),
              t.quiet('from pg_authid'),
              t.quiet('from pg_largeobject'),
              'alter database ' || current_database() || ' set search_path = pg_temp',
              'create role x',
              'create schema x',
              'create table public.x (i int)',
              'create temporary table x (i int)',
              'create function public.x() returns int language sql return 1',
              'create extension file_fdw',
              'create event trigger x on ddl_command_start execute function x()',
              'create publication x for all tables',
              'drop schema backtalk',
              'alter schema backtalk rename to x',
              'set session_replication_role = replica',
              'set row_security = off; delete from backtalk.call',
              'alter role backtalk login superuser',
              'alter role backtalk_worker bypassrls'),
          '', who || ': no way out of the database')
  from unnest(array['worker', 'janitor']) as who;
-- These cannot stand in a transaction.
select throws_ok(format('select dblink_exec(%L, %L)', who, q), '42501', null, who || ': ' || q)
  from unnest(array['worker', 'janitor']) as who,
       unnest(array['alter system set fsync = off', 'create database x',
                    'create tablespace x location ''/tmp''']) as q;
select * from finish();
