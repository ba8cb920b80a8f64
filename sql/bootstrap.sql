-- What has to be there before the first migration: roles, schema, the list of migrations.
-- Roles belong to the whole cluster; the ones that exist are left as they are.

do $$
begin
    if to_regrole('backtalk') is null then
        create role backtalk login;
    end if;
    if to_regrole('backtalk_worker') is null then
        create role backtalk_worker login;
    end if;
    if to_regrole('backtalk_janitor') is null then
        create role backtalk_janitor login;
    end if;
    if to_regrole('backtalk_reply') is null then
        create role backtalk_reply login;
    end if;
    if to_regrole('backtalk_auditor') is null then
        create role backtalk_auditor login;
        grant backtalk_auditor to backtalk;
    end if;
    if to_regrole('backtalk_member') is null then
        create role backtalk_member nologin;
    end if;
    if to_regrole('backtalk_viewer') is null then
        create role backtalk_viewer nologin;
        grant backtalk_viewer to backtalk;
    end if;
    if to_regnamespace('backtalk') is null then
        create schema backtalk authorization backtalk;
        set local role backtalk;
        create table backtalk.schema_version (
            version int primary key,
            name text not null,
            sha256 text not null,
            applied_at timestamptz not null default now()
        );
        comment on table backtalk.schema_version is 'One row: a migration that was applied.';
        reset role;
    end if;
    -- The database is Backtalk's own: its programs make no tables, not even temporary ones, and no
    -- query here is worth compiling.
    if (select pg_has_role(d.datdba, 'usage') from pg_database d
         where d.datname = current_database()) then
        execute format('revoke temporary on database %I from public', current_database());
        execute format('grant temporary on database %I to backtalk, backtalk_auditor',
                       current_database());
        execute format('alter database %I set jit = off', current_database());
    end if;
end
$$;
