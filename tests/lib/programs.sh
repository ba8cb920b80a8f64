#!/bin/sh
# programs.sh FOLDER - runs every *.t there (or its run.sh, when it has one), each a program that prints
# TAP, one after the other.
set -u
[ ! -x "$1/run.sh" ] || exec "$1/run.sh"
failed=0
for program in "$1"/*.t; do
    echo "# $program"
    echo "TAP version 13"
    "$program" || failed=1
done
exit $failed
