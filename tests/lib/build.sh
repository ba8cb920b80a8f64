#!/bin/bash
# build.sh BUILDS - the sources with each compiler and optimization, warnings being errors; gcc's
# analyzer; make distcheck, which also builds from the release archive, tests, installs and uninstalls.
set -u
# shellcheck source-path=SCRIPTDIR source=build-common.sh
. "$(dirname "$0")/build-common.sh"
builds=$1
number=0 failed=0

report()
{
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        failed=1
    fi
}

for row in "gcc -O0" "gcc -O2" "clang -O0" "clang -O2"; do
    compiler=${row% *} level=${row#* }
    CC=$compiler CFLAGS="-g $level" build_in "$builds/$compiler$level" --enable-werror
    report $? "$compiler $level -Werror"
done
# The programs only: the analyzer does not know that a failed assertion ends a test.
analyze()
{
    mkdir -p "$builds/analyzer"
    {
        CC=gcc CFLAGS="-g -O2" configure_in "$builds/analyzer" --enable-werror --enable-analyzer &&
            make -C "$builds/analyzer" -j"$(nproc)" all
    } >"$builds/analyzer/build.out" 2>&1 && return 0
    grep -E 'warning|error|Error' "$builds/analyzer/build.out" | head -n 20 | sed 's/^/# /'
    return 1
}
analyze
report $? "gcc -fanalyzer"

dir=$builds/gcc-O2
if make -C "$dir" -j"$(nproc)" distcheck >"$dir/distcheck.out" 2>&1; then
    report 0 "make distcheck"
else
    tail -n 25 "$dir/distcheck.out" | sed 's/^/# /'
    report 1 "make distcheck"
fi
echo "1..$number"
exit $failed
