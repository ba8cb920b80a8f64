#include "config.h"

#include "base/field.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARGUMENTS_DEPTH = 32,
    SHOWN_MAX = 40, /* bytes of a client's word repeated in a message */
    NAME_MAX_BYTES = 64,
};

void
repairs_add(struct repairs *r, const char *sentence)
{
    if (r->count < REPAIRS_MAX)
        r->list[r->count++] = sentence;
}

/* A word of the client as a message may repeat it: short, whole characters, no controls. */
struct shown {
    char text[SHOWN_MAX + sizeof "..."];
};

static struct shown
show(const char *word)
{
    struct shown s;
    size_t n = strlen(word), len = n;

    if (n > SHOWN_MAX) {
        n = SHOWN_MAX;
        while (n > 0 && ((unsigned char)word[n] & 0xc0) == 0x80)
            n--;
    }
    for (size_t i = 0; i < n; i++)
        s.text[i] = (unsigned char)word[i] < ' ' || word[i] == 0x7f ? ' ' : word[i];
    snprintf(s.text + n, sizeof s.text - n, "%s", n < len ? "..." : "");
    return s;
}

/* ---- names ------------------------------------------------------------------------ */

/* The letters and digits of a name in lower case: "expectedOutput" and "expected_output" meet. */
static void
bare_name(char ret[NAME_MAX_BYTES], const char *name, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len && n < NAME_MAX_BYTES - 1; i++)
        if (name[i] != '_' && name[i] != '-' && name[i] != ' ')
            ret[n++] = (char)tolower((unsigned char)name[i]);
    ret[n] = '\0';
}

static bool
same_name(const char *bare, const char *name, size_t len)
{
    char other[NAME_MAX_BYTES];

    bare_name(other, name, len);
    return bare[0] != '\0' && strcmp(bare, other) == 0;
}

static bool
goes_by(const struct field *d, const char *bare)
{
    if (same_name(bare, d->name, strlen(d->name)))
        return true;
    for (const char *at = d->aliases; at && *at; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");

        if (same_name(bare, at, len))
            return true;
        at += len;
    }
    return false;
}

static const struct field *
find_field(const struct field *fields, size_t count, const char *key)
{
    char bare[NAME_MAX_BYTES];

    if (strlen(key) >= NAME_MAX_BYTES)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, key) == 0)
            return &fields[i];
    bare_name(bare, key, strlen(key));
    for (size_t i = 0; i < count; i++)
        if (goes_by(&fields[i], bare))
            return &fields[i];
    return NULL;
}

/* Letters to change, add or leave out to get from a to b (Levenshtein). */
static size_t
distance(const char *a, const char *b)
{
    size_t row[NAME_MAX_BYTES], m = strlen(b);

    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t corner = row[0];

        row[0] = i + 1;
        for (size_t j = 0; j < m; j++) {
            size_t best = corner + (a[i] != b[j]);

            if (row[j] + 1 < best)
                best = row[j] + 1;
            corner = row[j + 1];
            if (corner + 1 < best)
                best = corner + 1;
            row[j + 1] = best;
        }
    }
    return row[m];
}

static bool
refuse_unknown(const struct field *fields, size_t count, const char *key, struct fault *f)
{
    char bare[NAME_MAX_BYTES], names[200] = "";
    const char *nearest = NULL;
    size_t best = 3, len = 0;

    fault_set(f, FAULT_ARGUMENT, "There is no argument \"%s\".", show(key).text);
    if (count == 0) {
        fault_hint(f, "It takes no arguments.");
        return false;
    }
    bare_name(bare, key, strlen(key));
    for (size_t i = 0; i < count; i++) {
        const char *name = fields[i].name;
        size_t d = distance(bare, name);
        int n = snprintf(names + len, sizeof names - len, "%s\"%s\"", i ? ", " : "", name);

        len += n > 0 && (size_t)n < sizeof names - len ? (size_t)n : 0;
        if (strncmp(bare, name, strlen(name)) == 0)
            d = 0; /* "timeout_ms" */
        if (d < best) {
            best = d;
            nearest = name;
        }
    }
    if (nearest)
        fault_hint(f, "Did you mean \"%s\"? The arguments are %s.", nearest, names);
    else
        fault_hint(f, "The arguments are %s.", names);
    return false;
}

/* ---- values ----------------------------------------------------------------------- */

static const char *
type_words(struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_boolean:
        return "true or false";
    case json_type_double:
    case json_type_int:
        return "a number";
    case json_type_object:
        return "an object";
    case json_type_array:
        return "an array";
    case json_type_string:
        return "a string";
    case json_type_null:
        break;
    }
    return "null";
}

static bool
range(const struct field *d, struct fault *f, enum fault_kind kind, const char *what)
{
    const char *space = d->unit ? " " : "", *unit = d->unit ? d->unit : "";

    if (strcmp(unit, "s") == 0)
        unit = "seconds";

    return fault_set(f, kind, "%s must be a whole number from %" PRId64 " to %" PRId64 "%s%s.",
                     what, d->min, d->max, space, unit);
}

/* "30", " 30 ", "30.0"; "30s" and "30 s" when the field counts seconds. */
static bool
parse_int(const struct field *d, const char *text, int64_t *ret)
{
    char *end;
    long long n;

    text += strspn(text, " \t\r\n");
    if (!isdigit((unsigned char)*text) && *text != '-')
        return false;
    errno = 0;
    n = strtoll(text, &end, 10);
    if (errno != 0 || end == text)
        return false;
    if (*end == '.' && end[1] == '0') {
        end++;
        end += strspn(end, "0");
    }
    end += strspn(end, " \t\r\n");
    if (*end == 's' && d->unit && strcmp(d->unit, "s") == 0)
        end++;
    end += strspn(end, " \t\r\n");
    *ret = n;
    return *end == '\0';
}

static bool
json_int(const struct field *d, struct json_object *value, int64_t *ret)
{
    if (json_object_is_type(value, json_type_int)) {
        *ret = json_object_get_int64(value);
        return true;
    }
    if (json_object_is_type(value, json_type_double)) {
        double x = json_object_get_double(value);

        if (!(x > -9e15 && x < 9e15) || x != (double)(int64_t)x)
            return false;
        *ret = (int64_t)x;
        return true;
    }
    return json_object_is_type(value, json_type_string) &&
           (size_t)json_object_get_string_len(value) == strlen(json_object_get_string(value)) &&
           parse_int(d, json_object_get_string(value), ret);
}

static bool
bind_int(const struct field *d, struct json_object *value, void *at, struct fault *f)
{
    int64_t n = d->def;

    if (value && (!json_int(d, value, &n) || n < d->min || n > d->max)) {
        char what[NAME_MAX_BYTES + 16];

        snprintf(what, sizeof what, "Argument \"%s\"", d->name);
        return range(d, f, FAULT_ARGUMENT, what);
    }
    memcpy(at, &n, sizeof n);
    return true;
}

/* Text of a value that is no string, where the field takes it. */
static const char *
json_text(const struct field *d, struct json_object *value, size_t *ret_len, struct arena *a,
          struct repairs *said)
{
    const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
    bool nested =
        json_object_is_type(value, json_type_array) || json_object_is_type(value, json_type_object);

    if (d->json == FIELD_JSON_NOTED && nested)
        repairs_add(said, arena_printf(a,
                                       "\"%s\" was %s: its JSON text was taken. For any other text "
                                       "give \"%s\" as one string.",
                                       d->name, type_words(value), d->name));
    return json_object_to_json_string_length(value, flags, ret_len);
}

static bool
refuse_length(const struct field *d, size_t len, struct fault *f)
{
    if (len < (size_t)d->min)
        return fault_set(f, FAULT_ARGUMENT, "Argument \"%s\" is empty.", d->name);
    fault_set(f, FAULT_ARGUMENT,
              "Argument \"%s\" is %zu bytes long; the limit is %" PRId64 " bytes.", d->name, len,
              d->max);
    if (d->too_long)
        fault_hint(f, "%s", d->too_long);
    return false;
}

static bool
bind_text(const struct field *d, struct json_object *value, struct arena *a, void *at,
          struct repairs *said, struct fault *f)
{
    const char *text = d->def_text;

    if (value) {
        size_t len;

        if (json_object_is_type(value, json_type_string)) {
            text = json_object_get_string(value);
            len = (size_t)json_object_get_string_len(value);
        } else if (d->json == FIELD_JSON_REFUSED) {
            return fault_set(f, FAULT_ARGUMENT, "Argument \"%s\" must be one string, not %s.",
                             d->name, type_words(value));
        } else {
            text = json_text(d, value, &len, a, said);
        }
        if (len < (size_t)d->min || len > (size_t)d->max)
            return refuse_length(d, len, f);
        if (memchr(text, '\0', len))
            return fault_set(f, FAULT_ARGUMENT,
                             "Argument \"%s\" holds a NUL byte (\\u0000). It must be plain text.",
                             d->name);
        text = arena_strndup(a, text, len);
    }
    memcpy(at, &text, sizeof text);
    return true;
}

/* ---- arguments -------------------------------------------------------------------- */

/* The object meant by `args`: itself, the object in a string, or the one wrapped in "arguments".
 * *own holds a parsed string. NULL: no object. */
static struct json_object *
find_object(const struct field *fields, size_t count, struct json_object *args,
            struct json_object **own)
{
    static const char *const wraps[] = {"arguments", "parameters", "args", "params"};

    if (json_object_is_type(args, json_type_string)) {
        const char *text = json_object_get_string(args);
        size_t len = (size_t)json_object_get_string_len(args);
        struct json_tokener *tok;

        if (strspn(text, " \t\r\n") == len) {
            *own = json_object_new_object();
        } else if (len < INT_MAX) {
            tok = json_tokener_new_ex(ARGUMENTS_DEPTH);
            json_tokener_set_flags(tok, JSON_TOKENER_VALIDATE_UTF8);
            *own = json_tokener_parse_ex(tok, text, (int)len);
            json_tokener_free(tok);
        }
        args = *own;
    }
    if (!json_object_is_type(args, json_type_object) || json_object_object_length(args) != 1)
        return json_object_is_type(args, json_type_object) ? args : NULL;
    for (size_t i = 0; i < COUNT_OF(wraps); i++) {
        struct json_object *inner;

        if (!find_field(fields, count, wraps[i]) &&
            json_object_object_get_ex(args, wraps[i], &inner) &&
            json_object_is_type(inner, json_type_object))
            return inner;
    }
    return args;
}

/* Small models fill what they leave out with null, and a number with "". */
static bool
is_absent(const struct field *d, struct json_object *value)
{
    const char *text;

    if (!value || d->type != FIELD_INT || !json_object_is_type(value, json_type_string))
        return !value;
    text = json_object_get_string(value);
    return strspn(text, " \t\r\n") == (size_t)json_object_get_string_len(value);
}

/* The value given for one field under any of its names; NULL when absent. */
static bool
find_value(const struct field *fields, size_t count, const struct field *d,
           struct json_object *args, struct json_object **ret, struct fault *f)
{
    const char *under = NULL;

    *ret = NULL;
    json_object_object_foreach (args, key, value) {
        if (find_field(fields, count, key) != d || is_absent(d, value))
            continue;
        if (*ret && !json_object_equal(*ret, value))
            return fault_set(f, FAULT_ARGUMENT,
                             "Argument \"%s\" is given twice: as \"%s\" and as \"%s\".", d->name,
                             show(under).text, show(key).text);
        *ret = value;
        under = key;
    }
    return true;
}

bool
field_bind(const struct field *fields, size_t count, struct json_object *args, struct arena *a,
           void *out, struct repairs *said, struct fault *f)
{
    own_json struct json_object *own = args ? NULL : json_object_new_object();
    struct json_object *object = find_object(fields, count, args ? args : own, &own);

    if (!object)
        return fault_set(f, FAULT_ARGUMENT, "The arguments must be one JSON object.");
    json_object_object_foreach (object, key, given) {
        if (given && !find_field(fields, count, key))
            return refuse_unknown(fields, count, key, f);
    }
    for (size_t i = 0; i < count; i++) {
        const struct field *d = &fields[i];
        char *at = (char *)out + d->offset;
        struct json_object *value;

        if (!find_value(fields, count, d, object, &value, f))
            return false;
        if (!value && d->required)
            return fault_set(f, FAULT_ARGUMENT, "Argument \"%s\" is missing.", d->name);
        if (!(d->type == FIELD_INT ? bind_int(d, value, at, f)
                                   : bind_text(d, value, a, at, said, f)))
            return false;
    }
    return true;
}

/* ---- settings --------------------------------------------------------------------- */

static bool
is_choice(const char *choices, const char *text)
{
    size_t len = strlen(text);

    for (const char *at = choices; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");

        if (n == len && strncmp(at, text, n) == 0)
            return true;
        at += n;
    }
    return false;
}

bool
field_read(const struct field *d, const char *shown, const char *text, struct arena *a, void *out,
           struct fault *f)
{
    char *at = (char *)out + d->offset;

    if (d->type == FIELD_INT) {
        int64_t n = d->def;

        if (text && (!parse_int(d, text, &n) || n < d->min || n > d->max)) {
            char what[128];

            snprintf(what, sizeof what, "%s is \"%s\"; it", shown, show(text).text);
            return range(d, f, FAULT_INTERNAL, what);
        }
        memcpy(at, &n, sizeof n);
        return true;
    }
    if (text && d->choices && !is_choice(d->choices, text))
        return fault_set(f, FAULT_INTERNAL, "%s is \"%s\"; it must be one of: %s.", shown,
                         show(text).text, d->choices);
    if (text && (strlen(text) < (size_t)d->min || strlen(text) > (size_t)d->max))
        return fault_set(f, FAULT_INTERNAL,
                         "%s is \"%s\"; it must be %" PRId64 " to %" PRId64 " bytes long.", shown,
                         show(text).text, d->min, d->max);
    if (!text && d->required)
        return fault_set(f, FAULT_INTERNAL, "%s is not set: %s", shown, d->doc);
    text = text ? arena_strndup(a, text, strlen(text)) : d->def_text;
    memcpy(at, &text, sizeof text);
    return true;
}

/* ---- schema ----------------------------------------------------------------------- */

/* No bounds on text: grammar-constrained decoders unroll a maxLength of millions. */
struct json_object *
field_schema(const struct field *fields, size_t count)
{
    own_json struct json_object *schema = json_object_new_object();
    struct json_object *props = json_object_new_object();
    own_json struct json_object *required = json_object_new_array();

    json_object_object_add(schema, "type", json_object_new_string("object"));
    json_object_object_add(schema, "properties", props);
    for (size_t i = 0; i < count; i++) {
        const struct field *d = &fields[i];
        struct json_object *p = json_object_new_object();

        json_object_object_add(p, "type",
                               json_object_new_string(d->type == FIELD_INT ? "integer" : "string"));
        json_object_object_add(p, "description", json_object_new_string(d->doc));
        if (d->type == FIELD_INT) {
            json_object_object_add(p, "minimum", json_object_new_int64(d->min));
            json_object_object_add(p, "maximum", json_object_new_int64(d->max));
            if (!d->required)
                json_object_object_add(p, "default", json_object_new_int64(d->def));
        }
        json_object_object_add(props, d->name, p);
        if (d->required)
            json_object_array_add(required, json_object_new_string(d->name));
    }
    if (json_object_array_length(required) > 0)
        json_object_object_add(schema, "required", json_object_get(required));
    return TAKE(schema);
}
