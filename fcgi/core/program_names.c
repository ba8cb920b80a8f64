/* The code is read word by word, with comments, strings and character literals left out; only the
 * depth of braces is kept. */
#include "config.h"

#include "core/program_names.h"
#include <ctype.h>
#include <string.h>

enum { NAME_MAX_BYTES = 120 };

struct word {
    const char *text;
    size_t len;
};

struct reader {
    const char *p;
    int depth;           /* of braces */
    bool is_public;      /* "public" was read in the declaration under way */
    struct word package; /* len 0: none */
    struct word type;    /* the top-level type under way or read last */
    struct word public_type;
    struct word main_type; /* the first with a main */
    struct word first_type;
};

static bool
is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool
is(const struct word *w, const char *text)
{
    return w->len == strlen(text) && memcmp(w->text, text, w->len) == 0;
}

static const char *
after(const char *p, const char *end)
{
    const char *at = strstr(p, end);

    return at ? at + strlen(end) : p + strlen(p);
}

/* p stands on a quote; behind the literal, or behind the line where it is not closed. */
static const char *
skip_quoted(const char *p)
{
    char quote = *p;

    if (strncmp(p, "\"\"\"", 3) == 0)
        return after(p + 3, "\"\"\"");
    if (quote == '\'' && p[1] != '\\' && (p[1] == '\0' || p[2] != '\''))
        return p + 1; /* Scala's 'symbol */
    for (p++; *p && *p != quote && *p != '\n'; p++)
        if (*p == '\\' && p[1])
            p++;
    return *p ? p + 1 : p;
}

/* To the next thing that is neither space nor comment nor literal. */
static void
skip_rest(struct reader *r)
{
    for (;;) {
        if (strncmp(r->p, "//", 2) == 0)
            r->p = after(r->p, "\n");
        else if (strncmp(r->p, "/*", 2) == 0)
            r->p = after(r->p + 2, "*/");
        else if (*r->p == '"' || *r->p == '\'')
            r->p = skip_quoted(r->p);
        else if (isspace((unsigned char)*r->p))
            r->p++;
        else
            return;
    }
}

static struct word
read_word(struct reader *r, const char *more)
{
    struct word w = {.text = r->p};

    while (is_word_byte(*r->p) || (*r->p && strchr(more, *r->p)))
        r->p++;
    w.len = (size_t)(r->p - w.text);
    return w;
}

static bool
is_type_word(const struct word *w)
{
    return is(w, "class") || is(w, "object") || is(w, "interface") || is(w, "enum") ||
           is(w, "record") || is(w, "trait");
}

static void
read_type(struct reader *r)
{
    struct word name;

    skip_rest(r);
    name = read_word(r, "");
    if (name.len == 0)
        return;
    r->type = name;
    if (r->first_type.len == 0)
        r->first_type = name;
    if (r->is_public && r->public_type.len == 0)
        r->public_type = name;
    r->is_public = false;
}

static void
note_main(struct reader *r)
{
    if (r->main_type.len == 0)
        r->main_type = r->type;
}

static void
take_word(struct reader *r)
{
    struct word w = read_word(r, "");

    if (r->depth == 0) {
        if (is(&w, "package")) {
            skip_rest(r);
            r->package = read_word(r, ".");
        } else if (is(&w, "public")) {
            r->is_public = true;
        } else if (is_type_word(&w)) {
            read_type(r);
        } else if (is(&w, "App") && r->type.len > 0) { /* object X extends App */
            note_main(r);
        }
    } else if (r->depth == 1 && is(&w, "main")) {
        skip_rest(r);
        if (*r->p == '(')
            note_main(r);
    }
}

static void
read_code(struct reader *r)
{
    for (skip_rest(r); *r->p; skip_rest(r)) {
        if (is_word_byte(*r->p)) {
            take_word(r);
            continue;
        }
        if (*r->p == '{')
            r->depth++;
        else if (*r->p == '}' && r->depth > 0)
            r->depth--;
        if (r->depth == 0 && strchr(";}", *r->p))
            r->is_public = false;
        r->p++;
    }
}

void
program_names(const struct language *l, const char *code, struct arena *a,
              struct program_names *ret)
{
    struct reader r = {.p = code};
    struct word main, stem = {.text = l->file, .len = strcspn(l->file, ".")};

    ret->file = l->file;
    ret->main = arena_strndup(a, stem.text, stem.len);
    if (!l->class_file)
        return;
    read_code(&r);
    main = r.main_type.len     ? r.main_type
           : r.public_type.len ? r.public_type
           : r.first_type.len  ? r.first_type
                               : stem;
    if (main.len > NAME_MAX_BYTES || r.package.len > NAME_MAX_BYTES ||
        r.public_type.len > NAME_MAX_BYTES)
        return;
    if (r.public_type.len)
        ret->file = arena_printf(a, "%.*s%s", (int)r.public_type.len, r.public_type.text,
                                 l->file + stem.len);
    ret->main = arena_printf(a, "%.*s%s%.*s", (int)r.package.len, r.package.text,
                             r.package.len ? "." : "", (int)main.len, main.text);
}
