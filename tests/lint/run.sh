#!/bin/bash
# run.sh [BUILD] - all lints as TAP. BUILD: a folder for a configured tree (analyse.sh needs config.h).
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../var/tests/builds/lint}
export SRCDIR=$here/../..
failed=0
# shellcheck source-path=SCRIPTDIR source=../lib/build-common.sh
. "$here/../lib/build-common.sh"
echo "TAP version 13"
"$here/layers.sh" || failed=1
echo "TAP version 13"
"$here/texts.sh" || failed=1
echo "TAP version 13"
if { ! configure_outdated || run_autogen; } >&2 && configure_in "$build" >&2; then
    "$here/analyse.sh" "$build" || failed=1
else
    echo "not ok 1 - configure"
    echo "1..1"
fi
exit $failed
