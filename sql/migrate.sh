#!/bin/sh
# migrate.sh - brings the record of a database up to date; see --help.
set -eu

usage() {
    cat <<'END'
Usage: migrate.sh [--help | --version]

Makes or upgrades Backtalk's schema in the database that psql finds by its own environment (PGHOST,
PGPORT, PGDATABASE, PGUSER ...). Repeating it is harmless. The first time it needs a superuser (it
makes the roles backtalk, backtalk_worker, backtalk_janitor, backtalk_reply, backtalk_auditor,
backtalk_member and backtalk_viewer), and when a newer version has one more role; otherwise the role
backtalk will do.

Each migration runs once, in a transaction of its own; then functions, views and rights are made
anew in one transaction. Nothing is done to a schema that is newer than these files, or when a
migration that has been applied reads differently today.

BACKTALK_SQL_DIR  folder of migrations/, functions/, views/, grants.sql (default: beside this file)
END
}

die() {
    echo "migrate.sh: $*" >&2
    exit 1
}

dir=${BACKTALK_SQL_DIR:-$(dirname -- "$0")}
cd -- "$dir" || die "no such folder: $dir"
[ -f grants.sql ] || die "no grants.sql in $dir: set BACKTALK_SQL_DIR"
migrations=$(cd migrations && printf '%s\n' [0-9][0-9][0-9][0-9]_*.sql)
newest=$(printf '%s\n' "$migrations" | sed -n '$s/_.*//p')
newest=$((1$newest - 10000))

case ${1-} in
'') ;;
--help) usage && exit 0 ;;
--version) echo "migrate.sh (Backtalk), schema $newest" && exit 0 ;;
*) usage >&2 && exit 2 ;;
esac
command -v psql >/dev/null || die "psql is not installed"

sha256() {
    sha256sum "$1" | cut -d' ' -f1
}

# What psql is to do, as one session: it holds an advisory lock from the first to the last line.
script() {
    cat <<END
\set QUIET on
\set ON_ERROR_STOP on
set client_min_messages = warning;
select pg_advisory_lock(hashtext('backtalk'), hashtext('migrate')) \g /dev/null
create function pg_temp.refuse(why text) returns void language plpgsql as
    \$\$ begin raise exception '%', why; end \$\$;
\ir bootstrap.sql
set role backtalk;
set search_path = backtalk, pg_temp;
select pg_temp.refuse(format('the schema is at version %s, these files end at %s: use newer files',
                             max(version), $newest))
  from schema_version having max(version) > $newest \g /dev/null
END
    for file in $migrations; do
        version=$((1${file%%_*} - 10000))
        sum=$(sha256 "migrations/$file")
        cat <<END
select pg_temp.refuse('migrations/$file was applied and reads differently now')
  from schema_version where version = $version and sha256 <> '$sum' \g /dev/null
select not exists (select 1 from schema_version where version = $version) as wanted \gset
\if :wanted
\echo migrations/$file
begin;
\ir migrations/$file
insert into schema_version (version, name, sha256) values ($version, '${file%.sql}', '$sum');
commit;
\endif
END
    done
    cat <<'END'
begin;
set local check_function_bodies = off; -- they call each other
select format('drop function %s', p.oid::regprocedure)
  from pg_proc p where p.pronamespace = 'backtalk'::regnamespace \gexec
END
    for file in functions/*.sql views/*.sql; do
        echo "\\ir $file"
    done
    cat <<END
\ir grants.sql
select backtalk.partition_of(now()) \g /dev/null
commit;
\echo schema $newest
END
}

plan=$(script)
printf '%s\n' "$plan" | psql -X -q -v ON_ERROR_STOP=1 -f -
