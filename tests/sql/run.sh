#!/bin/sh
# run.sh - tests of the record: run.sh [FILE...], all *.sql and *.test.sh here by default.
#
# Makes a PostgreSQL cluster of its own on a Unix socket, with Backtalk's schema as a template
# database; each FILE gets a fresh copy of it. Writes one TAP stream. A FILE.sql is run by psql with
# pgTAP; a FILE.test.sh by sh, with PGHOST, PGPORT, PGUSER, PGDATABASE, and MIGRATE: migrate.sh.
# BACKTALK_TEST_KEEP=1 leaves the cluster's files (not its processes) behind and says where.
set -eu

here=$(cd -- "$(dirname -- "$0")" && pwd)
sql=${BACKTALK_SQL_DIR:-$here/../../sql}
export MIGRATE="$sql/migrate.sh"

bail() {
    echo "Bail out! $*"
    exit 1
}

bindir=
for dir in "$(pg_config --bindir 2>/dev/null || true)" /usr/lib/postgresql/*/bin; do
    [ -x "$dir/initdb" ] && bindir=$dir
done
[ -n "$bindir" ] || bail "no initdb: install the PostgreSQL server (apt-get install postgresql)"

work=$(mktemp -d "${TMPDIR:-/tmp}/bt-sql.XXXXXX")
if [ "$(id -u)" = 0 ]; then
    chown postgres "$work"
    as() { (cd / && runuser -u postgres -- "$@"); }
else
    as() { "$@"; }
fi

stop() {
    as "$bindir/pg_ctl" -D "$work/data" -m immediate -s stop >/dev/null 2>&1 || true
    if [ -n "${BACKTALK_TEST_KEEP-}" ]; then
        echo "# the cluster's files: $work"
    else
        rm -rf "$work"
    fi
}
trap stop EXIT
trap 'exit 1' INT TERM

as "$bindir/initdb" -D "$work/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >"$work/initdb.log" \
    2>&1 || bail "initdb failed: $(tail -n 1 "$work/initdb.log")"
as tee -a "$work/data/postgresql.conf" >/dev/null <<END
listen_addresses = ''
unix_socket_directories = '$work'
max_connections = 120
timezone = 'UTC'
fsync = off
END
as "$bindir/pg_ctl" -D "$work/data" -l "$work/log" -s -w start ||
    bail "the server does not start: $(tail -n 1 "$work/log")"

export PGHOST="$work" PGPORT=5432 PGUSER=postgres PGDATABASE=template_bt PGOPTIONS=
unset PGPASSWORD PGSERVICE PGSERVICEFILE PGSYSCONFDIR || true
"$bindir/createdb" template_bt
"$MIGRATE" >"$work/migrate.log" 2>&1 || bail "migrate.sh failed: $(tail -n 1 "$work/migrate.log")"
"$bindir/psql" -X -q -v ON_ERROR_STOP=1 -f "$here/lib.psql" >"$work/lib.log" 2>&1 ||
    bail "lib.psql failed (is pgTAP installed?): $(tail -n 1 "$work/lib.log")"

# One file's TAP becomes part of the stream: numbered on, its plan compared with what came.
merge() {
    awk -v file="$1" -v from="$2" -v status_file="$3" '
        function result(state, text) {
            total++
            print state " " (from + total) " - " file ": " text
        }
        /^1\.\.[0-9]+$/ { plan = substr($0, 4) + 0; planned = 1; next }
        /^(not )?ok( |$)/ {
            state = /^not/ ? "not ok" : "ok"
            sub(/^(not )?ok *[0-9]* *-? */, "")
            seen++
            result(state, $0)
            next
        }
        /^#/ { print; next }
        /[^ ]/ { print "# " $0 }
        END {
            getline status <status_file
            if (status != 0)
                result("not ok", "runs to its end (exit status " status ")")
            if (!planned || plan != seen)
                result("not ok", "runs the " plan " tests it planned, not " seen + 0)
            print total + 0 >(status_file ".total")
        }'
}

[ $# -gt 0 ] || set -- "$here"/*.sql "$here"/*.test.sh
number=0
total=0
for file in "$@"; do
    number=$((number + 1))
    name=$(basename -- "$file")
    export PGDATABASE="bt_$number"
    "$bindir/createdb" -T template_bt "$PGDATABASE"
    "$MIGRATE" >"$work/migrate.log" 2>&1 || bail "migrate.sh failed: $(tail -n 1 "$work/migrate.log")"
    {
        code=0
        case $name in
        *.sql) "$bindir/psql" -X -q -A -t -v ON_ERROR_STOP=1 -f "$file" 2>&1 || code=$? ;;
        *) PATH="$bindir:$PATH" sh "$file" 2>&1 || code=$? ;;
        esac
        echo "$code" >"$work/status"
    } | merge "$name" "$total" "$work/status" >"$work/tap"
    cat "$work/tap"
    total=$((total + $(cat "$work/status.total")))
    cat "$work/tap" >>"$work/all"
done
echo "1..$total"
! grep -q '^not ok' "$work/all"
