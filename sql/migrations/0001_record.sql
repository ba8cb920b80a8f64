-- The record: members, keys, sandboxes, calls, and what is remembered of them.
-- Times are timestamptz; sizes and durations carry their unit in the name.

create table setting (
    name text primary key,
    value text not null,
    about text not null
);
comment on table setting is 'Values the functions read; change them with UPDATE as the owner.';

insert into setting (name, value, about) values
    ('instance_salt',
     encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'),
     'makes container names of this instance its own; changing it loses every sandbox'),
    ('member_calls', '8', 'calls at once of a member without a limit of its own'),
    ('member_running', '20', 'running sandboxes of a member without a limit of its own'),
    ('disk_limit_bytes', '2147483648', 'disk a sandbox may use'),
    ('retention_days', '180', 'age at which months of the call log may be dropped');

create table member (
    id bigint generated always as identity primary key,
    name text not null unique check (name <> '' and length(name) <= 300),
    login name unique,
    calls_limit int check (calls_limit between 1 and 1000),
    running_limit int check (running_limit between 1 and 10000),
    kept_limit int check (kept_limit between 1 and 100000),
    created_at timestamptz not null default now(),
    disabled_at timestamptz
);
comment on table member is 'One row: a person. NULL limits: the setting of that name, kept: none.';

create table api_key (
    id bigint generated always as identity primary key,
    key_sha256 bytea not null unique check (length(key_sha256) = 32),
    member_id bigint references member on delete cascade,
    front_end text check (front_end ~ '^[A-Za-z0-9._-]{1,64}$'),
    label text not null check (label <> '' and length(label) <= 200),
    created_at timestamptz not null default now(),
    last_used_hour timestamptz,
    revoked_at timestamptz,
    check ((member_id is null) <> (front_end is null))
);
create index api_key_member on api_key (member_id);
comment on table api_key is
    'One row: a key, its SHA-256 only, of a member or of a front end that names its users.';

create table sandbox (
    id bigint generated always as identity primary key,
    member_id bigint not null references member,
    conversation text not null,
    container text not null,
    image text not null default '',
    state text not null default 'creating'
        check (state in ('creating', 'running', 'stopped', 'removed')),
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    stopped_at timestamptz,
    stop_reason text not null default '',
    removed_at timestamptz,
    remove_reason text not null default '',
    size_bytes bigint,
    check ((state = 'removed') = (removed_at is not null))
) with (fillfactor = 80);
create unique index sandbox_live on sandbox (member_id, conversation) where removed_at is null;
create index sandbox_removed on sandbox (member_id, conversation, removed_at)
    where removed_at is not null;
comment on table sandbox is
    'One row: one machine, ever. At most one of a chat is live; removed rows explain losses later.';

-- The log. Columns that change after the insert are in no index, so closing a row moves nothing.
create sequence call_id;
create table call (
    id bigint not null default nextval('call_id'),
    started timestamptz not null,
    ended timestamptz,
    member_id bigint not null,
    key_id bigint not null,
    sandbox_id bigint not null,
    conversation text not null,
    tool text not null,
    arguments text not null,
    command text not null,
    client text,
    nonce bigint not null,
    outcome text,
    exit_code int,
    signal int,
    duration_ms bigint,
    peak_bytes bigint,
    out_bytes bigint,
    err_bytes bigint,
    cut_bytes bigint,
    verdict text,
    hint_ids text[],
    sent text,
    changed boolean,
    delivered boolean not null default false,
    hour timestamptz not null
        generated always as (date_bin('1 hour', started, '2000-01-01 00:00:00+00')) stored,
    primary key (started, id)
) partition by range (started);
create index call_chat on call (conversation, started);
create index call_member on call (member_id, started);
create index call_number on call (id);
create index call_hour on call (hour);
alter sequence call_id owned by call.id;
comment on table call is 'One row: one tool call, the audit log; a partition a month (UTC).';

create table pending (
    call_id bigint primary key,
    started timestamptz not null,
    ended timestamptz,
    lock_key bigint not null,
    member_id bigint not null,
    key_id bigint not null,
    sandbox_id bigint not null,
    command_sha256 bytea not null,
    nonce bigint not null,
    backend_pid int not null,
    session text,
    request_id text
) with (fillfactor = 50, autovacuum_vacuum_threshold = 200);
create index pending_chat on pending (lock_key);
create index pending_sandbox on pending (sandbox_id);
comment on table pending is
    'One row: a call whose answer has not reached its client: it runs, or the chat has to be told.';

create table failure (
    sandbox_id bigint not null references sandbox on delete cascade,
    command_sha256 bytea not null,
    fingerprint text not null,
    count int not null,
    primary key (sandbox_id, command_sha256)
);
comment on table failure is
    'One row: a command that failed and may be repeated; gone when something was written since.';

create table program (
    id bigint generated always as identity primary key,
    sandbox_id bigint not null references sandbox on delete cascade,
    call_id bigint not null,
    language text not null,
    code text not null,
    code_sha256 bytea not null,
    verdict text not null check (verdict in ('passed', 'ran', 'failed')),
    tested_at timestamptz not null default now()
);
create index program_sandbox on program (sandbox_id, id);
comment on table program is 'One row: a program that ran; the newest ten of a sandbox are kept.';

create table hint_switch (
    rule text primary key,
    why text not null,
    since timestamptz not null default now()
);
comment on table hint_switch is 'One row: a hint rule the operator switched off.';

create table eviction (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    member_id bigint not null,
    sandbox_id bigint,
    container text not null,
    action text not null,
    reason text not null,
    size_bytes bigint
);
create index eviction_at on eviction (at);
comment on table eviction is 'One row: what the janitor did to a sandbox, and why.';

-- Long texts: the fast compression where the server has it.
do $$
begin
    alter table call alter column arguments set compression lz4,
                     alter column sent set compression lz4;
    alter table program alter column code set compression lz4;
exception when feature_not_supported or invalid_parameter_value then
    null;
end
$$;

-- Who sees what. The views belong to backtalk_viewer, which owns no table, so these rules hold
-- for whoever asks; the functions belong to the tables' owner and are not held up by them.
alter table member enable row level security;
alter table api_key enable row level security;
alter table sandbox enable row level security;
alter table call enable row level security;
alter table pending enable row level security;
alter table program enable row level security;
alter table failure enable row level security;
alter table eviction enable row level security;

create policy own on member for select to backtalk_viewer
    using (login = current_user or (select pg_has_role(current_user, 'backtalk_auditor', 'usage')));
create policy own on api_key for select to backtalk_viewer
    using (member_id = any (array(select m.id from member m))
           or (select pg_has_role(current_user, 'backtalk_auditor', 'usage')));
create policy own on sandbox for select to backtalk_viewer
    using (member_id = any (array(select m.id from member m)));
create policy own on call for select to backtalk_viewer
    using (member_id = any (array(select m.id from member m)));
create policy own on pending for select to backtalk_viewer
    using (member_id = any (array(select m.id from member m)));
create policy own on program for select to backtalk_viewer
    using (sandbox_id in (select s.id from sandbox s));
create policy own on failure for select to backtalk_viewer
    using (sandbox_id in (select s.id from sandbox s));
create policy own on eviction for select to backtalk_viewer
    using (member_id = any (array(select m.id from member m)));
