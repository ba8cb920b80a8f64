create or replace view answers as
select a.id,
       a.at,
       m.name as member,
       a.conversation,
       a.language,
       encode(a.code_sha256, 'hex') as code_sha256,
       a.verdict,
       a.tests_passed,
       a.tests,
       a.showed,
       a.appended
  from answer a
  left join member m on m.id = a.member_id;

comment on view answers is
    'Final answers that followed a program the model ran, as backtalk-reply passed them on.';
comment on column answers.id is 'number, in order';
comment on column answers.at is 'when';
comment on column answers.member is 'whose chat';
comment on column answers.conversation is 'the chat, when the client told it';
comment on column answers.language is 'of the program';
comment on column answers.code_sha256 is 'SHA-256 of the program';
comment on column answers.verdict is 'passed, ran (output not compared), failed';
comment on column answers.tests_passed is 'tests it passed in that turn';
comment on column answers.tests is 'of how many';
comment on column answers.showed is
    'what the model itself showed: shown (the tested program), missing, different, elsewhere (other languages only)';
comment on column answers.appended is 'what was appended to the answer, or NULL';
