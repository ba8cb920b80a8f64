#include "config.h"

#include "tools/shell_check.h"

enum {
    SHOWN_BYTES = 3000,
    TIMEOUT_MS = 10000, /* a program is run even if nobody could look at it */
};

/* ShellCheck 0.10 no longer follows variables into subshells once it has read `set -o pipefail`
 * (koalaman/shellcheck #3134), so it is given a copy in which -o is another harmless option. */
static const char script[] =
    "command -v shellcheck >/dev/null || exit 0\n"
    "sed 's/-\\([a-zA-Z]*\\)o  *pipefail\\>/-\\1h/g' \"$1\" | shellcheck -s bash -f gcc - |\n"
    "sed -n -e 's/^-:\\([0-9]*\\):[0-9]*: \\(error\\|warning\\): /line \\1: \\2: /p' \\\n"
    "    -e '/SC203[01]\\]$/s/^-:\\([0-9]*\\):[0-9]*: note: /line \\1: warning: /p'\n"
    "exit 0\n";

struct plan_step
shell_check_step(const char *folder, const char *file, struct arena *a)
{
    const char **argv = arena_alloc(a, 6 * sizeof *argv);

    argv[0] = "bash";
    argv[1] = "-c";
    argv[2] = script;
    argv[3] = "shellcheck";
    argv[4] = file;
    argv[5] = NULL;
    return (struct plan_step){
        .role = STEP_CHECK,
        .shown = arena_printf(a, "shellcheck %s", file),
        .argv = argv,
        .cwd = folder,
        .timeout_ms = TIMEOUT_MS,
        .head_bytes = SHOWN_BYTES,
    };
}
