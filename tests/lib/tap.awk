# tap.awk - judges a suite's TAP: prints its failures with what follows them, then one line. Exit
# status 0 when all is well: something was run, every plan was kept, nothing failed, nothing was
# skipped without leave ("# allow-skip REASON"), the program's own exit status was 0.
# Several documents may follow each other; nested tests (indented) count for themselves.
# Variables: suite, seconds, status, files.

function complain(text) {
    if (complaints++ < 40)
        print "    " text
}

function end_of_document() {
    if (seen > 0 && planned < 0)
        complain("no plan: it ended early")
    else if (planned >= 0 && planned != seen)
        complain("planned " planned " tests, ran " seen)
    seen = 0
    planned = -1
}

BEGIN {
    planned = -1
}

/^TAP version/ {
    end_of_document()
    next
}

/^1\.\.[0-9]+/ {
    if (planned >= 0)
        end_of_document()
    planned = substr($1, 4) + 0
    if (planned == 0)
        complain("nothing was run: " $0)
    next
}

/^# allow-skip / {
    allowed[++leaves] = substr($0, 14)
    next
}

/^ *Bail out!/ {
    complain($0)
    next
}

/^ *(not )?ok( |$)/ {
    top = /^(not )?ok/
    if (top) {
        number = $0
        sub(/^(not )?ok */, "", number)
        if (number + 0 == 1 && seen > 0)
            end_of_document()
        seen++
    }
    bad = /^ *not /
    showing = 0
    if (bad) {
        failures++
        complain($0)
        showing = 14
    } else if (tolower($0) ~ /# *(skip|todo)/) {
        leave = 0
        for (i = 1; i <= leaves; i++)
            if (index($0, allowed[i]))
                leave = 1
        skipped++
        if (!leave)
            complain("skipped without leave: " $0)
    } else {
        passes++
    }
    next
}

showing > 0 {
    showing--
    print "      " substr($0, 1, 200)
}

END {
    end_of_document()
    if (passes + failures == 0)
        complain("it ran no test")
    if (status != 0 && complaints == 0)
        complain("it ended with status " status)
    printf "%s - %-7s %d passed, %d failed, %d skipped (%d s)%s\n", complaints ? "not ok" : "ok", suite, passes,
        failures, skipped, seconds, complaints ? "  " files : ""
    exit complaints > 0
}
