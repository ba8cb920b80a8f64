-- Final answers that followed a program the model ran: what they showed, and what was appended.

create table answer (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    member_id bigint not null references member on delete cascade,
    conversation text,
    language text not null,
    code_sha256 bytea not null,
    verdict text not null check (verdict in ('passed', 'ran', 'failed')),
    tests_passed int not null,
    tests int not null,
    showed text not null check (showed in ('shown', 'missing', 'different', 'elsewhere')),
    appended text
);
create index answer_at on answer (at);
create index answer_member on answer (member_id, at);
comment on table answer is
    'One row: a final answer after a program was run; appended only, by reply_note.';

do $$
begin
    alter table answer alter column appended set compression lz4;
exception when feature_not_supported or invalid_parameter_value then
    null;
end
$$;

alter table answer enable row level security;
create policy own on answer for select to backtalk_viewer
    using (member_id = any (array(select m.id from member m)));

-- A program is also looked for by its text alone.
create index program_code on program (code_sha256);
