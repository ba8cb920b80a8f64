#!/bin/sh
# run.sh [NAME...] - drives a running stack with the official MCP clients; TAP on stdout. The stack
# is the one the environment describes (README.md). NAME: tools, output, stream, ... (all when none
# is given); the audit always comes last.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BACKTALK_URL:?load the var/backtalk.env of a running stack first}"
node=$("$here/lib/node.sh") || exit 1

[ $# -gt 0 ] || set -- clients inspector conformance tools output hints walk stream refusals isolation cancel
files=
for name in "$@"; do
    files="$files $here/$name.test.mjs"
done
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export BACKTALK_E2E_SEEN="$scratch/seen"

failed=0
# shellcheck disable=SC2086 # the names are words of our own
"$node" --test --test-concurrency=1 --test-reporter=tap --test-timeout=600000 $files || failed=1
"$node" --test --test-reporter=tap "$here/audit.test.mjs" || failed=1
exit $failed
