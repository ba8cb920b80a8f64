create or replace view hint_outcomes as
select rule,
       count(*) as fired,
       count(*) filter (where n.id is not null and n.tool = c.tool and n.arguments = c.arguments)
           as repeated,
       count(*) filter (where n.outcome <> 'ok' and rule = any (n.hint_ids))
           as failed_same_way,
       count(*) filter (where n.outcome = 'ok') as succeeded,
       count(*) filter (where n.id is null) as no_next_call
  from call c
 cross join lateral unnest(c.hint_ids) as rule
  left join lateral (
       select f.id, f.tool, f.arguments, f.outcome, f.hint_ids
         from call f
        where f.conversation = c.conversation and f.member_id = c.member_id
          and f.started > c.started and f.started < c.started + interval '1 day'
        order by f.started
        limit 1) n on true
 where c.started >= now() - interval '30 days'
   and c.hint_ids <> '{}'
 group by rule;

comment on view hint_outcomes is
    'Does a hint help? What the next call of the same chat did, over the last 30 days.';
comment on column hint_outcomes.rule is 'the hint''s rule';
comment on column hint_outcomes.fired is 'answers that carried it';
comment on column hint_outcomes.repeated is 'the next call was the very same call';
comment on column hint_outcomes.failed_same_way is 'the next call failed and got the same hint';
comment on column hint_outcomes.succeeded is 'the next call ended ok';
comment on column hint_outcomes.no_next_call is 'no other call within a day';
