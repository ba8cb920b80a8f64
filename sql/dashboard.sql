-- dashboard.sql - the house at a glance, for a terminal: psql -X -f sql/dashboard.sql
-- A member's login sees its own part.
\set QUIET on
\pset footer off
\pset linestyle unicode
\pset null '-'
set search_path = backtalk;

\echo
\echo 'HOUSE'
\x on
select running_sandboxes || ' running, ' || kept_sandboxes || ' kept, ' || pg_size_pretty(kept_bytes) as machines,
       open_calls || ' running, ' || undelivered_calls || ' not delivered, ' || dead_worker_calls
           || ' without a worker' as calls,
       pg_size_pretty(database_bytes) as record,
       coalesce('pass ' || date_trunc('second', now() - janitor_pass_at) || ' ago: ' || janitor_says,
                'no pass yet') as janitor
  from health;
\x off

\echo
\echo 'TODAY, BY TOOL'
select tool, sum(calls) as calls, sum(not_ok) as not_ok, round(max(p50_ms)) as worst_p50_ms,
       round(max(p95_ms)) as worst_p95_ms
  from activity_hourly where hour >= date_trunc('day', now()) group by tool order by calls desc;

\echo
\echo 'MEMBERS, 30 DAYS'
select left(member, 30) as member, calls_30d as calls, not_ok_30d as not_ok, running, kept,
       pg_size_pretty(kept_bytes) as disk, date_trunc('minute', last_call) as last_call
  from members_usage order by calls_30d desc limit 10;

\echo
\echo 'LARGEST MACHINES'
select left(member, 30) as member, left(conversation, 24) as chat, state, pg_size_pretty(size_bytes) as disk,
       date_trunc('minute', last_used_at) as last_used
  from sandboxes where removed_at is null order by size_bytes desc nulls last limit 5;

\echo
\echo 'WHAT THE JANITOR DID LAST'
select date_trunc('minute', at) as at, left(member, 30) as member, action, reason, pg_size_pretty(size_bytes) as disk
  from evictions order by id desc limit 8;

\echo
\echo 'FINAL ANSWERS AFTER A PROGRAM, 7 DAYS (backtalk-reply)'
select day::date, answers, after_pass, after_fail, untested, missing, appended from honesty
 where day >= now() - interval '7 days' order by day desc;

\echo
\echo 'PROGRAMS RUN LAST IN A CHAT, 7 DAYS'
select started::date as day, count(*) as programs, count(*) filter (where tested = 'passed') as passed,
       count(*) filter (where tested = 'failed') as failed, count(*) filter (where tested = 'untested') as untested
  from last_programs where started >= now() - interval '7 days' group by 1 order by 1 desc;

\echo
\echo 'HINTS, 30 DAYS'
select rule, fired, succeeded, failed_same_way, repeated from hint_outcomes order by fired desc limit 8;

\echo
\echo 'LAST FAILURES'
select id, date_trunc('second', started) as started, left(member, 20) as member, tool, outcome, exit_code as exit,
       left(regexp_replace(command, '\s+', ' ', 'g'), 50) as command
  from calls where started >= now() - interval '1 day' and outcome not in ('ok', 'running')
 order by started desc limit 8;
