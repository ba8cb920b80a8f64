#!/bin/sh
# What the record costs a call: call_begin, call_end and call_delivered under pgbench, with fsync
# on. The figures are diagnostics; the tests are that nothing failed and that
# closing a call moves no row. Run by run.sh. BACKTALK_COST_S: seconds per run (default 3).
set -u

seconds=${BACKTALK_COST_S:-3}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/bt-cost.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
sql() {
    psql -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"
}

sql "alter system set fsync = on" && sql "select pg_reload_conf()" >/dev/null
sql "select backtalk.new_member('alice')" >/dev/null
sql "select backtalk.set_limits('alice', 100, 100, null)" >/dev/null
key=$(sql "select backtalk.new_key('alice', 'laptop')")
cat >"$scratch/call.sql" <<END
select call_id from backtalk.call_begin(sha256('$key'), null, 'chat-' || :client_id, 'run',
    '{"command":"make check 2>&1 | tail -n 20"}', 'make check', 12345, 'pgbench',
    'session', '1', 1000) \gset
select backtalk.call_end(:call_id, 'ok', 0, -1, 12, 5000000, 4000, 0, 0, null, '{}',
    repeat('a line of output ', 60), false, 'running', 'sandbox', null, null, null, null);
select backtalk.call_delivered(:call_id, true);
END

number=0
for clients in 1 8; do
    number=$((number + 1))
    rm -f "$scratch"/log*
    if (cd "$scratch" && exec pgbench -U backtalk_worker -n -M extended -r -l -c $clients -j 1 \
        -T "$seconds" -f call.sql) >"$scratch/out" 2>&1 && ! grep -q -i error "$scratch/out"; then
        echo "ok $number - $clients chats at once"
    else
        echo "not ok $number - $clients chats at once"
        head -n 20 "$scratch/out" | sed 's/^/# /'
    fi
    cat "$scratch"/pgbench_log.* | awk '{ print $3 }' | sort -n >"$scratch/us"
    rm -f "$scratch"/pgbench_log.*
    n=$(wc -l <"$scratch/us")
    awk -v n="$n" -v c=$clients '
        NR == int(n / 2) + 1 { median = $1 }
        NR == int(n * 0.99) + 1 { p99 = $1 }
        END {
            printf "# %s at once: %s calls, all three statements: ", c, n
            printf "median %.2f ms, p99 %.2f ms\n", median / 1000, p99 / 1000
        }' "$scratch/us"
    awk '/call_begin|call_end|call_delivered/ { sub(/\(.*/, ""); print "#   average ms: " $0 }' "$scratch/out"
done

number=$((number + 1))
moved=$(sql "select 'few'
               from pg_stat_user_tables u where u.relname like 'call\_y%' and u.n_tup_upd > 100
             having sum(u.n_tup_hot_upd) >= 0.9 * sum(u.n_tup_upd)")
if [ -n "$moved" ]; then
    echo "ok $number - closing a call moves no row"
else
    echo "not ok $number - closing a call moves no row"
    sql "select '# ' || relname || ': ' || n_tup_upd || ' updates, ' || n_tup_hot_upd || ' in place'
           from pg_stat_user_tables where relname like 'call\_y%'"
fi
sql "alter system reset fsync" && sql "select pg_reload_conf()" >/dev/null
echo "1..$number"
