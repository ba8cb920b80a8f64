-- What the record knows, for one pass, as JSON. p_containers: the names of all containers that the
-- engine has. Times are seconds since 1970.
--   now        the record's clock
--   machines   every live sandbox
--   unknown    of p_containers those without a live sandbox: what the record knows of them
--   calls      calls without an end whose worker is gone
--   logs       partitions of the log older than the setting retention_days
create function janitor_snapshot(p_containers text[]) returns text
language sql volatile security definer
set search_path = backtalk, pg_temp
as $$
    select json_build_object(
        'now', epoch(clock_timestamp()),
        'machines', coalesce((
            select json_agg(json_build_object(
                       'id', s.id, 'member', s.member_id, 'container', s.container,
                       'state', s.state, 'used', epoch(greatest(s.last_used_at, s.worked_at)),
                       'called', epoch(s.last_used_at), 'stopped', epoch(s.stopped_at),
                       'size', s.size_bytes, 'sized', epoch(s.sized_at),
                       'cpu_ns', s.cpu_ns, 'cpu_at', epoch(s.cpu_at),
                       'image_old', s.image_old, 'asked', s.remove_asked,
                       'running_limit', coalesce(m.running_limit, setting_int('member_running')),
                       'kept_limit', m.kept_limit,
                       'in_call', exists (select 1 from pending p
                                           where p.sandbox_id = s.id and p.ended is null
                                             and worker_lives(p.lock_key)))
                   order by s.id)
              from sandbox s
              join member m on m.id = s.member_id
             where s.removed_at is null), '[]'),
        'unknown', coalesce((
            select json_agg(json_build_object(
                       'container', n.name, 'sandbox', r.id, 'removed', epoch(r.removed_at),
                       'reason', r.remove_reason, 'stray', t.reason, 'seen', epoch(t.seen_at),
                       'size', t.size_bytes, 'sized', epoch(t.sized_at))
                   order by n.name)
              from unnest(p_containers) as n (name)
              left join lateral (select s.id, s.removed_at, s.remove_reason from sandbox s
                                  where s.container = n.name
                                  order by s.id desc limit 1) r on true
              left join stray t on t.container = n.name
             where not exists (select 1 from sandbox s
                                where s.container = n.name and s.removed_at is null)), '[]'),
        'calls', coalesce((
            select json_agg(json_build_object('id', p.call_id, 'began', epoch(p.started))
                   order by p.call_id)
              from pending p
             where p.ended is null and not worker_lives(p.lock_key)), '[]'),
        'logs', coalesce((select json_agg(o.name order by o.name) from old_logs() o), '[]'))::text;
$$;
