#!/bin/bash
# run.sh - all tests, or the suites that are named; see --help.
set -uo pipefail

usage()
{
    cat <<'END'
usage: tests/run.sh [--keep | --clean] [--full] [SUITE...]

Suites, in this order when none is named:
END
    sed -n 's/^    \([a-z0-9]*\)) # /\1 /p' "$here/lib/suites.sh" | awk '{ printf "  %-8s", $1; $1 = ""; print }'
    cat <<'END'

Everything a suite needs is made for it: Debian packages, builds, and for the suites that need one a
whole Backtalk of its own by quickstart.sh, with its own cluster, ports, Docker network and names,
beside whatever else runs. At the end all of that is taken down again; --keep leaves it and says how to
use it, --clean takes down what was kept. Builds stay in var/tests for the next time. Needs root, on
Debian 12 or 13.

The suite full, which takes an image of 5 GB, is left out of "all" unless --full is given or the image
backtalk-sandbox:full is here.

Prints each suite's failures and a line a suite, then "# suites: N passed, M failed". The whole output of
a suite is in var/tests/log/SUITE.tap. A skipped test counts as a failure unless the suite prints
"# allow-skip REASON" with the reason.
END
}

here=$(cd -- "$(dirname -- "$0")" && pwd)
root=$(dirname -- "$here")
# shellcheck source-path=SCRIPTDIR source=../fcgi/service/stack/common.sh
. "$root/fcgi/service/stack/common.sh"
# shellcheck source-path=SCRIPTDIR source=../fcgi/service/stack/packages.sh
. "$root/fcgi/service/stack/packages.sh"
# shellcheck source-path=SCRIPTDIR source=../fcgi/service/stack/parts.sh
. "$root/fcgi/service/stack/parts.sh"

# shellcheck source-path=SCRIPTDIR source=lib/suites.sh
. "$here/lib/suites.sh"

# ---- the stack ---------------------------------------------------------------------------------

free_port()
{
    local try
    for try in $(shuf -i 20000-32000 -n 50); do
        [ -n "$(ss -Hltn "sport = :$try")" ] || { printf %s "$try" && return; }
    done
    die "no free port between 20000 and 32000"
}

# stack_environment MACHINE: slim or full
stack_environment()
{
    export BACKTALK_MACHINE=$1 BACKTALK_IMAGE=backtalk-sandbox:test BACKTALK_TIMEOUT_S=20
    if [ "$1" = full ]; then
        BACKTALK_IMAGE=backtalk-sandbox:test-full BACKTALK_TIMEOUT_S=120
    fi
    [ -z "$stack" ] || return 0
    export BACKTALK_INSTANCE=$name BACKTALK_NETWORK=$name BACKTALK_VAR=$home/$name
    export BACKTALK_BUILD=$builds/stack
    export BACKTALK_MEMBER=tester BACKTALK_WORKERS=8 BACKTALK_STOP_WAIT_S=10 BACKTALK_KEPT=1000
    export BACKTALK_KEY_RATE=100000 BACKTALK_ADDR_RATE=100000 BACKTALK_KEY_CONNS=1000 BACKTALK_ADDR_CONNS=1000
    export BACKTALK_CONFORMANCE_PORT
    BACKTALK_CONFORMANCE_PORT=$(free_port)
    export BACKTALK_UPSTREAM BACKTALK_UPSTREAM_KEY=sk-of-the-model-server
    BACKTALK_UPSTREAM=http://127.0.0.1:$(free_port)/v1
    export BACKTALK_PORT BACKTALK_ORIGINS=http://localhost:$BACKTALK_CONFORMANCE_PORT
    BACKTALK_PORT=$(free_port)
}

# start_stack MACHINE: a stack whose chats get that machine; the one that runs is changed when they do not
start_stack()
{
    [ "$stack:${BACKTALK_MACHINE-}" != "$name:$1" ] || return 0
    say "# starting a Backtalk of its own, $name, with the $1 image"
    stack_environment "$1"
    stack=$name
    mkdir -p "$builds"
    if ! flock "$builds" "$root/quickstart.sh" >"$logs/stack.log" 2>&1 8>&-; then
        sed 's/^/    /' "$logs/stack.log" | tail -n 40
        return 1
    fi
    set -a
    # shellcheck disable=SC1090,SC1091 # made a moment ago
    . "$home/$name/backtalk.env"
    set +a
    export BACKTALK_DOCKER_SOCKET=$docker_socket BACKTALK_FCGI=$home/$name/sbin/backtalk-fcgi
    export BACKTALK_AGENT=$builds/stack/backtalk-agent
}

# remove_stack NAME: servers, containers, network and files of a stack of ours
remove_stack()
{
    local old=$1 list
    say "# taking down $old"
    if docker_answers; then
        mapfile -t list < <(docker ps -aq -f "label=backtalk.instance=$old")
        [ ${#list[@]} = 0 ] || docker rm -f -v "${list[@]}" >/dev/null
        "$root/sandbox-image/network.sh" remove "$old" 2>/dev/null || true
    fi
    BACKTALK_INSTANCE=$old BACKTALK_VAR=$home/$old BACKTALK_STOP_WAIT_S=5 \
        "$root/quickstart.sh" stop >/dev/null || true
    rm -rf --one-file-system "/run/quickstart-$old" "$(readlink -f "$home/$old")" "${home:?}/$old"
}

# Stacks of runs that were killed before they could clean up; with an argument, those that were kept
# as well.
remove_leftovers()
{
    local dir old
    for dir in "$home"/test-*; do
        old=${dir##*/}
        if [ ! -d "$dir" ] || [ -d "/proc/${old#test-}" ]; then
            continue
        elif [ -n "$1" ] || [ ! -e "$dir/kept" ]; then
            remove_stack "$old"
        fi
    done
}

at_end()
{
    trap '' INT TERM
    [ -z "$suite_pid" ] || kill -s TERM -- "-$suite_pid" 2>/dev/null
    if [ -n "$stack" ] && [ -n "$keep" ]; then
        touch "$home/$stack/kept"
        say "# kept: . $home/$stack/backtalk.env, BACKTALK_INSTANCE=$stack; to take it down: $0 --clean"
    elif [ -n "$stack" ]; then
        remove_stack "$stack"
    fi
}

# ---- one after the other -----------------------------------------------------------------------

# one_suite NAME: prints its summary line, returns 0 when it passed
one_suite()
{
    local suite=$1 machine=slim began=$SECONDS packages=() p status
    for p in $(packages_for "$suite"); do
        case $p in
            *:*) has_command "${p#*:}" || packages+=("${p%:*}") ;;
            *) is_installed "$p" || packages+=("$p") ;;
        esac
    done
    ([ ${#packages[@]} = 0 ] || install_packages "${packages[@]}") || return 1
    [ "$suite" != full ] || machine=full
    if needs_stack "$suite" && ! start_stack "$machine"; then
        printf 'not ok - %-7s the stack for it did not start: %s\n' "$suite" "$logs/stack.log"
        return 1
    fi
    # a suite's builds and logs are one run's at a time
    exec 8>"$home/$suite.lock"
    flock -n 8 || { say "# waiting for another run of $suite" && flock 8; }
    set -m # a process group of its own, for at_end
    run_suite "$suite" >"$logs/$suite.tap" 2>"$logs/$suite.err" </dev/null 8>&- &
    suite_pid=$!
    set +m
    wait "$suite_pid"
    status=$?
    suite_pid=
    if awk -v suite="$suite" -v seconds=$((SECONDS - began)) -v status=$status -v files="$logs/$suite.tap" \
        -f "$here/lib/tap.awk" "$logs/$suite.tap"; then
        status=0
    else
        tail -n 15 "$logs/$suite.err" | sed 's/^/    stderr: /'
        status=1
    fi
    exec 8>&-
    return $status
}

keep='' clean='' full='' stack='' suite_pid='' suites=()
for word in "$@"; do
    case $word in
        --keep) keep=1 ;;
        --clean) clean=1 ;;
        --full) full=1 ;;
        -h | --help) usage && exit 0 ;;
        *)
            [[ " ${all_suites[*]} " == *" $word "* ]] || { usage >&2 && exit 2; }
            suites+=("$word")
            ;;
    esac
done
if [ ${#suites[@]} = 0 ] && [ -z "$clean" ]; then
    suites=("${all_suites[@]}")
    [ -n "$full" ] || docker image inspect backtalk-sandbox:full >/dev/null 2>&1 || unset 'suites[-1]'
elif [ -n "$full" ]; then
    suites+=(full)
fi
[ "$(id -u)" = 0 ] || die "the tests must be root: they install packages and start servers"

name=test-$$
stack_settings "$root"
# shellcheck disable=SC2034 # for make_var
var=${BACKTALK_TEST_VAR:-$root/var/tests} instance=backtalk-tests
make_var
home=$var builds=$var/builds logs=$var/log
check_debian
mapfile -t missing < <(missing_packages)
install_packages ${missing[@]+"${missing[@]}"}
trap at_end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
remove_leftovers "$clean"
[ ${#suites[@]} -gt 0 ] || exit 0

passed=0 failed=0
for suite in "${suites[@]}"; do
    if one_suite "$suite"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
say "# suites: $passed passed, $failed failed ($SECONDS s)"
[ $failed = 0 ]
