#include "config.h"

#include "base/buf.h"
#include "core/shell_reader.h"
#include <stdint.h>
#include <string.h>

void
shell_note_name(struct arena *a, const char **names, size_t *count, const char *at, size_t len)
{
    if (len == 0 || len > 64 || *count == HINT_NAMES_MAX || (at[0] >= '0' && at[0] <= '9'))
        return;
    for (size_t i = 0; i < *count; i++)
        if (strncmp(names[i], at, len) == 0 && names[i][len] == '\0')
            return;
    names[(*count)++] = arena_strndup(a, at, len);
}

/* ---- expansions --------------------------------------------------------------------------- */

/* The end of what opens at `at` with `open` and ends with `close`, past it. */
const char *
shell_past(const char *at, const char *end, char open, char close)
{
    unsigned depth = 0;
    char quote = 0;

    for (; at < end; at++) {
        if (*at == '\\' && at + 1 < end && quote != '\'') {
            at++;
        } else if (quote) {
            if (*at == quote)
                quote = 0;
        } else if (*at == '\'' || *at == '"') {
            quote = *at;
        } else if (*at == open && open != close) {
            depth++;
        } else if (*at == close && (open == close || --depth == 0)) {
            return at + 1;
        }
    }
    return end;
}

void
shell_add_inner(struct reader *r, const char *at, const char *end)
{
    if (r->inner_count < NESTED_MAX && r->level < DEPTH_MAX && end > at)
        r->inner[r->inner_count++] = (struct inner){at, (size_t)(end - at)};
}

/* Reads the expansion that begins at r->at with $ or `; appends it as written. */
static void
read_expansion(struct reader *r, struct buf *b)
{
    const char *from = r->at, *name, *stop;
    struct shell_script *s = r->s;

    if (*r->at == '`') {
        stop = memchr(r->at + 1, '`', (size_t)(r->end - r->at - 1));
        r->at = stop ? stop + 1 : r->end;
        if (stop)
            shell_add_inner(r, from + 1, stop);
    } else if (r->at + 1 < r->end && r->at[1] == '(') {
        r->at = shell_past(r->at + 1, r->end, '(', ')');
        if (from[2] != '(')
            shell_add_inner(r, from + 2, r->at - 1);
    } else if (r->at + 1 < r->end && r->at[1] == '{') {
        name = r->at + 2;
        for (stop = name; stop < r->end && shell_name_char(*stop); stop++)
            ;
        if (stop < r->end && (*stop == '}' || *stop == '#' || *stop == '%' || *stop == '/'))
            shell_note_name(r->a, s->used, &s->used_count, name, (size_t)(stop - name));
        r->at = shell_past(r->at + 1, r->end, '{', '}');
    } else {
        for (r->at++, name = r->at; r->at < r->end && shell_name_char(*r->at); r->at++)
            ;
        shell_note_name(r->a, s->used, &s->used_count, name, (size_t)(r->at - name));
        if (r->at == name && r->at < r->end && strchr("?#@*$!-", *r->at))
            r->at++;
    }
    buf_add(b, from, (size_t)(r->at - from));
}

/* ---- words --------------------------------------------------------------------------------- */

bool
shell_ends_word(char c)
{
    return c == '\0' || strchr(" \t\r\n;&|()<>", c) != NULL;
}

static void
read_double_quotes(struct reader *r, struct buf *b, bool *plain)
{
    for (r->at++; r->at < r->end && *r->at != '"';) {
        if (*r->at == '\\' && r->at + 1 < r->end && strchr("\"\\$`\n", r->at[1])) {
            if (r->at[1] != '\n')
                buf_addc(b, r->at[1]);
            r->at += 2;
        } else if (*r->at == '`' ||
                   (*r->at == '$' && r->at + 1 < r->end && strchr("({_", r->at[1])) ||
                   (*r->at == '$' && r->at + 1 < r->end && shell_name_char(r->at[1]))) {
            *plain = false;
            read_expansion(r, b);
        } else {
            buf_addc(b, *r->at++);
        }
    }
    if (r->at < r->end)
        r->at++;
}

/* $'...' */
static void
read_ansi_quotes(struct reader *r, struct buf *b)
{
    static const char names[] = "ntr\\'\"", values[] = "\n\t\r\\'\"";

    for (r->at += 2; r->at < r->end && *r->at != '\''; r->at++) {
        const char *name;

        if (*r->at == '\\' && r->at + 1 < r->end) {
            name = strchr(names, r->at[1]);
            r->at++;
            buf_addc(b, name && *name ? values[name - names] : *r->at);
        } else {
            buf_addc(b, *r->at);
        }
    }
    if (r->at < r->end)
        r->at++;
}

struct shell_word
shell_read_word(struct reader *r)
{
    struct shell_word w = {.plain = true};
    const char *stop;
    struct buf b;

    buf_init(&b, r->a, WORD_BYTES);
    while (r->at < r->end && !shell_ends_word(*r->at)) {
        switch (*r->at) {
        case '\'':
            stop = memchr(r->at + 1, '\'', (size_t)(r->end - r->at - 1));
            stop = stop ? stop : r->end;
            buf_add(&b, r->at + 1, (size_t)(stop - r->at - 1));
            r->at = stop < r->end ? stop + 1 : stop;
            break;
        case '"':
            read_double_quotes(r, &b, &w.plain);
            break;
        case '\\':
            if (++r->at < r->end) {
                if (*r->at != '\n')
                    buf_addc(&b, *r->at);
                r->at++;
            }
            break;
        case '$':
            if (r->at + 1 < r->end && r->at[1] == '\'') {
                read_ansi_quotes(r, &b);
                break;
            }
            w.plain = w.plain && r->at + 1 >= r->end;
            read_expansion(r, &b);
            break;
        case '`':
            w.plain = false;
            read_expansion(r, &b);
            break;
        case '*':
        case '?':
            w.plain = false;
            buf_addc(&b, *r->at++);
            break;
        default:
            buf_addc(&b, *r->at++);
        }
    }
    w.plain = w.plain && !b.full;
    w.text = buf_text(&b);
    return w;
}
