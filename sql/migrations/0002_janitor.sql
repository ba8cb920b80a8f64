-- What the janitor needs to know of a sandbox from pass to pass, and what it says of itself.

alter table sandbox
    add column remove_limit bigint,
    add column remove_asked text not null default '' check (remove_asked in ('', 'operator')),
    add column stop_running text not null default '',
    add column sized_at timestamptz,
    add column worked_at timestamptz,
    add column cpu_ns bigint,
    add column cpu_at timestamptz,
    add column image_old boolean not null default false,
    add column image_told boolean not null default false;
create index sandbox_container on sandbox (container, id);

create table stray (
    container text primary key,
    member_label text not null default '',
    reason text not null default 'unknown' check (reason in ('unknown', 'purged')),
    seen_at timestamptz not null default now(),
    size_bytes bigint,
    sized_at timestamptz
);
comment on table stray is
    'One row: a container that no sandbox explains; kept as long as an unused one, purged: removed.';
alter table stray enable row level security;
create policy all_rows on stray for select to backtalk_viewer
    using ((select pg_has_role(current_user, 'backtalk_auditor', 'usage')));

create table janitor_state (
    one boolean primary key default true check (one),
    began_at timestamptz not null default now(),
    ended_at timestamptz,
    ok_at timestamptz,
    says text not null default '',
    took_ms bigint,
    machines int,
    done int,
    failed int
);
comment on table janitor_state is 'One row: what the janitor said of its last pass.';

update setting
   set about = 'disk a sandbox may use; the janitor writes BACKTALK_DISK_MIB here'
 where name = 'disk_limit_bytes';
