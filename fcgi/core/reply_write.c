#include "config.h"

#include "base/buf.h"
#include "core/json_member.h"
#include "core/json_text.h"
#include "core/reply_write.h"
#include <string.h>

enum {
    CHUNK_BYTES = 1024, /* text of one chunk */
    OUT_MAX = 16 << 20,
    JSON_FLAGS = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE,
};

static struct json_object *
first_choice(struct json_object *root)
{
    struct json_object *choices = json_member(root, "choices");

    return json_object_is_type(choices, json_type_array) ? json_object_array_get_idx(choices, 0)
                                                         : NULL;
}

static void
add_event(struct buf *b, struct json_object *chunk)
{
    buf_adds(b, "data: ");
    buf_adds(b, json_object_to_json_string_ext(chunk, JSON_FLAGS));
    buf_adds(b, "\n\n");
}

/* What all chunks of an answer have in common; the caller owns it. */
static struct json_object *
chunk_like(struct json_object *final)
{
    static const char *const names[] = {
        "id", "object", "created", "model", "system_fingerprint", "service_tier"};
    struct json_object *o = json_object_new_object();

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct json_object *value = NULL;

        if (json_object_object_get_ex(final, names[i], &value))
            json_object_object_add(o, names[i], json_object_get(value));
    }
    return o;
}

static void
add_delta(struct buf *b, struct json_object *final, bool with_role, const char *text, size_t len)
{
    own_json struct json_object *chunk = chunk_like(final);
    struct json_object *choices = json_object_new_array(), *choice = json_object_new_object(),
                       *delta = json_object_new_object(), *logprobs = NULL;

    if (with_role)
        json_object_object_add(delta, "role", json_object_new_string("assistant"));
    json_object_object_add(delta, "content", json_object_new_string_len(text, (int)len));
    json_object_object_add(choice, "index", json_object_new_int(0));
    json_object_object_add(choice, "delta", delta);
    if (json_object_object_get_ex(first_choice(final), "logprobs", &logprobs))
        json_object_object_add(choice, "logprobs", NULL);
    json_object_object_add(choice, "finish_reason", NULL);
    json_object_array_add(choices, choice);
    json_object_object_add(chunk, "choices", choices);
    add_event(b, chunk);
}

/* As many whole characters as fit into a chunk. */
static size_t
piece(const char *text, size_t len)
{
    size_t n = len < CHUNK_BYTES ? len : CHUNK_BYTES;

    while (n > 1 && n < len && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return n;
}

const char *
reply_write_chunks(struct json_object *final, const char *raw, size_t raw_len, bool has_role,
                   const char *text, size_t len, struct arena *a, size_t *ret_len)
{
    struct json_object *delta = json_member(first_choice(final), "delta"),
                       *own = json_member(delta, "content");
    size_t own_len = own ? (size_t)json_object_get_string_len(own) : 0;
    struct buf b;

    buf_init(&b, a, OUT_MAX);
    if (json_member(delta, "role"))
        has_role = false; /* it is told here, and no chunk before has */
    if (own_len > 0) {
        add_delta(&b, final, !has_role, json_object_get_string(own), own_len);
        has_role = true;
    }
    while (len > 0) {
        size_t n = piece(text, len);

        add_delta(&b, final, !has_role, text, n);
        has_role = true;
        text += n;
        len -= n;
    }
    if (own_len > 0) {
        json_object_object_add(delta, "content", json_object_new_string(""));
        add_event(&b, final);
    } else {
        buf_add(&b, raw, raw_len);
    }
    *ret_len = b.len;
    return b.full ? NULL : buf_text(&b);
}

const char *
reply_write_whole(struct json_object *root, const char *text, size_t len, struct arena *a,
                  size_t *ret_len)
{
    struct json_object *message = json_member(first_choice(root), "message"),
                       *content = json_member(message, "content");
    struct buf whole, out;

    if (!message)
        return NULL;
    buf_init(&whole, a, OUT_MAX);
    if (content)
        buf_add(&whole, json_object_get_string(content),
                (size_t)json_object_get_string_len(content));
    buf_add(&whole, text, len);
    if (whole.full)
        return NULL;
    json_object_object_add(message, "content",
                           json_object_new_string_len(buf_text(&whole), (int)whole.len));
    buf_init(&out, a, 2 * (size_t)OUT_MAX);
    buf_adds(&out, json_object_to_json_string_ext(root, JSON_FLAGS));
    *ret_len = out.len;
    return out.full ? NULL : buf_text(&out);
}
