#include "config.h"

#include "base/log.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"error", "warning", "info", "debug"};
static const char *who = "backtalk";
static enum log_level limit = LOG_LINE_INFO;
static char scope[128];

void
log_init(const char *program, enum log_level max)
{
    who = program;
    limit = max;
}

void
log_scope(const char *prefix)
{
    snprintf(scope, sizeof scope, "%s", prefix);
}

void
log_line(enum log_level level, const char *fmt, ...)
{
    char line[1024];
    size_t len;
    va_list ap;
    int n;

    if (level > limit)
        return;
    n = snprintf(line, sizeof line, "%s[%d] %s: %s%s", who, (int)getpid(), names[level], scope,
                 scope[0] ? " " : "");
    len = n < 0 ? 0 : (size_t)n;
    if (len >= sizeof line)
        len = sizeof line - 1;
    va_start(ap, fmt);
    n = vsnprintf(line + len, sizeof line - len, fmt, ap);
    va_end(ap);
    len += n < 0 ? 0 : (size_t)n;
    if (len >= sizeof line - 1)
        len = sizeof line - 2;
    for (size_t i = 0; i < len; i++)
        if (line[i] == '\n' || line[i] == '\r')
            line[i] = ' ';
    line[len++] = '\n';
    if (write(STDERR_FILENO, line, len) < 0)
        return; /* nobody left to tell */
}
