create or replace view calls as
select c.id,
       c.started,
       c.ended,
       m.name as member,
       k.label as key_label,
       c.conversation,
       c.sandbox_id,
       c.tool,
       c.command,
       c.arguments,
       c.client,
       coalesce(c.outcome, 'running') as outcome,
       c.exit_code,
       c.signal,
       c.duration_ms,
       c.peak_bytes,
       c.out_bytes,
       c.err_bytes,
       c.cut_bytes,
       c.verdict,
       c.hint_ids,
       c.changed,
       c.delivered
  from call c
  left join member m on m.id = c.member_id
  left join api_key k on k.id = c.key_id;

comment on view calls is 'The audit log: one row per tool call.';
comment on column calls.id is 'number of the call, in order of start';
comment on column calls.started is 'when it was recorded, before anything ran';
comment on column calls.ended is 'when it was closed, before its answer was sent';
comment on column calls.member is 'who called';
comment on column calls.key_label is 'with which key';
comment on column calls.conversation is 'in which chat';
comment on column calls.sandbox_id is 'on which machine (view sandboxes)';
comment on column calls.tool is 'run, run_code, write_file or reset';
comment on column calls.command is 'what it ran, in short';
comment on column calls.arguments is 'the arguments as sent, JSON';
comment on column calls.client is 'the client program''s name';
comment on column calls.outcome is
    'ok, failed, timeout, cancelled, refused, engine, lost (nobody closed it), or running';
comment on column calls.exit_code is 'exit code of the last step, if it exited';
comment on column calls.signal is 'signal that ended the last step, if one did';
comment on column calls.duration_ms is 'time in the sandbox';
comment on column calls.peak_bytes is 'most memory in use during the call';
comment on column calls.out_bytes is 'bytes printed to stdout';
comment on column calls.err_bytes is 'bytes printed to stderr';
comment on column calls.cut_bytes is 'bytes of output that the answer left out';
comment on column calls.verdict is 'pass or fail when an expected output was given';
comment on column calls.hint_ids is 'rules whose hint was in the answer';
comment on column calls.changed is 'files or packages changed';
comment on column calls.delivered is 'the answer went out to the client';
