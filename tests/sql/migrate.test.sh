#!/bin/sh
# migrate.sh repeated, failing, out of step, twice at once, after a restore. Run by run.sh.
set -u

count=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bt-migrate.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# ok DESCRIPTION COMMAND...: the command succeeds.
ok() {
    count=$((count + 1))
    what=$1
    shift
    if "$@" >"$scratch/ok.log" 2>&1; then
        echo "ok $count - $what"
    else
        echo "not ok $count - $what"
        sed 's/^/# /' "$scratch/ok.log"
    fi
}
# is DESCRIPTION HAVE WANT
is() {
    count=$((count + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $count - $1"
    else
        printf 'not ok %s - %s\n# have: %s\n# want: %s\n' "$count" "$1" "$2" "$3"
    fi
}
sql() {
    psql -X -q -A -t -v ON_ERROR_STOP=1 -c "$1" 2>&1
}
# refused DESCRIPTION WORDS [VAR=VALUE...]: migrate.sh fails, says WORDS, changes nothing.
refused() {
    what=$1 words=$2
    shift 2
    dump "$scratch/before"
    if env "$@" "$MIGRATE" >"$scratch/out" 2>&1; then
        is "$what" "success" "failure"
    else
        ok "$what" grep -q -- "$words" "$scratch/out"
    fi
    dump "$scratch/after"
    ok "$what, and nothing is changed" cmp "$scratch/before" "$scratch/after"
}
# The schema and the list of migrations; newer pg_dump print a random \restrict key.
dump() {
    pg_dump -s | grep -v -E '^\\(un)?restrict ' >"$1"
    sql 'select version, name, sha256, applied_at from backtalk.schema_version order by 1' >>"$1"
}
copy() {
    rm -rf "$scratch/sql"
    cp -R "$(dirname "$MIGRATE")" "$scratch/sql"
}

for option in --help --version; do
    ok "$option succeeds" "$MIGRATE" $option
done
"$MIGRATE" --nonsense >/dev/null 2>&1
is "an unknown option is refused" $? 2

files=$(find "$(dirname "$MIGRATE")/migrations" -name '[0-9]*.sql' | wc -l)
newest=$(find "$(dirname "$MIGRATE")/migrations" -name '[0-9]*.sql' -printf '%f\n' | sort | sed -n '$s/^0*\([0-9]*\)_.*/\1/p')
is "all migrations are recorded, once" "$(sql 'select count(*), max(version) from backtalk.schema_version')" \
    "$files|$newest"
dump "$scratch/before"
ok "there is something to compare" grep -q 'CREATE TABLE backtalk.call ' "$scratch/before"
ok "repeated, it succeeds" "$MIGRATE"
dump "$scratch/after"
ok "and changes nothing" cmp "$scratch/before" "$scratch/after"
copy
ok "it finds its files by BACKTALK_SQL_DIR" env BACKTALK_SQL_DIR="$scratch/sql" "$MIGRATE"
mv "$scratch/sql" "$scratch/an odd 'name"
ok "in a folder with an odd name" env BACKTALK_SQL_DIR="$scratch/an odd 'name" "$MIGRATE"
refused "an empty folder is refused" "no grants.sql" BACKTALK_SQL_DIR="$scratch"
refused "no server: refused" "failed" PGHOST="$scratch"

sql "insert into backtalk.schema_version values (9999, 'future', 'x')"
refused "a newer schema is refused" "the schema is at version 9999, these files end at $newest"
sql "delete from backtalk.schema_version where version = 9999"

copy
echo '-- a late thought' >>"$scratch/sql/migrations/0001_record.sql"
refused "a changed migration is refused" "0001_record.sql was applied and reads differently now" \
    BACKTALK_SQL_DIR="$scratch/sql"

# A migration more: it fails, then it is mended and applied by the owner, who is no superuser.
copy
next=$(printf '%04d' $((newest + 1)))
printf 'create table extra (id int);\nselect 1 / 0;\n' >"$scratch/sql/migrations/${next}_extra.sql"
refused "a failing migration is refused" "division by zero" BACKTALK_SQL_DIR="$scratch/sql"
printf 'create table extra (id int);\n' >"$scratch/sql/migrations/${next}_extra.sql"
echo 'create function broken() returns int language plpgsql as $$ begin retrun 1; end $$;' \
    >"$scratch/sql/functions/broken.sql"
echo 'no sql at all' >>"$scratch/sql/views/calls.sql"
env BACKTALK_SQL_DIR="$scratch/sql" "$MIGRATE" >/dev/null 2>&1
is "broken files: the functions stay as they were" \
    "$(sql "select count(*) from pg_proc where proname in ('call_begin', 'broken')")" 1
rm "$scratch/sql/functions/broken.sql"
cp "$(dirname "$MIGRATE")/views/calls.sql" "$scratch/sql/views/calls.sql"
ok "mended, it is applied by the owner" env PGUSER=backtalk BACKTALK_SQL_DIR="$scratch/sql" "$MIGRATE"
is "its table belongs to the owner" \
    "$(sql "select tableowner from pg_tables where tablename = 'extra'")" backtalk
refused "the older files are refused now" "use newer files"

# Two at once, on a database that has nothing yet.
createdb twice
PGDATABASE=twice "$MIGRATE" >"$scratch/one" 2>&1 &
one=$!
PGDATABASE=twice "$MIGRATE" >"$scratch/two" 2>&1 &
two=$!
ok "two at once: the one succeeds" wait "$one"
ok "two at once: the other succeeds" wait "$two"
is "two at once: all is there once" \
    "$(PGDATABASE=twice sql 'select count(*) from backtalk.schema_version')" "$files"

# An upgrade with data in it: the schema of the first version, a household's rows, then all of today.
createdb upgraded
copy
rm -f "$scratch"/sql/migrations/* "$scratch"/sql/functions/* "$scratch"/sql/views/*
cp "$(dirname "$MIGRATE")/migrations/0001_record.sql" "$scratch/sql/migrations"
cp "$(dirname "$MIGRATE")/functions/partition_of.sql" "$scratch/sql/functions"
echo 'select 1 \g /dev/null' | tee "$scratch/sql/grants.sql" >"$scratch/sql/views/none.sql"
ok "the first version" env PGDATABASE=upgraded BACKTALK_SQL_DIR="$scratch/sql" "$MIGRATE"
PGDATABASE=upgraded sql "
    insert into backtalk.member (name) values ('alice');
    insert into backtalk.api_key (member_id, label, key_sha256) values (1, 'laptop', sha256('old key'));
    insert into backtalk.sandbox (member_id, conversation, container, state, stopped_at, stop_reason, size_bytes)
        values (1, 'chat', 'bt-old', 'stopped', now() - interval '1 hour', 'idle', 5);
    insert into backtalk.call (started, member_id, key_id, sandbox_id, conversation, tool, arguments, command, nonce)
        select now() - n * interval '1 second', 1, 1, 1, 'chat', 'run', '{}', 'call ' || n, n
          from generate_series(1, 2000) n;
    insert into backtalk.eviction (member_id, container, action, reason) values (1, 'bt-old', 'stopped', 'idle');
    insert into backtalk.hint_switch (rule, why) values ('apt-missing', 'trial')"
before=$(PGDATABASE=upgraded sql "select md5(string_agg(c::text, '' order by id)) from backtalk.call c")
salt=$(PGDATABASE=upgraded sql "select value from backtalk.setting where name = 'instance_salt'")
ok "and all of today on top of it" env PGDATABASE=upgraded "$MIGRATE"
is "upgraded: every call is as it was" \
    "$(PGDATABASE=upgraded sql "select md5(string_agg(c::text, '' order by id)) from backtalk.call c")" "$before"
is "upgraded: containers keep their names" \
    "$(PGDATABASE=upgraded sql "select value from backtalk.setting where name = 'instance_salt'")" "$salt"
is "upgraded: its machine goes on" "$(PGDATABASE=upgraded PGUSER=backtalk_worker sql "
    select status, container, sandbox_state, stop_reason from backtalk.call_begin(sha256('old key'), null, 'chat',
        'run', '{}', 'true', 1, null, null, null, 0)")" "ok|bt-old|stopped|idle"
is "upgraded: the views show it" "$(PGDATABASE=upgraded sql "
    select (select count(*) from backtalk.calls) || ' ' || (select count(*) from backtalk.evictions) || ' '
           || (select kept_bytes from backtalk.health)")" "2001 1 5"
ok "upgraded again, it changes nothing" env PGDATABASE=upgraded "$MIGRATE"

# A restore of a backup: members, keys and container names are the same.
export PGDATABASE=twice
begin() {
    sql "select container, coalesce(previous_outcome, 'none')
           from backtalk.call_begin(sha256('$key'), null, '$1', 'run', '{}', 'true', 1, null, null,
                                    null, 0)"
}
sql "select backtalk.new_member('alice')" >/dev/null
key=$(sql "select backtalk.new_key('alice', 'laptop')")
pg_dump >"$scratch/backup"
first=$(begin chat)
is "a first call" "$first" "${first%|*}|none"
pg_dump >"$scratch/later"
createdb restored
PGDATABASE=restored sql "drop schema public" >/dev/null
ok "a backup is restored" psql -X -q -v ON_ERROR_STOP=1 -d restored -f "$scratch/later"
ok "and migrated" env PGDATABASE=restored "$MIGRATE"
is "restored: the same container, and the open call is reported" "$(PGDATABASE=restored begin chat)" \
    "${first%|*}|lost"
is "restored: the worker may still call" \
    "$(PGDATABASE=restored PGUSER=backtalk_worker sql "select backtalk.key_check(sha256('$key'))")" t
createdb older
PGDATABASE=older sql "drop schema public" >/dev/null
ok "a backup from before the chat is restored" psql -X -q -v ON_ERROR_STOP=1 -d older -f "$scratch/backup"
is "restored: the same container although the record does not know it" \
    "$(PGDATABASE=older begin chat)" "$first"
createdb another
ok "another instance in the same cluster" env PGDATABASE=another "$MIGRATE"
PGDATABASE=another sql "select backtalk.new_member('alice')" >/dev/null
key=$(PGDATABASE=another sql "select backtalk.new_key('alice', 'laptop')")
other=$(PGDATABASE=another begin chat)
ok "has container names of its own" [ "${other%|*}" != "${first%|*}" ]

# Purging.
key=$(sql "select backtalk.new_key('alice', 'second')")
sql "select backtalk.new_member('bob')" >/dev/null
is "purge_member returns the containers that may be left" \
    "$(sql "select backtalk.purge_member('alice')")" "${first%|*}"
is "and leaves nothing of the member" \
    "$(sql "select (select count(*) from backtalk.member) || ' ' || (select count(*) from backtalk.api_key)
            || ' ' || (select count(*) from backtalk.sandbox) || ' ' || (select count(*) from backtalk.call)
            || ' ' || (select count(*) from backtalk.pending)")" "1 0 0 0 0"
is "its key is none any more" "$(sql "select backtalk.key_check(sha256('$key'))")" f

for database in upgraded twice restored older another; do
    dropdb "$database"
done
echo "1..$count"
