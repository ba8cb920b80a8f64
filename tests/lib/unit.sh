#!/bin/bash
# unit.sh BUILDS - `make check` with AddressSanitizer and UndefinedBehaviorSanitizer in BUILDS/unit,
# its results as one TAP stream.
set -u
# shellcheck source-path=SCRIPTDIR source=build-common.sh
. "$(dirname "$0")/build-common.sh"
dir=$1/unit
number=0 failed=0
if ! build_in "$dir" --enable-werror --with-sanitizer=address,undefined; then
    echo "not ok 1 - builds with sanitizers"
    echo "1..1"
    exit 1
fi
find "$dir/tests" \( -name '*.trs' -o -name '*.log' \) -delete
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 ASAN_OPTIONS=detect_leaks=1
make -C "$dir" -j"$(nproc)" -k check >"$dir/check.out" 2>&1 || failed=1
# automake's TAP driver writes "RESULT: PROGRAM N - WHAT" into a program's log.
while IFS= read -r file; do
    program=${file#"$dir/"}
    program=${program%.trs}
    any=0
    while read -r result _ text; do
        number=$((number + 1)) any=1
        case $result in
            PASS:) echo "ok $number - $program $text" ;;
            SKIP:) echo "ok $number - $program $text # SKIP" ;;
            *) echo "not ok $number - $program $result $text" ;;
        esac
    done < <(grep -aE "^(PASS|SKIP|FAIL|ERROR|XFAIL|XPASS): $program(\.sh)? " "${file%.trs}.log")
    if ! grep -q '^:global-test-result: PASS' "$file"; then
        tail -n 12 "${file%.trs}.log" | sed 's/^/# /'
    elif [ $any = 0 ]; then
        echo "not ok $((number += 1)) - $program says nothing"
    fi
done < <(find "$dir/tests" -name '*.trs' | sort)
if [ $failed = 1 ]; then
    echo "not ok $((number += 1)) - make check"
    tail -n 12 "$dir/check.out" | sed 's/^/# /'
fi
echo "1..$number"
exit $failed
