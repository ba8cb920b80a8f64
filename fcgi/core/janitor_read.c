#include "config.h"

#include "base/buf.h"
#include "core/janitor_read.h"
#include <stdio.h>
#include <string.h>

enum { NAME_LEN = 35, NAMES_MAX = 1 << 22 };

/* ---- values of a JSON object ------------------------------------------------------------ */

static const char *
text_of(struct json_object *o, const char *key, struct arena *a)
{
    struct json_object *v = NULL;
    const char *text = "";

    if (json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, key, &v) && v)
        text = json_object_get_string(v);
    return arena_strndup(a, text, strlen(text));
}

/* -1 for what is null or not there. */
static int64_t
number_of(struct json_object *o, const char *key)
{
    struct json_object *v = NULL;

    if (!json_object_object_get_ex(o, key, &v) || !v)
        return -1;
    return json_object_get_int64(v);
}

static bool
flag_of(struct json_object *o, const char *key)
{
    struct json_object *v = NULL;

    return json_object_object_get_ex(o, key, &v) && json_object_get_boolean(v);
}

/* The array under a key; NULL when there is none. */
static struct json_object *
array_of(struct json_object *o, const char *key)
{
    struct json_object *v = NULL;

    if (!json_object_is_type(o, json_type_object) || !json_object_object_get_ex(o, key, &v) ||
        !json_object_is_type(v, json_type_array))
        return NULL;
    return v;
}

/* ---- the engine ------------------------------------------------------------------------- */

static bool
is_ours(const char *name)
{
    return strlen(name) == NAME_LEN && strncmp(name, "bt-", 3) == 0 &&
           strspn(name + 3, "0123456789abcdef") == NAME_LEN - 3;
}

static enum box_seen
seen_of(const char *state)
{
    if (strcmp(state, "running") == 0 || strcmp(state, "paused") == 0)
        return SEEN_RUNNING;
    return strcmp(state, "exited") == 0 ? SEEN_STOPPED : SEEN_OTHER;
}

static bool
read_container(struct json_object *o, struct arena *a, struct container *ret)
{
    struct json_object *names = array_of(o, "Names"), *labels = NULL;
    const char *name;

    if (!names || json_object_array_length(names) == 0)
        return false;
    name = json_object_get_string(json_object_array_get_idx(names, 0));
    if (!name || !is_ours(name + (name[0] == '/')))
        return false;
    name += name[0] == '/';
    json_object_object_get_ex(o, "Labels", &labels);
    *ret = (struct container){
        .name = arena_strndup(a, name, strlen(name)),
        .image = text_of(o, "Image", a),
        .member_label = text_of(labels, "backtalk.member", a),
        .created = number_of(o, "Created"),
        .seen = seen_of(text_of(o, "State", a)),
    };
    return true;
}

bool
janitor_read_list(const char *json, struct arena *a, const struct container **ret,
                  size_t *ret_count, struct fault *f)
{
    own_json struct json_object *root = json_tokener_parse(json);
    struct container *list;
    size_t n = 0, count;

    if (!root || !json_object_is_type(root, json_type_array))
        return fault_set(f, FAULT_ENGINE, "the container engine's list cannot be read");
    count = json_object_array_length(root);
    list = arena_alloc(a, (count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        n += read_container(json_object_array_get_idx(root, i), a, &list[n]);
    *ret = list;
    *ret_count = n;
    return true;
}

const char *
janitor_names(const struct container *list, size_t count, struct arena *a)
{
    struct buf b;

    buf_init(&b, a, NAMES_MAX);
    buf_addc(&b, '{');
    for (size_t i = 0; i < count; i++)
        buf_printf(&b, "%s%s", i ? "," : "", list[i].name);
    buf_addc(&b, '}');
    return buf_text(&b);
}

/* ---- the record ------------------------------------------------------------------------- */

static const struct container *
find(const struct container *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static enum box_state
state_of(const char *word)
{
    if (strcmp(word, "running") == 0)
        return BOX_RUNNING;
    return strcmp(word, "stopped") == 0 ? BOX_STOPPED : BOX_CREATING;
}

static void
read_box(struct json_object *o, const struct container *list, size_t count, const char *image,
         struct arena *a, struct box *ret)
{
    const char *name = text_of(o, "container", a);
    const struct container *c = find(list, count, name);

    *ret = (struct box){
        .id = number_of(o, "id"),
        .member = number_of(o, "member"),
        .container = name,
        .state = state_of(text_of(o, "state", a)),
        .used = number_of(o, "used"),
        .called = number_of(o, "called"),
        .stopped = number_of(o, "stopped"),
        .size = number_of(o, "size"),
        .sized = number_of(o, "sized"),
        .cpu_ns = number_of(o, "cpu_ns"),
        .cpu_at = number_of(o, "cpu_at"),
        .running_limit = number_of(o, "running_limit"),
        .kept_limit = number_of(o, "kept_limit"),
        .in_call = flag_of(o, "in_call"),
        .asked = text_of(o, "asked", a)[0] != '\0',
        .image_old = flag_of(o, "image_old"),
        .seen = c ? c->seen : SEEN_ABSENT,
        .image_other = c && strcmp(c->image, image) != 0,
        .new_size = -1,
        .new_cpu_ns = -1,
    };
}

static void
read_loose(struct json_object *o, const struct container *list, size_t count, struct arena *a,
           struct loose *ret)
{
    const char *name = text_of(o, "container", a);
    const struct container *c = find(list, count, name);

    *ret = (struct loose){
        .container = name,
        .member_label = c ? c->member_label : "",
        .created = c ? c->created : -1,
        .running = c && c->seen == SEEN_RUNNING,
        .sandbox = number_of(o, "sandbox"),
        .removed = number_of(o, "removed"),
        .reason = text_of(o, "reason", a),
        .stray = text_of(o, "stray", a),
        .seen = number_of(o, "seen"),
        .size = number_of(o, "size"),
        .new_size = -1,
    };
}

static void
read_calls(struct json_object *list, struct arena *a, struct janitor_facts *ret)
{
    int64_t *calls;

    ret->lost_call_count = json_object_array_length(list);
    calls = arena_alloc(a, (ret->lost_call_count + 1) * sizeof *calls);
    for (size_t i = 0; i < ret->lost_call_count; i++)
        calls[i] = number_of(json_object_array_get_idx(list, i), "id");
    ret->lost_calls = calls;
}

static void
read_logs(struct json_object *list, struct arena *a, struct janitor_facts *ret)
{
    const char **logs;

    ret->old_log_count = json_object_array_length(list);
    logs = arena_alloc(a, (ret->old_log_count + 1) * sizeof *logs);
    for (size_t i = 0; i < ret->old_log_count; i++) {
        const char *name = json_object_get_string(json_object_array_get_idx(list, i));

        logs[i] = arena_strndup(a, name ? name : "", name ? strlen(name) : 0);
    }
    ret->old_logs = logs;
}

bool
janitor_read_record(const char *json, const struct container *list, size_t count, const char *image,
                    struct arena *a, struct janitor_facts *ret, struct fault *f)
{
    own_json struct json_object *root = json_tokener_parse(json);
    struct json_object *boxes = array_of(root, "machines"), *loose = array_of(root, "unknown");
    struct json_object *calls = array_of(root, "calls"), *logs = array_of(root, "logs");

    if (!boxes || !loose || !calls || !logs)
        return fault_set(f, FAULT_RECORD, "the record's snapshot cannot be read");
    *ret = (struct janitor_facts){
        .now = number_of(root, "now"),
        .box_count = json_object_array_length(boxes),
        .loose_count = json_object_array_length(loose),
    };
    ret->boxes = arena_alloc(a, (ret->box_count + 1) * sizeof *ret->boxes);
    ret->loose = arena_alloc(a, (ret->loose_count + 1) * sizeof *ret->loose);
    for (size_t i = 0; i < ret->box_count; i++)
        read_box(json_object_array_get_idx(boxes, i), list, count, image, a, &ret->boxes[i]);
    for (size_t i = 0; i < ret->loose_count; i++)
        read_loose(json_object_array_get_idx(loose, i), list, count, a, &ret->loose[i]);
    read_calls(calls, a, ret);
    read_logs(logs, a, ret);
    return true;
}
