#!/bin/bash
# run.sh [BUILD] - all lints as TAP. BUILD: a folder for a configured tree (analyse.sh needs config.h).
set -u
lint=$(cd "$(dirname "$0")" && pwd)
build=${1:-$lint/../../var/tests/builds/lint}
export SRCDIR=$lint/../..
failed=0
# shellcheck source-path=SCRIPTDIR source=../lib/build-common.sh
. "$lint/../lib/build-common.sh"
echo "TAP version 13"
"$lint/layers.sh" || failed=1
echo "TAP version 13"
"$lint/texts.sh" || failed=1
echo "TAP version 13"
if { ! configure_outdated || run_autogen; } >&2 && configure_in "$build" >&2; then
    "$lint/analyse.sh" "$build" || failed=1
else
    echo "not ok 1 - configure"
    echo "1..1"
fi
exit $failed
