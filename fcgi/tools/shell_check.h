/* shell_check.h - the step that has ShellCheck look at a shell program before it runs
 * (https://www.shellcheck.net/wiki/). It says something only where there is an error, a
 * warning, or a variable lost in a pipeline's subshell, and it never stops the program. */
#ifndef TOOLS_SHELL_CHECK_H
#define TOOLS_SHELL_CHECK_H

#include "base/arena.h"
#include "core/plan.h"

/* file: the program, in folder. */
struct plan_step shell_check_step(const char *folder, const char *file, struct arena *a);

#endif
