#!/bin/sh
# run.sh [languages|habits|limits ...] - a machine as a chat gets it, through the tools of the running
# stack that the environment describes (../e2e/README.md); TAP on stdout. What is tried depends on what
# the stack's image has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BACKTALK_URL:?load the var/backtalk.env of a running stack first}"
[ $# -gt 0 ] || set -- languages habits limits
failed=0
for name in "$@"; do
    node --test --test-reporter=tap "$here/$name.test.mjs" || failed=1
done
exit $failed
