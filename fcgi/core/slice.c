#include "config.h"

#include "core/slice.h"
#include "core/json_text.h"
#include <string.h>

struct scan {
    const char *at, *end;
    int depth_left;
};

static bool scan_value(struct scan *s);

static void
skip_space(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
        s->at++;
}

static bool
take(struct scan *s, char c)
{
    if (!s->at || s->at == s->end || *s->at != c) /* NULL: an absent text */
        return false;
    s->at++;
    return true;
}

static bool
scan_word(struct scan *s, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(s->end - s->at) < len || memcmp(s->at, word, len) != 0)
        return false;
    s->at += len;
    return true;
}

static bool
scan_digits(struct scan *s)
{
    const char *from = s->at;

    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return s->at > from;
}

static bool
scan_number(struct scan *s)
{
    take(s, '-');
    if (!take(s, '0') && !scan_digits(s))
        return false;
    if (take(s, '.') && !scan_digits(s))
        return false;
    if (take(s, 'e') || take(s, 'E')) {
        if (!take(s, '+'))
            take(s, '-');
        return scan_digits(s);
    }
    return true;
}

/* The four digits of \uXXXX; -1 when they are none. */
static long
scan_hex4(struct scan *s)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    long value = 0;

    for (int i = 0; i < 4; i++) {
        const char *d = s->at < s->end && *s->at ? strchr(digits, *s->at) : NULL;

        if (!d)
            return -1;
        value = value * 16 + (d - digits < 16 ? d - digits : d - digits - 6);
        s->at++;
    }
    return value;
}

/* One character of a string, escapes decoded (surrogates stay halves); -1 when it is none.
 * A character outside ASCII that was not escaped counts as 0x80, whatever it is. */
static long
scan_char(struct scan *s)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *name;
    size_t len;

    if (take(s, '\\')) {
        if (take(s, 'u'))
            return scan_hex4(s);
        name = s->at < s->end && *s->at ? strchr(names, *s->at) : NULL;
        if (!name)
            return -1;
        s->at++;
        return values[name - names];
    }
    len = json_text_utf8(s->at, (size_t)(s->end - s->at));
    if (len == 0 || (unsigned char)*s->at < 0x20)
        return -1;
    s->at += len;
    return len == 1 ? s->at[-1] : 0x80;
}

/* Goes over characters of a string that mean themselves; most of a large body is of these. */
static bool
skip_plain(struct scan *s)
{
    const char *from = s->at;

    while (s->at < s->end && *s->at >= ' ' && *s->at <= '~' && *s->at != '"' && *s->at != '\\')
        s->at++;
    return s->at > from;
}

/* A string from quote to quote. word (NULL: none asked) is compared with it on the way;
 * *ret_nul tells whether it holds a NUL. */
static bool
scan_string(struct scan *s, const char *word, bool *ret_same, bool *ret_nul)
{
    *ret_same = word != NULL;
    *ret_nul = false;
    if (!take(s, '"'))
        return false;
    while (!take(s, '"')) {
        long c;

        if (!*ret_same && skip_plain(s))
            continue;
        c = scan_char(s);
        if (c < 0)
            return false;
        if (c == 0)
            *ret_nul = true;
        if (*ret_same && (c == 0 || *word++ != c))
            *ret_same = false;
    }
    *ret_same = *ret_same && *word == '\0';
    return true;
}

static bool
scan_object(struct scan *s)
{
    skip_space(s);
    if (take(s, '}'))
        return true;
    do {
        bool same, nul;

        skip_space(s);
        if (!scan_string(s, NULL, &same, &nul) || nul)
            return false;
        skip_space(s);
        if (!take(s, ':') || !scan_value(s))
            return false;
    } while (take(s, ','));
    return take(s, '}');
}

static bool
scan_array(struct scan *s)
{
    skip_space(s);
    if (take(s, ']'))
        return true;
    do {
        if (!scan_value(s))
            return false;
    } while (take(s, ','));
    return take(s, ']');
}

/* A value and the white space on both sides. Recursion is bounded by depth_left. */
static bool
scan_value(struct scan *s)
{
    bool same, nul, good;

    skip_space(s);
    if (s->at == s->end)
        return false;
    switch (*s->at) {
    case '{':
    case '[':
        if (s->depth_left-- == 0)
            return false;
        good = *s->at++ == '{' ? scan_object(s) : scan_array(s);
        s->depth_left++;
        break;
    case '"':
        good = scan_string(s, NULL, &same, &nul);
        break;
    case 't':
        good = scan_word(s, "true");
        break;
    case 'f':
        good = scan_word(s, "false");
        break;
    case 'n':
        good = scan_word(s, "null");
        break;
    default:
        good = scan_number(s);
    }
    skip_space(s);
    return good;
}

bool
slice_check(const char *text, size_t len, int depth_max)
{
    struct scan s;

    if (len == 0)
        return false;
    s = (struct scan){.at = text, .end = text + len, .depth_left = depth_max};
    return scan_value(&s) && s.at == s.end;
}

/* A scan over text that was checked before: its depth needs no bound of its own. */
static struct scan
scan_again(struct slice text)
{
    const char *end = text.at ? text.at + text.len : NULL;

    return (struct scan){.at = text.at, .end = end, .depth_left = 1 << 20};
}

/* The value the scan stands before; the scan goes behind it. */
static struct slice
take_value(struct scan *s)
{
    struct slice v;

    skip_space(s);
    v.at = s->at;
    if (!scan_value(s))
        return (struct slice){0};
    v.len = (size_t)(s->at - v.at);
    while (v.len > 0 && strchr(" \t\n\r", v.at[v.len - 1]))
        v.len--;
    return v;
}

struct slice
slice_value(const char *text, size_t len)
{
    struct scan s = scan_again((struct slice){text, len});

    return take_value(&s);
}

void
slice_members(struct slice object, struct slice_member *members, size_t count)
{
    struct scan s = scan_again(object);

    for (size_t i = 0; i < count; i++)
        members[i] = (struct slice_member){.name = members[i].name};
    if (object.len == 0 || !take(&s, '{'))
        return;
    skip_space(&s);
    while (s.at < s.end && *s.at == '"') {
        struct slice value;
        const char *key = s.at;
        bool same, nul;

        if (!scan_string(&s, NULL, &same, &nul))
            return;
        skip_space(&s);
        if (!take(&s, ':'))
            return;
        value = take_value(&s);
        for (size_t i = 0; value.at && i < count; i++) {
            struct scan again = {.at = key, .end = s.end};

            if (scan_string(&again, members[i].name, &same, &nul) && same) {
                members[i].value = value;
                members[i].times++;
            }
        }
        take(&s, ',');
        skip_space(&s);
    }
}

bool
slice_next(struct slice array, struct slice *element)
{
    struct scan s = scan_again(array);

    if (array.len == 0 || !take(&s, '['))
        return false;
    if (element->at) {
        s.at = element->at + element->len;
        skip_space(&s);
        if (!take(&s, ','))
            return false;
    }
    skip_space(&s);
    if (s.at == s.end || *s.at == ']')
        return false;
    *element = take_value(&s);
    return element->at != NULL;
}

bool
slice_is_string(struct slice s)
{
    return s.len > 0 && s.at[0] == '"';
}

bool
slice_is_number(struct slice s)
{
    return s.len > 0 && (s.at[0] == '-' || (s.at[0] >= '0' && s.at[0] <= '9'));
}
