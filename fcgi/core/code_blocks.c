#include "config.h"

#include "core/code_blocks.h"
#include <string.h>

struct span {
    const char *at;
    size_t len;
};

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The next line of *at, its LF included; false when there is none. */
static bool
next_line(const char **at, const char *end, struct span *ret)
{
    const char *lf;

    if (*at == end)
        return false;
    lf = memchr(*at, '\n', (size_t)(end - *at));
    ret->at = *at;
    ret->len = (size_t)((lf ? lf + 1 : end) - *at);
    *at += ret->len;
    return true;
}

struct fence {
    char c;
    size_t len, indent;
    struct span info; /* what stands behind it, without blanks around */
};

/* True when the line begins with three or more ` or ~. */
static bool
read_fence(struct span line, struct fence *ret)
{
    size_t i = 0, n = 0;

    while (line.len > 0 && is_blank(line.at[line.len - 1]))
        line.len--;
    while (i < line.len && (line.at[i] == ' ' || line.at[i] == '\t'))
        i++;
    if (i == line.len || (line.at[i] != '`' && line.at[i] != '~'))
        return false;
    while (i + n < line.len && line.at[i + n] == line.at[i])
        n++;
    if (n < 3)
        return false;
    *ret = (struct fence){.c = line.at[i], .len = n, .indent = i};
    i += n;
    while (i < line.len && is_blank(line.at[i]))
        i++;
    ret->info = (struct span){line.at + i, line.len - i};
    return true;
}

static bool
opens(const struct fence *f)
{
    return f->c == '~' || !memchr(f->info.at, '`', f->info.len);
}

static bool
closes(const struct fence *f, const struct code_blocks *b)
{
    return f->c == b->open_char && f->len >= b->open_len && f->info.len == 0;
}

/* The tag of ```{.python .numberLines}, ```python title="x", ```Python: */
static void
read_tag(struct span info, struct code_block *b)
{
    size_t i = 0, n = 0;

    while (i < info.len && (info.at[i] == '{' || info.at[i] == '.' || info.at[i] == ' '))
        i++;
    while (i + n < info.len && !is_blank(info.at[i + n]) && !strchr("{}:,;(\"'", info.at[i + n]))
        n++;
    b->tag = info.at + i;
    b->tag_len = n;
}

/* Where the text begins, behind the thinking. */
static const char *
past_thinking(const char *text, const char *end, bool *ret_open)
{
    static const char begin[] = "<think>", over[] = "</think>";
    const char *p = text;

    *ret_open = false;
    while (p < end && is_blank(*p))
        p++;
    if ((size_t)(end - p) < sizeof begin - 1 || memcmp(p, begin, sizeof begin - 1) != 0)
        return text;
    p = memmem(p, (size_t)(end - p), over, sizeof over - 1);
    *ret_open = p == NULL;
    return p ? p + sizeof over - 1 : end;
}

void
code_blocks_find(const char *text, size_t len, struct code_blocks *ret)
{
    const char *end = text + len, *at;
    struct code_block *b = NULL;
    struct span line;
    struct fence f = {0};

    memset(ret, 0, sizeof *ret);
    ret->blank = true;
    at = past_thinking(text, end, &ret->thinking);
    while (next_line(&at, end, &line)) {
        bool fence = read_fence(line, &f);

        for (size_t i = 0; ret->blank && i < line.len; i++)
            ret->blank = is_blank(line.at[i]);
        if (ret->open_len > 0) {
            if (fence && closes(&f, ret))
                ret->open_len = 0;
            else if (b)
                b->len += line.len;
        } else if (fence && opens(&f)) {
            ret->open_char = f.c;
            ret->open_len = f.len;
            b = ret->count < CODE_BLOCKS_MAX ? &ret->list[ret->count++] : NULL;
            if (b) {
                *b = (struct code_block){.code = line.at + line.len, .indent = f.indent};
                read_tag(f.info, b);
            }
        }
    }
}

/* A line without the indentation of its block, and without blanks at its end. */
static struct span
bare(struct span line, size_t indent)
{
    while (line.len > 0 && is_blank(line.at[line.len - 1]))
        line.len--;
    while (indent-- > 0 && line.len > 0 && (*line.at == ' ' || *line.at == '\t')) {
        line.at++;
        line.len--;
    }
    return line;
}

/* The next line with something on it; how many blank ones before it are counted. */
static bool
next_full(const char **at, const char *end, size_t indent, struct span *ret, size_t *ret_blank)
{
    for (*ret_blank = 0; next_line(at, end, ret); ++*ret_blank) {
        *ret = bare(*ret, indent);
        if (ret->len > 0)
            return true;
    }
    return false;
}

bool
code_block_is(const struct code_block *b, const char *code, size_t len)
{
    const char *p = b->code, *p_end = p + b->len, *q = code, *q_end = code + len;
    bool first = true;

    for (;;) {
        struct span x, y;
        size_t x_blank, y_blank;
        bool x_more = next_full(&p, p_end, b->indent, &x, &x_blank);
        bool y_more = next_full(&q, q_end, 0, &y, &y_blank);

        if (!x_more || !y_more)
            return x_more == y_more && !first;
        if (!first && x_blank != y_blank)
            return false;
        if (x.len != y.len || memcmp(x.at, y.at, x.len) != 0)
            return false;
        first = false;
    }
}

size_t
code_fence_length(const char *code, size_t len)
{
    size_t longest = 2, n = 0;

    for (size_t i = 0; i < len; i++) {
        n = code[i] == '`' ? n + 1 : 0;
        if (n > longest)
            longest = n;
    }
    return longest + 1;
}
