-- What a call that gave up waiting for its chat says: which command holds it, and for how long.
create function busy_words(p_lock bigint) returns text
language sql volatile
set search_path = backtalk, pg_temp
as $$
    select 'Nothing was run: an earlier call of this chat is still running'
           || coalesce(
               (select format(', for %s s now: $ %s', greatest(extract(
                            epoch from clock_timestamp() - p.started), 0)::bigint,
                           case when length(c.command) > 200 then left(c.command, 200) || '...'
                                else c.command end)
                       || E'\n'
                  from pending p
                  join call c on c.id = p.call_id and c.started = p.started
                 where p.lock_key = p_lock and p.ended is null
                 order by p.call_id desc
                 limit 1), '. ')
           || 'Wait until it has answered, then call again.';
$$;
