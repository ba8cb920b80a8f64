#!/bin/sh
# The questions of sql/README.md, its panels and dashboard.sql: each is answered, for an auditor and
# for a member. Run by run.sh.
set -u

here=$(dirname "$MIGRATE")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bt-questions.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
count=0

# answered WHAT ROLE FILE
answered() {
    count=$((count + 1))
    if { echo "set role $2;" && cat "$3"; } | psql -X -q -v ON_ERROR_STOP=1 -f - >"$scratch/out" 2>&1; then
        echo "ok $count - $1, as $2"
    else
        echo "not ok $count - $1, as $2"
        sed 's/^/# /' "$scratch/out"
    fi
}

# A block of SQL is a question; a row of the last table with SELECT in it a panel.
awk -v dir="$scratch" '
    /^\*\*[0-9]+\./ { n = $1; gsub(/[^0-9]/, "", n) }
    /^```sql$/ { file = dir "/question-" n ".sql"; next }
    /^```/ { file = ""; next }
    file { print >file }
    /^\| .*\| `select / {
        sub(/^[^`]*`/, ""); sub(/` \|$/, "")
        gsub(/\$__timeFilter\(/, "(now() - interval @1 day@ <= "); gsub(/@/, "\047")
        print $0 ";" >(dir "/panel-" ++panels ".sql")
    }' "$here/README.md"
cp "$here/dashboard.sql" "$scratch/dashboard.sql"

for role in backtalk_auditor backtalk_member; do
    for file in "$scratch"/question-*.sql "$scratch"/panel-*.sql "$scratch/dashboard.sql"; do
        answered "$(basename "$file" .sql)" $role "$file"
    done
done
count=$((count + 1))
questions=$(find "$scratch" -name 'question-*.sql' | wc -l) panels=$(find "$scratch" -name 'panel-*.sql' | wc -l)
[ "$questions" = 10 ] && [ "$panels" -ge 10 ] || printf 'not '
echo "ok $count - ten questions and the panels were found ($questions, $panels)"
echo "1..$count"
