# fill.awk - copies a template, each @NAME@ replaced by the environment variable FILL_NAME as it
# stands (no character is special). A name without a variable is an error: nothing half-filled.
{
    line = $0
    out = ""
    while (match(line, /@[A-Z][A-Z0-9_]*@/)) {
        name = "FILL_" substr(line, RSTART + 1, RLENGTH - 2)
        if (!(name in ENVIRON)) {
            print FILENAME ":" FNR ": no value for " name > "/dev/stderr"
            failed = 1
            exit 1
        }
        out = out substr(line, 1, RSTART - 1) ENVIRON[name]
        line = substr(line, RSTART + RLENGTH)
    }
    print out line
}
END {
    exit failed
}
