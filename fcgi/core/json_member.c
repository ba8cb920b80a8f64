#include "config.h"

#include "core/json_member.h"
#include <stddef.h>

struct json_object *
json_member(struct json_object *o, const char *name)
{
    struct json_object *value = NULL;

    if (json_object_is_type(o, json_type_object))
        json_object_object_get_ex(o, name, &value);
    return value;
}
