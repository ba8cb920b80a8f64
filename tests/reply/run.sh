#!/bin/sh
# run.sh [NAME...] - drives backtalk-reply of a running stack before a scripted model server; TAP on
# stdout. NAME: cases, bytes, ... (all when none is given). The stack is the one the environment
# describes; BACKTALK_UPSTREAM is where it expects the model server (README.md).
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BACKTALK_URL:?load the var/backtalk.env of a running stack first}"
: "${BACKTALK_UPSTREAM:?the stack must have been started with it}"
node=$("$here/../e2e/lib/node.sh") || exit 1

# A copy of the lock file beside what was installed from it says when it is out of date.
if ! cmp -s "$here/package-lock.json" "$here/node_modules/.installed-from"; then
    echo "installing the chat API's client (about 50 MB, once)" >&2
    (cd "$here" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2) || exit 1
    cp "$here/package-lock.json" "$here/node_modules/.installed-from"
fi

[ $# -gt 0 ] || set -- cases bytes pass outage clients
files=
for name in "$@"; do
    files="$files $here/$name.test.mjs"
done
# shellcheck disable=SC2086 # the names are words of our own
exec "$node" --test --test-concurrency=1 --test-reporter=tap --test-timeout=600000 $files
