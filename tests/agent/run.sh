#!/bin/sh
# Runs every test of this folder, or those named; fails when one fails.
#   tests/agent/run.sh [NAME.t ...]
set -u
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- "$here"/*.t
failed=0
for t in "$@"; do
    case $t in
    /*) ;;
    *) t=$here/$(basename "$t") ;;
    esac
    printf "TAP version 13\n# %s\n" "$(basename "$t")"
    "$t" || failed=1
done
exit $failed
