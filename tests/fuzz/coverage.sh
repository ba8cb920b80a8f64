#!/bin/bash
# coverage.sh BUILDS - the lines of core/ that the fuzz corpora alone reach, as TAP; built with clang in
# BUILDS/cover. Each file is a comment, the one least reached first; files that no target is linked with
# (they parse nothing that strangers send) do not count.
set -u
# shellcheck source-path=SCRIPTDIR source=../lib/build-common.sh
. "$(dirname "$0")/../lib/build-common.sh"
dir=$1/cover
wanted=72 # percent; less means that an input was lost
version=$(clang -dumpversion) || exit 1
version=${version%%.*}
tool()
{
    command -v "llvm-$1-$version" || command -v "llvm-$1"
}

export CC=clang CFLAGS="-O1 -fprofile-instr-generate -fcoverage-mapping"
mapfile -t targets < <(cd "$root" && printf '%s\n' tests/fuzz/fuzz_*.c)
targets=("${targets[@]%.c}")
mkdir -p "$dir"
if ! { { ! configure_outdated || run_autogen; } && configure_in "$dir" LDFLAGS=-fprofile-instr-generate &&
    make -C "$dir" -j"$(nproc)" "${targets[@]}"; } >"$dir/build.out" 2>&1; then
    tail -n 15 "$dir/build.out" | sed 's/^/# /'
    echo "not ok 1 - the fuzz targets build"
    echo "1..1"
    exit 1
fi
failed=0 number=0
rm -f "$dir"/*.profraw
for target in "${targets[@]}"; do
    number=$((number + 1))
    if (cd "$dir" && SRCDIR=$root LLVM_PROFILE_FILE=$dir/${target##*/}.profraw "$target") >"$dir/said" 2>&1; then
        echo "ok $number - ${target##*/} over its corpus"
    else
        sed 's/^/# /' "$dir/said" | tail -n 5
        echo "not ok $number - ${target##*/} over its corpus"
        failed=1
    fi
done
objects=("$dir/${targets[0]}")
for target in "${targets[@]:1}"; do
    objects+=(-object "$dir/$target")
done
"$(tool profdata)" merge -o "$dir/all.profdata" "$dir"/*.profraw &&
    "$(tool cov)" export -summary-only -instr-profile "$dir/all.profdata" "${objects[@]}" >"$dir/cover.json" || exit 1
jq -r '[.data[0].files[] | select(.filename | contains("/fcgi/core/")) | {name: (.filename | split("/") | last)} + .summary.lines]
    | (sort_by(.percent)[] | "# \(.percent | floor) %\t\(.covered) of \(.count)\t\(.name)"),
      "all \(([.[].covered] | add) * 1000 / ([.[].count] | add) | floor)"' "$dir/cover.json" >"$dir/table"
grep '^#' "$dir/table"
share=$(sed -n 's/^all //p' "$dir/table")
number=$((number + 1))
what="the corpora alone reach $((share / 10)).$((share % 10)) % of the lines of core/, $wanted are wanted"
if [ "$share" -ge $((wanted * 10)) ]; then
    echo "ok $number - $what"
else
    echo "not ok $number - $what"
    failed=1
fi
echo "1..$number"
exit $failed
