/* Whatever the strict check lets pass, json-c reads too, and the raw text found for a member
 * means what json-c has under that name. */
#include "config.h"

#include "base/own.h"
#include "core/slice.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DEPTH = 16 };

/* NULL when json-c refuses it. The value is wrapped so that a bare number ends somewhere. */
static struct json_object *
parse(struct slice s)
{
    struct json_tokener *tok = json_tokener_new_ex(DEPTH + 3);
    struct json_object *wrapped, *value;

    json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    json_object_put(json_tokener_parse_ex(tok, "[", 1));
    json_object_put(json_tokener_parse_ex(tok, s.at, (int)s.len));
    wrapped = json_tokener_parse_ex(tok, "]", 1);
    json_tokener_free(tok);
    if (!wrapped)
        __builtin_trap();
    value = json_object_get(json_object_array_get_idx(wrapped, 0));
    json_object_put(wrapped);
    return value;
}

static void
check_elements(struct slice array, struct json_object *tree)
{
    struct slice element = {0};
    size_t n = 0;

    while (slice_next(array, &element)) {
        own_json struct json_object *value = parse(element);

        if (!json_object_equal(value, json_object_array_get_idx(tree, n++)))
            __builtin_trap();
    }
    if (n != json_object_array_length(tree))
        __builtin_trap();
}

static void
check_members(struct slice object, struct json_object *tree)
{
    struct slice_member m[] = {{.name = "id"}, {.name = "method"}};

    slice_members(object, m, COUNT_OF(m));
    for (size_t i = 0; i < COUNT_OF(m); i++) {
        struct json_object *there = NULL;
        own_json struct json_object *value = m[i].times ? parse(m[i].value) : NULL;

        if ((bool)json_object_object_get_ex(tree, m[i].name, &there) != (m[i].times > 0) ||
            !json_object_equal(value, there))
            __builtin_trap();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    own_json struct json_object *tree = NULL;
    struct slice whole;

    if (size > 65536 || !slice_check(text, size, DEPTH))
        return 0;
    whole = slice_value(text, size);
    tree = parse(whole);
    if (whole.at[0] == '[')
        check_elements(whole, tree);
    else if (whole.at[0] == '{')
        check_members(whole, tree);
    return 0;
}
