#!/bin/sh
# run.sh [SECONDS [CHATS]] - chats at mixed work beside a running stack while parts fail at random; TAP.
# 1800 seconds and 50 chats unless said otherwise. The stack is the one the environment describes
# (../e2e/README.md). Needs root.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BACKTALK_URL:?load the var/backtalk.env of a running stack first}"
node=$("$here/../e2e/lib/node.sh") || exit 1
exec env SOAK_S="${1:-1800}" SOAK_CHATS="${2:-50}" \
    "$node" --test --test-reporter=tap "$here/soak.test.mjs"
