create or replace view last_programs as
select c.id as call_id,
       c.started,
       m.name as member,
       c.conversation,
       c.command,
       case when c.verdict = 'pass' then 'passed'
            when c.verdict = 'fail' or c.outcome <> 'ok' then 'failed'
            else 'untested'
        end as tested
  from (select r.*,
               lead(r.started) over (partition by r.member_id, r.conversation
                                     order by r.started) as next_started
          from call r
         where r.tool = 'run_code'
           and r.started >= now() - interval '30 days'
           and r.outcome <> 'refused') c
  left join member m on m.id = c.member_id
 where c.next_started is null or c.next_started > c.started + interval '10 minutes';

comment on view last_programs is
    'The last run_code of each series, over the last 30 days, a series being calls less than ten minutes'
    ' apart: what a chat is likely to have answered with.';
comment on column last_programs.call_id is 'the call (view transcript)';
comment on column last_programs.started is 'when';
comment on column last_programs.member is 'whose chat';
comment on column last_programs.conversation is 'which chat';
comment on column last_programs.command is 'what ran the program';
comment on column last_programs.tested is
    'passed: compared with an expected output and equal; failed: not equal, or it did not run to a good'
    ' end; untested: it ran, and nothing was compared';
