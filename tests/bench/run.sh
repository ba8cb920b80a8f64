#!/bin/sh
# run.sh - all benchmarks against the running stack that the environment describes. Exit status 0
# when every goal is reached.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BACKTALK_URL:?load the var/backtalk.env of a running stack first}"
failed=0
node "$here/warm-call.mjs" "$@" || failed=1
node "$here/reply.mjs" || failed=1
node "$here/kinds.mjs" || failed=1
node "$here/memory.mjs" || failed=1
"$here/coaching.sh" || failed=1
exit $failed
