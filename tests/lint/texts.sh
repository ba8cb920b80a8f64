#!/bin/bash
# texts.sh - TAP: formats and contents of the checkout's own files (what git knows or would take, else
# all but what is made). Needs clang-format, shellcheck, mandoc.
set -u
cd "${SRCDIR:-$(dirname "$0")/../..}" || exit 1
n=0

# check WHAT COMMAND...: ok when the command prints nothing, else its lines are what is wrong
check()
{
    local what=$1 bad
    shift
    bad=$("$@" 2>&1)
    n=$((n + 1))
    if [ -z "$bad" ]; then
        echo "ok $n - $what"
    else
        echo "not ok $n - $what"
        printf '%s\n' "$bad" | head -n 40 | sed 's/^/# /'
    fi
}

list_files()
{
    if git -c safe.directory='*' rev-parse --git-dir >/dev/null 2>&1; then
        git -c safe.directory='*' ls-files -z --cached --others --exclude-standard
    else
        find . \( -name node_modules -o -path ./var -o -path ./build-aux -o -path ./autom4te.cache \) -prune -o \
            -type f -printf '%P\0'
    fi
}

mapfile -d '' -t files < <(list_files)
for i in "${!files[@]}"; do
    [ -f "${files[i]}" ] || unset "files[i]" # removed, not yet committed
done
c_files=() scripts=() texts=()
for f in "${files[@]}"; do
    case $f in
        *.c | *.h) c_files+=("$f") ;;
        # Inputs of tests are what they are: broken on purpose, or of a size.
        tests/cases/* | tests/fuzz/*.in/* | */package-lock.json) continue ;;
    esac
    texts+=("$f")
    case $(head -c 40 "$f" | head -n 1 | tr -d '\0') in
        '#!/bin/sh'* | '#!/bin/bash'* | '# shellcheck shell='*) scripts+=("$f") ;;
    esac
done

format()
{
    clang-format --dry-run --Werror "${c_files[@]}" 2>&1 | grep -E 'error|warning'
}

shell_scripts()
{
    shellcheck -x "${scripts[@]}"
}

white_space()
{
    grep -nIE '[[:blank:]]+$' "${texts[@]}" | grep -v '^[^:]*\.md:'
    for f in "${texts[@]}"; do
        [ ! -s "$f" ] || [ -z "$(tail -c 1 "$f" | tr '\0' x)" ] || echo "$f: no newline at its end"
    done
}

long_lines()
{
    grep -nHE '^.{161,}' "${c_files[@]}" "${scripts[@]}"
}

unfinished()
{
    grep -nIwE 'TODO|FIXME|XXX|HACK' "${texts[@]}" | grep -v '^tests/lint/texts\.sh:'
}

# Nothing that is true on one machine only: where this checkout is, somebody's home, a mirror.
one_machine()
{
    grep -nIE -- "$PWD/(fcgi|sql|nginx-conf|sandbox-image|tests|var)/" "${files[@]}"
    grep -nIE '^ *"resolved": ' "${files[@]}" | grep -v '"https://registry\.npmjs\.org/'
}

secrets()
{
    grep -nIE 'bt_[A-Za-z0-9_-]{43}|BEGIN [A-Z ]*PRIVATE KEY' "${texts[@]}" | grep -v '^tests/lint/texts\.sh:'
}

folders_without_readme()
{
    local dir
    printf '%s\n' "${files[@]}" | sed -n 's,/[^/]*$,,p' | sort -u | while read -r dir; do
        case $dir in
            # A case, a corpus, and what belongs to the folder above it.
            tests/*/* | .ci | m4) continue ;;
            sql/* | sandbox-image/etc* | sandbox-image/habits* | fcgi/service/*) continue ;;
        esac
        [ -f "$dir/README.md" ] || echo "$dir has no README.md"
    done
}

manual_pages()
{
    mandoc -T lint -W warning fcgi/service/*.8 2>&1
}

# Every setting of a program, as its table has it, is in the example and in its manual.
settings()
{
    local name file
    sed -nE 's/^    REPLY_(TEXT|INT)\("([A-Z_]+)".*/BACKTALK_\2/p' fcgi/io/env.c | while read -r name; do
        for file in fcgi/service/backtalk.env.example fcgi/service/backtalk-reply.8; do
            grep -qw "$name" "$file" || echo "$file does not have $name"
        done
    done
    sed -nE 's/^    (TEXT|INT)\("([A-Z_]+)".*/BACKTALK_\2/p' fcgi/io/env.c | while read -r name; do
        for file in fcgi/service/backtalk.env.example fcgi/service/backtalk-fcgi.8; do
            grep -qw "$name" "$file" || echo "$file does not have $name"
        done
    done
}

units()
{
    grep -LE '^ProtectSystem=strict' fcgi/service/*.service.in | sed 's/$/: not hardened/'
}

broken_links()
{
    local f target
    for f in "${texts[@]}"; do
        [[ $f == *.md ]] || continue
        grep -oE '\]\([^)#: ]+' "$f" | cut -c 3- | while read -r target; do
            [ -e "$(dirname "$f")/$target" ] || echo "$f: $target is not there"
        done
    done
}

check "clang-format agrees" format
check "shellcheck agrees" shell_scripts
check "no blanks at line ends, a newline at each file's end" white_space
check "no endless lines in code" long_lines
check "nothing is left unfinished" unfinished
check "nothing belongs to one machine" one_machine
check "no secrets" secrets
check "each folder says what lives in it" folders_without_readme
check "links lead somewhere" broken_links
check "manual pages are well-formed" manual_pages
check "settings are explained" settings
check "units are hardened" units
echo "1..$n"
