#!/bin/bash
# analyse.sh BUILD - TAP: clang-tidy with the checks of .clang-tidy, and cppcheck, over the programs'
# sources. BUILD is a configured tree, for config.h.
set -u
cd "${SRCDIR:-$(dirname "$0")/../..}" || exit 1
build=$1
n=0
flags=(-std=gnu17 -DHAVE_CONFIG_H -DPKGDATADIR='"/usr/share/backtalk"' "-I$build" -Ifcgi -Isandbox-image/agent)
read -ra more < <(pkg-config --cflags json-c fcgi libpq libcurl libmd libpcre2-8)
flags+=("${more[@]}")

check()
{
    local what=$1 bad
    shift
    n=$((n + 1))
    if bad=$("$@" 2>&1); then
        echo "ok $n - $what"
    else
        echo "not ok $n - $what"
        printf '%s\n' "$bad" | head -n 60 | sed 's/^/# /'
    fi
}

run_tidy()
{
    # one file a process (version 14 confuses va_lists of several), a process a processor; flags first
    # shellcheck disable=SC2016 # expanded in there
    printf '%s\0' fcgi/*.c fcgi/*/*.c sandbox-image/agent/*.c |
        xargs -0 -n 1 -P "$(nproc)" bash -c 'n=$1; shift
            clang-tidy --quiet --warnings-as-errors="*" "${@:n+1}" -- "${@:1:n}" 2>/dev/null' \
            _ "${#flags[@]}" "${flags[@]}"
}

# Its preprocessor does not know tables that take the row's macro as an argument, nor the architecture;
# the compilers do.
run_cppcheck()
{
    cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
        --suppress=preprocessorErrorDirective:fcgi/base/fault.h \
        --suppress=preprocessorErrorDirective:sandbox-image/agent/guard.c \
        --enable=warning,portability,performance -j "$(nproc)" -DPKGDATADIR='""' \
        '-Djson_object_object_foreach(o,k,v)=char *k; struct json_object *v; for (;;)' \
        "-I$build" -Ifcgi -Isandbox-image/agent fcgi sandbox-image/agent
}

check "clang-tidy" run_tidy
check "cppcheck" run_cppcheck
echo "1..$n"
