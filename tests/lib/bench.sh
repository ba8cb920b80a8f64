#!/bin/sh
# bench.sh FOLDER - the benchmarks in their short form, as TAP: a test per benchmark, its figures as
# comments, ok when it reached its goals.
set -u
number=0 failed=0
for what in "warm-call --rounds 40" memory "reply --rounds 60"; do
    number=$((number + 1))
    # shellcheck disable=SC2086 # a name and its options
    set -- "$1" $what
    if out=$(node "$1/$2.mjs" ${3+"$3"} ${4+"$4"} 2>&1); then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        failed=1
    fi
    printf '%s\n' "$out" | sed 's/^/# /'
    set -- "$1"
done
number=$((number + 1))
if out=$("$1/coaching.sh" 2>&1); then
    echo "ok $number - coaching"
else
    echo "not ok $number - coaching"
    failed=1
fi
printf '%s\n' "$out" | sed 's/^/# /'
echo "1..$number"
exit $failed
