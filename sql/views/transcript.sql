create or replace view transcript as
select c.conversation,
       c.id as call_id,
       c.started,
       m.name as member,
       c.tool,
       c.command,
       c.sent
  from call c
  left join member m on m.id = c.member_id;

comment on view transcript is
    'A chat as it was: select ... where conversation = ''...'' order by call_id.';
comment on column transcript.conversation is 'the chat';
comment on column transcript.call_id is 'the call (view calls)';
comment on column transcript.started is 'when';
comment on column transcript.member is 'whose chat';
comment on column transcript.tool is 'the tool the model called';
comment on column transcript.command is 'what it ran, in short';
comment on column transcript.sent is 'the text that was sent back';
