-- What people see: documented columns, own rows only, indexes used.
select plan(41);
select t.member('alice');
select t.member('bob');
select t.open('w');
select t.call('w', 'alice', 'a-chat', 'ls') ->> 'x';
select t.call('w', 'alice', 'a-chat', 'false', 'failed', 1) ->> 'x';
select t.call('w', 'bob', 'b-chat', 'pwd', p_code => 'print(1)') ->> 'x';
insert into backtalk.eviction (member_id, container, action, reason)
select id, 'bt-x', 'stopped', 'idle' from backtalk.member;

select is(
    (select array_agg(c.relname || coalesce('.' || a.attname, '')) from pg_class c
       left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      where c.relnamespace = 'backtalk'::regnamespace and c.relkind = 'v'
        and (col_description(c.oid, a.attnum) is null or obj_description(c.oid) is null)),
    null, 'every view and each of its columns has a comment');
select is(
    (select array_agg(c.relname::text) from pg_class c
      where c.relnamespace = 'backtalk'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition and obj_description(c.oid) is null),
    null, 'so has every table');
select is(
    (select array_agg(c.relname::text) from pg_class c
      where c.relnamespace = 'backtalk'::regnamespace and c.relkind in ('r', 'p')
        and not c.relispartition and not c.relrowsecurity
        and exists (select 1 from pg_attribute a
                     where a.attrelid = c.oid and a.attname in ('member_id', 'sandbox_id'))),
    null, 'every table with people''s rows has row-level security');
select is(
    (select array_agg(c.relname::text) from pg_class c
      where c.relnamespace = 'backtalk'::regnamespace and c.relkind = 'v'
        and (pg_get_userbyid(c.relowner) <> 'backtalk_viewer'
             or not has_table_privilege('backtalk_auditor', c.oid, 'select')
             or not has_table_privilege('backtalk_member', c.oid, 'select'))),
    null, 'every view belongs to backtalk_viewer, and readers may read it');

-- Members see their own.
select throws_like($$select backtalk.set_login('alice', 'alice_login')$$, '%not in backtalk_member%',
                   'a login has to be there');
create role alice_login login in role backtalk_member;
create role stranger_login login in role backtalk_member;
create role outsider_login login;
create role auditor_login login in role backtalk_auditor;
select backtalk.set_login('alice', 'alice_login');
select t.open(r, r) from unnest(array['alice_login', 'stranger_login', 'outsider_login', 'auditor_login',
                                      'backtalk']) r;
create function t.members(p_who text, p_view text) returns text language sql as $$
    select t.row(p_who, format('select coalesce(string_agg(distinct member, '','' order by member), '''') as m
                                  from backtalk.%I', p_view)) ->> 'm';
$$;
select is(t.members('alice_login', v), 'alice', 'a member sees itself only in ' || v)
  from unnest(array['sandboxes', 'calls', 'transcript', 'members_usage', 'keys', 'evictions']) v;
select is(t.members('stranger_login', v), '', 'a login that is no member sees nobody in ' || v)
  from unnest(array['sandboxes', 'calls', 'transcript', 'members_usage', 'keys', 'evictions']) v;
select is(t.members('auditor_login', v), 'alice,bob', 'an auditor sees everybody in ' || v)
  from unnest(array['sandboxes', 'calls', 'transcript', 'members_usage', 'keys', 'evictions']) v;
select is(t.members('backtalk', v), 'alice,bob', 'so does the operator in ' || v)
  from unnest(array['sandboxes', 'calls', 'transcript', 'members_usage', 'keys', 'evictions']) v;
select is(t.row('alice_login', 'select sum(calls)::int as n from backtalk.activity_hourly') ->> 'n', '2',
          'activity counts the member''s own calls');
select is(t.row('alice_login', 'select kept_sandboxes as n from backtalk.health') ->> 'n', '1',
          'health its own machines');
-- A predicate that talks must not see other people's rows on the way.
select is(t.row('alice_login', $$select count(*) as n from backtalk.transcript
                                  where 1 / (case when sent = 'text of 3' then 0 else 1 end) = 1$$) ->> 'n',
          '2', 'a predicate of the member''s own is not run on other people''s rows');
select throws_ok(format($$select t.row(%L, 'select count(*) from backtalk.calls')$$, 'outsider_login'),
                 '42501', null, 'a login of another kind sees nothing at all');
select throws_ok(format($$select t.row(%L, %L)$$, 'alice_login', 'select count(*) from backtalk.' || v),
                 '42501', null, 'a member reads no table: ' || v)
  from unnest(array['call', 'api_key', 'program', 'setting']) v;

-- On a long log the usual questions use indexes.
insert into backtalk.call (started, ended, member_id, key_id, sandbox_id, conversation, tool, arguments,
                           command, nonce, outcome, duration_ms, hint_ids)
select date_trunc('month', now()) + n * interval '1 s', now(), 1 + n % 2, 1, n % 500,
       'chat-' || n % 500, 'run', '{}', 'true', n, 'ok', n % 1000, '{}'
  from generate_series(1, 60000) n;
analyze backtalk.call;
create function t.scans(p_who text, p_sql text) returns text language plpgsql as $$
declare
    v_line text;
    v_found text := '';
begin
    for v_line in select * from dblink(p_who, 'explain ' || p_sql) as (x text) loop
        if v_line ~ 'Seq Scan on call' and v_line !~ 'cost=0.00..0.00' then
            v_found := v_found || v_line;
        end if;
    end loop;
    return v_found;
end
$$;
select is(t.scans(r, q), '', r || ' reads no whole month: ' || q)
  from unnest(array['auditor_login']) r, unnest(array[
    $$select * from backtalk.transcript where conversation = 'chat-7' order by call_id$$,
    $$select * from backtalk.activity_hourly where hour = date_trunc('month', now()) + interval '1 hour'$$,
    $$select * from backtalk.calls where id = 7$$]) q;
select is(t.scans('alice_login', $$select * from backtalk.transcript where conversation = 'chat-7'$$), '',
          'nor does a member''s own question');
select * from finish();
