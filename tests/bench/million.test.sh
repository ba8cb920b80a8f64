#!/bin/sh
# million.test.sh - the record with a million calls: tests/sql/run.sh tests/bench/million.test.sh
# Each view as the operator asks it, and call_begin / call_end on top. Prints milliseconds; the tests
# are that every question is answered.
# BACKTALK_CALLS: how many calls (1000000).
set -u

calls=${BACKTALK_CALLS:-1000000}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bt-million.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
count=0
sql() {
    psql -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"
}

# Half a year of a household: 20 members, 2,000 chats, nine calls of ten of them run, one in ten a hint.
sql "select backtalk.new_member('member-' || n) from generate_series(1, 20) n" >/dev/null
key=$(sql "select backtalk.new_key('member-1', 'laptop')")
sql "select backtalk.partition_of(now() - n * interval '1 month') from generate_series(0, 7) n" >/dev/null
sql "insert into backtalk.call (started, ended, member_id, key_id, sandbox_id, conversation, tool, arguments,
         command, nonce, client, outcome, exit_code, duration_ms, hint_ids, verdict, sent, delivered)
     select at, at + interval '1 s', 1 + chat % 20, 1, chat, 'chat-' || chat,
            case when n % 10 < 5 then 'run' when n % 10 < 8 then 'run_code' else 'write_file' end,
            '{\"command\":\"make check 2>&1 | tail -n ' || n % 90 || '\"}', 'make check ' || n % 90, n, 'bench',
            case when n % 5 = 0 then 'failed' else 'ok' end, case when n % 5 = 0 then 1 else 0 end,
            n * 7919 % 3000, case when n % 10 = 0 then array['rule-' || n % 40] else '{}' end,
            case n % 6 when 0 then 'pass' when 1 then 'fail' end, repeat('a line of output ', 20), true
       from (select n, n * 48271 % 2000 as chat,
                    now() - interval '180 days' + n * (interval '180 days' / $calls) as at
               from generate_series(1, $calls) n) g"
sql "insert into backtalk.sandbox (member_id, conversation, container, state, stopped_at, size_bytes)
     select 1 + n % 20, 'chat-' || n, 'bt-' || n, 'stopped', now(), n * 100000 from generate_series(0, 499) n"
psql -X -q -c 'vacuum analyze'
echo "# $calls calls, $(sql 'select pg_size_pretty(pg_database_size(current_database()))')"

# view WHAT QUERY: the best of three
view() {
    count=$((count + 1))
    {
        echo 'set role backtalk_auditor;'
        for _ in 1 2 3; do
            echo "explain (analyze, buffers, format json) $2;"
        done
    } | psql -X -q -A -t -v ON_ERROR_STOP=1 -f - >"$scratch/plan" 2>"$scratch/err" || {
        echo "not ok $count - $1"
        sed 's/^/# /' "$scratch/err"
        return
    }
    echo "ok $count - $1"
    grep -o '"Execution Time": [0-9.]*' "$scratch/plan" | sort -t: -k2 -n |
        awk -v what="$1" 'NR == 1 { printf "# %8.1f ms  %s\n", $3, what }'
}

view "health" "select * from backtalk.health"
view "sandboxes, the largest" "select * from backtalk.sandboxes where removed_at is null order by size_bytes desc limit 20"
view "calls, the last failures" "select * from backtalk.calls where started >= now() - interval '1 day'
    and outcome <> 'ok' order by started desc limit 20"
view "calls, one by its number" "select * from backtalk.calls where id = 500000"
view "transcript of a chat" "select * from backtalk.transcript where conversation = 'chat-77' order by call_id"
view "activity_hourly, a day" "select * from backtalk.activity_hourly where hour >= now() - interval '1 day'"
view "activity_hourly, two weeks" "select * from backtalk.activity_hourly where hour >= now() - interval '14 days'"
view "hint_outcomes" "select * from backtalk.hint_outcomes"
view "members_usage" "select * from backtalk.members_usage"
view "last_programs, untested" "select * from backtalk.last_programs where tested = 'untested' order by started desc limit 20"
view "honesty" "select * from backtalk.honesty"
view "evictions" "select * from backtalk.evictions order by id desc limit 20"

cat >"$scratch/call.sql" <<END
select call_id from backtalk.call_begin(sha256('$key'), null, 'chat-' || :client_id, 'run',
    '{"command":"make check"}', 'make check', 12345, 'pgbench', 'session', '1', 1000) \gset
select backtalk.call_end(:call_id, 'ok', 0, -1, 12, 5000000, 4000, 0, 0, null, '{}',
    repeat('a line of output ', 60), false, 'running', 'sandbox', null, null, null, null);
select backtalk.call_delivered(:call_id, true);
END
count=$((count + 1))
if (cd "$scratch" && exec pgbench -U backtalk_worker -n -M prepared -r -t 300 -c 1 -f call.sql) >"$scratch/out" 2>&1; then
    echo "ok $count - calls on top of them"
    sed -n 's/^ *\([0-9.]*\) .*backtalk\.\(call_[a-z]*\)(.*/# \1 ms  \2, on average/p' "$scratch/out"
else
    echo "not ok $count - calls on top of them"
    sed 's/^/# /' "$scratch/out"
fi
echo "1..$count"
