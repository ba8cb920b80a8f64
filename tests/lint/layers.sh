#!/bin/sh
# layers.sh - TAP: a file includes headers of its own layer and of those below it; a foreign library is
# included by one .c file only; core/ asks nothing of the world. SRCDIR is the top of the sources.
cd "${SRCDIR:-$(dirname "$0")/../..}/fcgi" || exit 1
n=0

# check WHAT COMMAND...: ok when the command prints nothing, else its lines are what is wrong
check() {
    what=$1
    shift
    bad=$("$@")
    n=$((n + 1))
    if [ -z "$bad" ]; then
        echo "ok $n - $what"
    else
        echo "not ok $n - $what"
        printf '%s\n' "$bad" | sed 's/^/# /'
    fi
}

# What is included of the layers, as "file:line:include", minus the allowed ones.
includes_beyond() {
    allowed=$1
    shift
    grep -nE '^ *# *include "[a-z_]+/' /dev/null "$@" | while IFS= read -r hit; do
        layer=${hit#*\"}
        layer=${layer%%/*}
        case " $allowed " in *" $layer "*) ;; *) echo "$hit" ;; esac
    done
}

upward_includes() {
    grep -nE '^ *# *include "[a-z_]+\.h"' base/*.[ch] core/*.[ch] io/*.[ch] tools/*.[ch] |
        grep -vE '"(config|wire)\.h"'
}

shared_libraries() {
    for library in fcgiapp libpq-fe curl/ pcre2; do
        files=$(grep -lE "^ *# *include <$library" ./*.[ch] ./*/*.[ch])
        [ "$(echo "$files" | wc -l)" -le 1 ] || echo "$library: $files"
    done
}

outside_includes() {
    grep -nE '^ *# *include <(fcgi|libpq|curl|poll|fcntl|unistd|time\.|sys/|netinet|pthread)' \
        core/*.[ch] tools/*.[ch]
}

# Texts may say anything: string literals are emptied first.
outside_calls() {
    for file in core/*.c tools/*.c; do
        sed 's/"\([^"\\]\|\\.\)*"/""/g' "$file" |
            grep -nE '(^|[^A-Za-z0-9_])(getenv|open|fopen|read|write|socket|time|clock_gettime|clock_ms|getpid|fork)\(' |
            sed "s,^,$file:,"
    done
}

not_config_first() {
    for file in ./*.c ./*/*.c; do
        first=$(grep -m 1 -E '^ *# *include' "$file")
        [ "$first" = '#include "config.h"' ] || echo "$file: $first"
    done
}

long_files() {
    wc -l ./*.c ./*/*.c ../sandbox-image/agent/*.c |
        awk '{ limit = $2 ~ /core\/hint_/ ? 700 : 520 } # a family of rules stays together
            $2 != "total" && $1 > limit { print $2 ": " $1 " lines" }'
}

allowed=
for layer in base core io; do
    allowed="$allowed $layer"
    check "$layer includes only:$allowed" includes_beyond "$allowed" "$layer"/*.[ch]
done
# Tools decide, they do not do: nothing of io.
check "tools includes only: base core tools" includes_beyond "base core tools" tools/*.[ch]
check "the top includes only: base core io tools" includes_beyond "base core io tools" ./*.[ch]
check "the janitor includes only: base core io janitor" includes_beyond "base core io janitor" janitor/*.[ch]
check "no layer includes a header of the top" upward_includes
check "each foreign library is included by one file" shared_libraries
check "core and tools include nothing that reaches outside" outside_includes
check "core and tools call nothing that reaches outside" outside_calls
check "config.h comes first in each .c file" not_config_first
check "no .c file has much more than 500 lines" long_files
echo "1..$n"
