#!/bin/sh
# run.sh [NAME...] - breaks parts beside a running stack and watches what a chat is told; TAP on
# stdout. The stack is the one the environment describes (../e2e/README.md). Needs root when the
# stack runs under other users.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BACKTALK_URL:?load the var/backtalk.env of a running stack first}"
node=$("$here/../e2e/lib/node.sh") || exit 1

[ $# -gt 0 ] || set -- outage kill
files=
for name in "$@"; do
    files="$files $here/$name.test.mjs"
done

failed=0
# shellcheck disable=SC2086 # the names are words of our own
"$node" --test --test-concurrency=1 --test-reporter=tap --test-timeout=600000 $files || failed=1
"$node" --test --test-reporter=tap "$here/record.test.mjs" || failed=1
exit $failed
