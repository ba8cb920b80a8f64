#!/bin/sh
# run.sh [NAME...] - the janitor against a running stack; TAP on stdout. The stack is the one the
# environment describes (../e2e/README.md); its own janitor is ended, and all its machines are removed.
# NAME: limits, back, crash, many (all when none is given). Needs root, to be the janitor's user.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BACKTALK_URL:?load the var/backtalk.env of a running stack first}"
: "${BACKTALK_FCGI:?must be the stack\'s backtalk-fcgi, beside which its janitor is}"
node=$("$here/../e2e/lib/node.sh") || exit 1

[ $# -gt 0 ] || set -- limits back crash many
files=
for name in "$@"; do
    files="$files $here/$name.test.mjs"
done
# shellcheck disable=SC2086 # the names are words of our own
exec "$node" --test --test-concurrency=1 --test-reporter=tap --test-timeout=600000 $files
