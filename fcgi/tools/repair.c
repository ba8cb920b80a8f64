#include "config.h"

#include "tools/repair.h"
#include <string.h>

bool
repair_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

void
plan_note(struct plan *p, const char *sentence)
{
    if (p->note_count < PLAN_NOTES_MAX)
        p->notes[p->note_count++] = sentence;
}

/* How many of the fence's character a line begins with; 0 when it is no fence line. */
static size_t
fence_ticks(const char *line, size_t len)
{
    char mark = len > 0 ? line[0] : '\0';
    size_t n = 0;

    if (mark != '`' && mark != '~')
        return 0;
    while (n < len && line[n] == mark)
        n++;
    return n >= 3 ? n : 0;
}

static size_t
line_len(const char *at)
{
    return strcspn(at, "\n");
}

static size_t
trimmed(const char *line, size_t len)
{
    while (len > 0 && strchr(" \t\r", line[len - 1]))
        len--;
    return len;
}

const char *
repair_fence(const char *text, struct arena *a)
{
    const char *at = text + strspn(text, " \t\r\n"), *body, *end;
    size_t len = line_len(at), ticks = fence_ticks(at, len);
    char mark = at[0];

    if (ticks == 0 || at[len] == '\0' || memchr(at + ticks, mark, len - ticks))
        return NULL;
    body = at + len + 1;
    for (at = body; *at; at = end + (*end != '\0')) {
        size_t n;

        len = line_len(at);
        end = at + len;
        n = at[0] == mark ? fence_ticks(at, len) : 0;
        if (n < ticks)
            continue;
        if (trimmed(at, len) != n || !repair_blank(end))
            return NULL; /* a second fence, or text behind the first */
        return arena_strndup(a, body, (size_t)(at - body));
    }
    return repair_blank(body) ? NULL : body;
}

const char *
repair_line_ends(const char *text, struct arena *a)
{
    const char *at = strstr(text, "\r\n");
    char *copy, *to;

    if (!at)
        return text;
    copy = arena_strndup(a, text, strlen(text));
    to = copy + (at - text);
    for (; *at; at++)
        if (at[0] != '\r' || at[1] != '\n')
            *to++ = *at;
    *to = '\0';
    return copy;
}

static bool
has_prompt(const char *line)
{
    return line[0] == '$' && line[1] == ' ';
}

const char *
repair_prompt(const char *command, struct arena *a)
{
    const char *at = command + strspn(command, " \t\r\n");
    bool each = true;
    char *copy, *to;

    if (!has_prompt(at))
        return NULL;
    for (const char *line = at; *line; line += line_len(line), line += *line == '\n')
        if (!has_prompt(line) && line_len(line) > strspn(line, " \t\r"))
            each = false;
    if (!each)
        return at + 2 + strspn(at + 2, " \t");
    to = copy = arena_strndup(a, at, strlen(at));
    for (const char *line = at; *line;) {
        size_t skip = has_prompt(line) ? 2 : 0, n = line_len(line);

        n += line[n] == '\n';
        memcpy(to, line + skip, n - skip);
        to += n - skip;
        line += n;
    }
    *to = '\0';
    return copy;
}
