#!/bin/sh
# explain.t - TAP: backtalk-explain of the build in this directory, on folders of $CASES and on
# recordings that are wrong. What the results say is held by the cases themselves.
set -u
n=0
file=$(mktemp)
trap 'rm -f "$file"' EXIT

# check WHAT STATUS PATTERN ARGS...: the exit status, and a line that matches.
check()
{
    what=$1 status=$2 pattern=$3
    shift 3
    n=$((n + 1))
    said=$(./backtalk-explain "$@" 2>&1)
    got=$?
    if [ "$got" = "$status" ] && printf '%s\n' "$said" | grep -qE -e "$pattern"; then
        echo "ok $n - $what"
    else
        echo "not ok $n - $what"
        printf 'exit %s, not %s, or nothing matches %s\n%s\n' "$got" "$status" "$pattern" "$said" |
            sed 's/^/# /'
    fi
}

# wrong WHAT TEXT PATTERN: a recording that cannot be read.
wrong()
{
    printf '%b' "$2" >"$file"
    check "$1" 2 "$3" "$file"
}

hint=$CASES/hints/file-missing
check "the rule that fired" 0 '^said: file-missing$' "$hint"
check "the result with its sentence" 0 '^\[two_sum.py does not exist\. ' "$hint"
check "without the rule" 0 '^said: none$' --off file-missing "$hint"
check "the probe" 0 'two_sum\.py' --probe "$hint"
cat >"$file" <<'END'
tool: run
step: run
shown: python3 two_sum.py
end: exit 2
err: python3: can't open file '/work/two_sum.py': [Errno 2] No such file or directory\n
END
check "a file alone" 0 '^fired: file-missing$' "$file"
check "nobody asked the machine" 0 '^looked up: no' "$file"
check "a verdict" 0 '^isError: true$' "$CASES/render/fail-line"
check "the rules" 0 '^file-missing	cause	' --rules
check "no such file" 2 'No such file' "$hint/none.txt"
check "no path" 2 '^usage:'
check "no such option" 2 '^usage:' --of x "$hint"

wrong "a key that is none" 'tool: run\nfoo: x\n' '^backtalk-explain: Line 2, "foo: x": foo is no key'
wrong "a key without a step" 'out: x\n' 'write a line step: run first'
wrong "an escape that is none" 'step: run\nout: a\\q\n' 'out knows only'
wrong "an end that is none" 'step: run\nend: gone 1\n' 'end is exit, signal, '
wrong "too many steps" 'step: a\nstep: a\nstep: a\nstep: a\nstep: a\n' 'Line 5.* one step too many'
wrong "too many hints" 'hint: a\nhint: a\nhint: a\nhint: a\nhint: a\n' 'one hint too many'
wrong "numbers that are none" 'chars: many\n' 'chars is two numbers'
wrong "no range" 'step: run\nout_times: x\n' 'FROM-TO'
wrong "too long" 'step: run\nout_times: 1-99999999 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n' 'out_times is too long'
echo "1..$n"
