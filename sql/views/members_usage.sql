create or replace view members_usage as
select m.id,
       m.name as member,
       m.login,
       m.disabled_at,
       m.calls_limit,
       m.running_limit,
       m.kept_limit,
       b.running,
       b.kept,
       b.bytes as kept_bytes,
       coalesce(u.calls, 0) as calls_30d,
       coalesce(u.not_ok, 0) as not_ok_30d,
       u.last_call
  from member m
 cross join lateral (
       select count(*) filter (where s.state = 'running') as running,
              count(*) as kept,
              coalesce(sum(s.size_bytes), 0)::bigint as bytes
         from sandbox s
        where s.member_id = m.id and s.removed_at is null) b
 left join (
       select c.member_id,
              count(*) as calls,
              count(*) filter (where c.outcome <> 'ok') as not_ok,
              max(c.started) as last_call
         from call c
        where c.started >= now() - interval '30 days'
        group by c.member_id) u on u.member_id = m.id;

comment on view members_usage is 'Members: limits, machines, and calls of the last 30 days.';
comment on column members_usage.id is 'number of the member, label of its containers';
comment on column members_usage.member is 'name';
comment on column members_usage.login is 'database login that sees the member''s rows';
comment on column members_usage.disabled_at is 'turned away since';
comment on column members_usage.calls_limit is 'own limit of calls at once, else the setting';
comment on column members_usage.running_limit is 'own limit of running machines, else the setting';
comment on column members_usage.kept_limit is 'own limit of kept machines, else none';
comment on column members_usage.running is 'machines running now';
comment on column members_usage.kept is 'machines that are there, running or stopped';
comment on column members_usage.kept_bytes is 'disk they use, as last measured';
comment on column members_usage.calls_30d is 'calls in the last 30 days';
comment on column members_usage.not_ok_30d is 'of these, ended in another way than ok';
comment on column members_usage.last_call is 'the newest of these';
