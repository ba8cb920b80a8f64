-- What became of the programs of a turn, for backtalk-reply: one word a run, in order, with commas
-- between: 'passed', 'ran' (its output was not compared), 'failed', '-' (no such run is recorded).
-- NULL: nobody stands behind the key, or a front end's user who never called a tool.
--
-- p_conversation  the chat; NULL: not told, then all chats of the member are looked through.
-- p_runs          a JSON array, oldest run first. A run of run_code: {"code": "\\x<SHA-256>"}. A run
--                 of a file: {"command", "written", "content"}: the command of the call of run, that
--                 of the call of write_file, and a part of that call's arguments. The file must hold
--                 that still: the last write_file of its path before the run is the one.
--
-- Of several runs with the same text the last one here is the last one in the record, and so on.
create function reply_results(
    p_key_sha256 bytea,
    p_user text,
    p_conversation text,
    p_runs json)
returns text
language plpgsql stable security definer
set search_path = backtalk, pg_temp
as $$
declare
    v_who record := caller_of(p_key_sha256, p_user);
    v_words text;
begin
    if v_who.problem is not null or v_who.member_id is null then
        return null;
    end if;
    with asked as (
        select e.ord, e.run ->> 'code' as code, e.run ->> 'command' as command,
               e.run ->> 'written' as written, e.run ->> 'content' as content,
               row_number() over (partition by e.run ->> 'code', e.run ->> 'command',
                                               e.run ->> 'written'
                                  order by e.ord desc) as nth
          from json_array_elements(p_runs) with ordinality as e (run, ord))
    select string_agg(coalesce(p.verdict, f.verdict, '-'), ',' order by a.ord) into v_words
      from asked a
      left join lateral (
           select x.verdict
             from program x
             join sandbox s on s.id = x.sandbox_id
            where x.code_sha256 = a.code::bytea
              and s.member_id = v_who.member_id
              and (p_conversation is null or s.conversation = p_conversation)
            order by x.id desc
           offset a.nth - 1 limit 1) p on a.code is not null
      left join lateral (
           select case when c.outcome = 'ok' and c.exit_code = 0 then 'ran' else 'failed' end
                      as verdict
             from call c
            where c.member_id = v_who.member_id
              and c.started > now() - interval '7 days'
              and (p_conversation is null or c.conversation = p_conversation)
              and c.tool = 'run' and c.command = a.command
              and c.outcome in ('ok', 'failed', 'timeout')
              and (select position(a.content in w.arguments) > 0
                     from call w
                    where w.member_id = c.member_id and w.conversation = c.conversation
                      and w.started between c.started - interval '30 days' and c.started
                      and w.sandbox_id = c.sandbox_id
                      and w.tool = 'write_file' and w.command = a.written and w.outcome = 'ok'
                    order by w.started desc
                    limit 1)
            order by c.started desc
           offset a.nth - 1 limit 1) f on a.command is not null;
    return v_words;
end
$$;
