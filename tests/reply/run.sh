#!/bin/sh
# run.sh [NAME...] - drives backtalk-reply of a running stack before a scripted model server; TAP on
# stdout. NAME: cases, bytes, ... (all when none is given). The stack is the one the environment
# describes; BACKTALK_UPSTREAM is where it expects the model server (README.md).
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BACKTALK_URL:?load the var/backtalk.env of a running stack first}"
: "${BACKTALK_UPSTREAM:?the stack must have been started with it}"
node=$("$here/../e2e/lib/node.sh") || exit 1

[ $# -gt 0 ] || set -- cases bytes pass
files=
for name in "$@"; do
    files="$files $here/$name.test.mjs"
done
# shellcheck disable=SC2086 # the names are words of our own
exec "$node" --test --test-concurrency=1 --test-reporter=tap --test-timeout=600000 $files
