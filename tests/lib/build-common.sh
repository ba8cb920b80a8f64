# shellcheck shell=bash
# build-common.sh - sourced by unit.sh and build.sh: a configured and built tree.
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -- "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../../fcgi/service/stack/common.sh
. "$root/fcgi/service/stack/common.sh"
# shellcheck source-path=SCRIPTDIR source=../../fcgi/service/stack/parts.sh
. "$root/fcgi/service/stack/parts.sh"

# build_in FOLDER OPTION...: everything including the test programs; nothing of it is run. What
# went wrong is printed as comments.
build_in()
{
    local dir=$1
    shift
    mkdir -p "$dir"
    if {
        { ! configure_outdated || run_autogen; } &&
            configure_in "$dir" "$@" &&
            make -C "$dir" -j"$(nproc)" all &&
            make -C "$dir" -j"$(nproc)" check TESTS=
    } >"$dir/build.out" 2>&1; then
        return 0
    fi
    grep -aE 'warning|error|Error' "$dir/build.out" | head -n 20 | sed 's/^/# /'
    tail -n 15 "$dir/build.out" | sed 's/^/# /'
    return 1
}
