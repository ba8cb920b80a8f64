/* field.h - a table that describes the fields of a struct once, and serves these
 * readers: the binder of a tool's JSON arguments, the JSON Schema in tools/list, the
 * loader of settings (KEY=value text) and their documentation.
 *
 * The JSON binder is lenient where there is only one way to understand a value, since
 * small models get arguments almost right:
 *   - a name in another case or with other separators ("expectedOutput"), or one of
 *     the row's `aliases`; null is the same as absent
 *   - an integer as text ("30", "30 s" for seconds) or as 30.0
 *   - text given as a number, boolean, array or object becomes its compact JSON text,
 *     where the row says so
 *   - the whole arguments as a string that holds a JSON object, or wrapped once in
 *     {"arguments": {...}}
 * Everything else is refused (FAULT_ARGUMENT) in words that name the argument. */
#ifndef BASE_FIELD_H
#define BASE_FIELD_H

#include "base/arena.h"
#include "base/fault.h"
#include <stddef.h>
#include <stdint.h>

enum field_type {
    FIELD_INT,  /* int64_t */
    FIELD_TEXT, /* const char *: NUL-ended, without NUL bytes inside; NULL when absent */
};

/* What a text field does with a JSON number, boolean, array or object. */
enum field_json {
    FIELD_JSON_REFUSED,
    FIELD_JSON_TEXT,  /* its compact JSON text, silently */
    FIELD_JSON_NOTED, /* the same for a number or boolean; an array or object is noted */
};

struct field {
    const char *name;
    enum field_type type;
    enum field_json json;
    size_t offset;        /* of int64_t or const char * in the target struct */
    int64_t min, max;     /* int: value; text: length in bytes */
    int64_t def;          /* int: value when absent */
    const char *def_text; /* text: value when absent; NULL stays NULL */
    const char *unit;     /* "s", "ms", "bytes"; NULL if none */
    const char *doc;      /* one sentence, or a few words */
    const char *aliases;  /* other names, separated by spaces; NULL if none */
    const char *choices;  /* settings: the only values, separated by spaces; NULL: any */
    const char *too_long; /* text: what to do when the value is over max; NULL: nothing to say */
    bool required;
};

#define INT_FIELD(type_, member, ...)                                                              \
    {                                                                                              \
        .name = #member, .type = FIELD_INT, .offset = offsetof(type_, member), __VA_ARGS__         \
    }
#define TEXT_FIELD(type_, member, ...)                                                             \
    {                                                                                              \
        .name = #member, .type = FIELD_TEXT, .offset = offsetof(type_, member), __VA_ARGS__        \
    }

/* What was repaired on the way: whole sentences for the reader of the result. */
enum { REPAIRS_MAX = 4 };
struct repairs {
    size_t count;
    const char *list[REPAIRS_MAX];
};
/* Adds a sentence (static, or owned by the request's arena); ignored when the list is full. */
void repairs_add(struct repairs *r, const char *sentence);

/* Fills the struct `out` points at from a JSON object (or what stands for one, see above; NULL: no
 * arguments). Strings are copied into `a`. False: f->message says what is wrong with which
 * argument, f->hint what the nearest right name or value is, or "". */
bool field_bind(const struct field *fields, size_t count, struct json_object *args, struct arena *a,
                void *out, struct repairs *said, struct fault *f) MUST_CHECK;

/* One field from the text of a setting; NULL: the default. `shown` is its name in messages.
 * False: FAULT_INTERNAL, naming the setting, the value and what is allowed. */
bool field_read(const struct field *d, const char *shown, const char *text, struct arena *a,
                void *out, struct fault *f) MUST_CHECK;

/* JSON Schema of the table: type, properties, required, description, default, bounds of integers.
 * The caller owns the result. */
struct json_object *field_schema(const struct field *fields, size_t count);

#endif
