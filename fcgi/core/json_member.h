/* json_member.h - one member of a JSON value that may be of any type. Pure. */
#ifndef CORE_JSON_MEMBER_H
#define CORE_JSON_MEMBER_H

#include <json-c/json.h>

/* Borrowed from o; NULL when o is no object, has no such member, or it is null. */
struct json_object *json_member(struct json_object *o, const char *name);

#endif
