#!/bin/sh
# coaching.sh - builds coaching in the build of the running stack and runs it over tests/cases.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${BACKTALK_BUILD:-${BACKTALK_VAR:-$here/../../var}/build}
make -s -C "$build" tests/bench/coaching >/dev/null
exec "$build/tests/bench/coaching" "$here/../cases"
