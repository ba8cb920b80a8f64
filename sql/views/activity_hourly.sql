create or replace view activity_hourly as
select c.hour,
       c.tool,
       count(*) as calls,
       count(*) filter (where c.outcome <> 'ok') as not_ok,
       percentile_cont(0.5) within group (order by c.duration_ms) as p50_ms,
       percentile_cont(0.95) within group (order by c.duration_ms) as p95_ms
  from call c
 group by 1, 2;

comment on view activity_hourly is
    'Calls per hour and tool; give a range of hours: where hour >= now() - interval ''1 day''.';
comment on column activity_hourly.hour is 'start of the hour';
comment on column activity_hourly.tool is 'the tool';
comment on column activity_hourly.calls is 'calls that started in it';
comment on column activity_hourly.not_ok is 'of these, ended in another way than ok';
comment on column activity_hourly.p50_ms is 'median time in the sandbox';
comment on column activity_hourly.p95_ms is '95 of 100 were faster';
