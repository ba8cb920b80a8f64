#include "config.h"

#include "core/languages.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    ROWS_MAX = 100,
    LIST_MAX = 32,  /* aliases of a row, words of an argv */
    WORD_MAX = 200, /* bytes of one string */
    FILE_DEPTH = 8,
};

/* One row being read: where a message says it is. */
struct at {
    size_t index;
    const char *id; /* "" until it is known */
};

static bool
wrong(const struct at *at, const char *key, const char *what, struct fault *f)
{
    return fault_set(f, FAULT_INTERNAL, "languages: row %zu%s%s%s: \"%s\" %s.", at->index + 1,
                     at->id[0] ? " (" : "", at->id, at->id[0] ? ")" : "", key, what);
}

/* A string of the file: not empty, short, without control bytes. */
static const char *
word(struct json_object *value, struct arena *a)
{
    const char *text;
    size_t len;

    if (!json_object_is_type(value, json_type_string))
        return NULL;
    text = json_object_get_string(value);
    len = (size_t)json_object_get_string_len(value);
    if (len == 0 || len > WORD_MAX)
        return NULL;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ')
            return NULL;
    return arena_strndup(a, text, len);
}

static bool
get_word(const struct at *at, struct json_object *row, const char *key, struct arena *a,
         const char **ret, struct fault *f)
{
    *ret = word(json_object_object_get(row, key), a);
    return *ret || wrong(at, key, "must be a string of 1 to 200 bytes", f);
}

/* A NULL-ended list of words; `first`, when given, is put in front. */
static bool
get_list(const struct at *at, struct json_object *row, const char *key, const char *first,
         struct arena *a, const char *const **ret, struct fault *f)
{
    struct json_object *list = json_object_object_get(row, key);
    size_t n, used = 0;
    const char **out;

    if (!json_object_is_type(list, json_type_array))
        return wrong(at, key, "must be an array of strings", f);
    n = json_object_array_length(list);
    if (n > LIST_MAX || (n == 0 && !first))
        return wrong(at, key, "must hold 1 to 32 strings", f);
    out = arena_alloc(a, (n + 2) * sizeof *out);
    if (first)
        out[used++] = first;
    for (size_t i = 0; i < n; i++) {
        const char *text = word(json_object_array_get_idx(list, i), a);

        if (!text)
            return wrong(at, key, "must hold strings of 1 to 200 bytes", f);
        if (!first || strcmp(text, first) != 0)
            out[used++] = text;
    }
    out[used] = NULL;
    *ret = out;
    return true;
}

static bool
get_switch(const struct at *at, struct json_object *row, const char *key, bool *ret,
           struct fault *f)
{
    struct json_object *value = json_object_object_get(row, key);

    if (!json_object_is_type(value, json_type_boolean))
        return wrong(at, key, "must be true or false", f);
    *ret = json_object_get_boolean(value);
    return true;
}

/* Words in braces stand for something only when they are {file}, {dir} or {main}. */
static bool
check_argv(const struct at *at, const char *key, const char *const *argv, struct fault *f)
{
    for (size_t i = 0; argv[i]; i++) {
        for (const char *p = strchr(argv[i], '{'); p; p = strchr(p + 1, '{')) {
            size_t n = strspn(p + 1, "abcdefghijklmnopqrstuvwxyz_");

            if (n > 0 && p[1 + n] == '}' && strncmp(p, "{file}", 6) != 0 &&
                strncmp(p, "{dir}", 5) != 0 && strncmp(p, "{main}", 6) != 0)
                return wrong(at, key, "has a placeholder other than {file}, {dir} and {main}", f);
        }
    }
    return true;
}

static bool
is_name(const char *s, const char *more)
{
    for (; *s; s++)
        if (!islower((unsigned char)*s) && !isdigit((unsigned char)*s) && !strchr(more, *s))
            return false;
    return true;
}

static bool
check_names(const struct at *at, const struct language *l, struct fault *f)
{
    if (!is_name(l->id, "+#-"))
        return wrong(at, "id", "may hold lower-case letters, digits, + # - only", f);
    for (size_t i = 0; l->aliases[i]; i++)
        if (!is_name(l->aliases[i], "+#-._ /"))
            return wrong(at, "aliases", "must be in lower case", f);
    if (!isalpha((unsigned char)l->file[0]) ||
        strspn(l->file, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") !=
            strlen(l->file))
        return wrong(at, "file", "must be a plain file name", f);
    return true;
}

static bool
check_keys(const struct at *at, struct json_object *row, struct fault *f)
{
    static const char *const keys[] = {"id",  "name",  "aliases", "file",      "compile",
                                       "run", "fence", "shell",   "class_file"};

    json_object_object_foreach (row, key, value) {
        size_t i = 0;

        (void)value;
        while (i < COUNT_OF(keys) && strcmp(key, keys[i]) != 0)
            i++;
        if (i == COUNT_OF(keys))
            return wrong(at, key, "is not a known key", f);
    }
    return true;
}

static bool
read_row(struct json_object *row, size_t index, struct arena *a, struct language *l,
         struct fault *f)
{
    struct at at = {.index = index, .id = ""};
    struct json_object *value;

    if (!json_object_is_type(row, json_type_object))
        return fault_set(f, FAULT_INTERNAL, "languages: row %zu is not an object.", index + 1);
    if (!get_word(&at, row, "id", a, &l->id, f))
        return false;
    at.id = l->id;
    if (!check_keys(&at, row, f) || !get_word(&at, row, "name", a, &l->name, f) ||
        !get_word(&at, row, "file", a, &l->file, f) ||
        !get_word(&at, row, "fence", a, &l->fence, f) ||
        !get_list(&at, row, "aliases", l->id, a, &l->aliases, f) || !check_names(&at, l, f) ||
        !get_list(&at, row, "run", NULL, a, &l->run, f) || !check_argv(&at, "run", l->run, f))
        return false;
    if (!json_object_object_get_ex(row, "compile", &value))
        return wrong(&at, "compile", "is missing (null when there is nothing to compile)", f);
    if (value && (!get_list(&at, row, "compile", NULL, a, &l->compile, f) ||
                  !check_argv(&at, "compile", l->compile, f)))
        return false;
    return get_switch(&at, row, "shell", &l->shell, f) &&
           (!json_object_object_get_ex(row, "class_file", NULL) ||
            get_switch(&at, row, "class_file", &l->class_file, f));
}

static bool
has_alias(const struct language *l, const char *name)
{
    for (size_t i = 0; l->aliases[i]; i++)
        if (strcmp(l->aliases[i], name) == 0)
            return true;
    return false;
}

/* No name may mean two languages. */
static bool
check_unique(const struct language *rows, size_t index, struct fault *f)
{
    const struct at at = {.index = index, .id = rows[index].id};

    for (size_t i = 0; i < index; i++)
        for (size_t j = 0; rows[index].aliases[j]; j++)
            if (has_alias(&rows[i], rows[index].aliases[j]))
                return wrong(&at, rows[index].aliases[j], "is a name of an earlier row too", f);
    return true;
}

bool
languages_load(const char *text, size_t len, struct arena *a, struct languages *ret,
               struct fault *f)
{
    struct json_tokener *tok = json_tokener_new_ex(FILE_DEPTH);
    own_json struct json_object *root = NULL;
    enum json_tokener_error error;
    struct language *rows;
    size_t count;

    json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    root = json_tokener_parse_ex(tok, text, len > INT_MAX ? INT_MAX : (int)len);
    error = json_tokener_get_error(tok);
    json_tokener_free(tok);
    if (error != json_tokener_success)
        return fault_set(f, FAULT_INTERNAL, "languages: not JSON: %s.",
                         json_tokener_error_desc(error));
    if (!json_object_is_type(root, json_type_array))
        return fault_set(f, FAULT_INTERNAL, "languages: the file must hold an array of rows.");
    count = json_object_array_length(root);
    if (count == 0 || count > ROWS_MAX)
        return fault_set(f, FAULT_INTERNAL, "languages: %zu rows; there must be 1 to %d.", count,
                         ROWS_MAX);
    rows = arena_alloc(a, count * sizeof *rows);
    memset(rows, 0, count * sizeof *rows);
    for (size_t i = 0; i < count; i++)
        if (!read_row(json_object_array_get_idx(root, i), i, a, &rows[i], f) ||
            !check_unique(rows, i, f))
            return false;
    *ret = (struct languages){.rows = rows, .count = count};
    return true;
}

static const struct language *
find(const struct languages *l, const char *name)
{
    for (size_t i = 0; i < l->count; i++)
        if (has_alias(&l->rows[i], name))
            return &l->rows[i];
    return NULL;
}

const struct language *
languages_find(const struct languages *l, const char *name)
{
    const struct language *hit;
    char lower[WORD_MAX];
    size_t len;

    name += strspn(name, " \t\r\n");
    len = strlen(name);
    while (len > 0 && strchr(" \t\r\n", name[len - 1]))
        len--;
    if (len == 0 || len >= sizeof lower)
        return NULL;
    for (size_t i = 0; i < len; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    lower[len] = '\0';
    hit = find(l, lower);
    if (hit)
        return hit;
    while (len > 0 && strchr("0123456789. ", lower[len - 1])) /* "C++20", "Python 3.13" */
        len--;
    lower[len] = '\0';
    return len > 0 ? find(l, lower) : NULL;
}

const char *
languages_names(const struct languages *l, struct arena *a)
{
    const char *names = "";

    for (size_t i = 0; i < l->count; i++)
        names = arena_printf(a, "%s%s%s", names, i ? ", " : "", l->rows[i].id);
    return names;
}
