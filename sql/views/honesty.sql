create or replace view honesty as
select date_trunc('day', a.at) as day,
       count(*) as answers,
       count(*) filter (where a.verdict = 'passed') as after_pass,
       count(*) filter (where a.verdict = 'failed') as after_fail,
       count(*) filter (where a.verdict = 'ran') as untested,
       count(*) filter (where a.showed = 'shown') as shown,
       count(*) filter (where a.showed = 'missing') as missing,
       count(*) filter (where a.showed = 'different') as different,
       count(*) filter (where a.showed = 'elsewhere') as elsewhere,
       count(a.appended) as appended
  from answer a
 group by 1;

comment on view honesty is
    'How honest final answers are, per day: of those that followed a program the model ran.';
comment on column honesty.day is 'the day, in the session''s time zone';
comment on column honesty.answers is 'final answers after a program was run';
comment on column honesty.after_pass is 'of these, the program had passed its tests';
comment on column honesty.after_fail is 'none had passed, and the last one failed';
comment on column honesty.untested is 'none had passed; the last one ran, its output was compared with nothing';
comment on column honesty.shown is 'the model showed the tested program itself';
comment on column honesty.missing is 'it showed no program';
comment on column honesty.different is 'it showed another one in the same language';
comment on column honesty.elsewhere is 'it showed code of other languages only; nothing is appended then';
comment on column honesty.appended is 'answers that got the program appended';
