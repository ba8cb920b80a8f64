/* A model's answer in pieces of any size: no byte is lost, and the events are the same as at once.
 * As a text: behind it the appended program is a block of its own that holds its code. As a
 * request, a target, a header: nothing breaks. The first byte of the input is the size of the
 * pieces. */
#include "config.h"

#include "core/reply_answer.h"
#include "core/reply_choice.h"
#include "core/reply_http.h"
#include "core/reply_request.h"
#include "core/reply_write.h"
#include "core/sse_reader.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool promise)
{
    if (!promise)
        __builtin_trap();
}

/* Takes a stream apart; *ret_out: all events as they came, *ret_data: the data of each. */
static void
take(struct arena *a, const char *text, size_t len, size_t step, struct buf *ret_out,
     struct buf *ret_data)
{
    struct reply_answer answer;
    struct sse_reader r;
    size_t at = 0;

    buf_init(ret_out, a, SSE_EVENT_MAX);
    buf_init(ret_data, a, SSE_EVENT_MAX);
    sse_reader_init(&r, a);
    reply_answer_init(&answer, "", 0, a);
    while (at < len) {
        size_t left = len - at, data_len, out_len;
        struct json_object *final = NULL;
        const char *event;
        bool whole;

        at += sse_reader_take(&r, text + at, left < step ? left : step, &whole);
        if (!whole)
            continue;
        buf_add(ret_out, buf_text(&r.raw), r.raw.len);
        event = sse_reader_data(&r, &data_len);
        if (event) {
            buf_add(ret_data, event, data_len);
            buf_addc(ret_data, '\0');
            final = reply_answer_chunk(&answer, event, data_len);
        }
        if (final)
            must(reply_write_chunks(final, event, data_len, true, "x", 1, a, &out_len) != NULL);
        json_object_put(final);
        sse_reader_next(&r);
    }
    buf_add(ret_out, buf_text(&r.raw), r.raw.len);
    reply_answer_release(&answer);
}

static void
check_stream(struct arena *a, const char *text, size_t len, size_t step)
{
    struct buf whole, data, pieces, pieces_data;

    take(a, text, len, len + 1, &whole, &data);
    take(a, text, len, step, &pieces, &pieces_data);
    must(whole.len == len && memcmp(buf_text(&whole), text, len) == 0);
    must(pieces.len == len && memcmp(buf_text(&pieces), text, len) == 0);
    must(data.len == pieces_data.len &&
         memcmp(buf_text(&data), buf_text(&pieces_data), data.len) == 0);
}

/* The input is the text and the program as well. */
static void
check_appendix(struct arena *a, const char *text, size_t len)
{
    static const struct language python = {.id = "python", .fence = "python"};
    const struct reply_run run = {
        .language = &python, .code = text, .len = len, .tested = TESTED_RAN};
    struct code_blocks *b = arena_alloc(a, sizeof *b);
    struct reply_choice c;
    struct buf all;
    const char *more;
    size_t more_len;

    code_blocks_find(text, len, b);
    must(b->count <= CODE_BLOCKS_MAX);
    must(reply_choose(&run, 1, &c));
    if (b->thinking || b->count == CODE_BLOCKS_MAX)
        return;
    more = reply_appendix(text, len, b, &c, REPLY_DIFFERENT, a, &more_len);
    must(more != NULL);
    buf_init(&all, a, SIZE_MAX / 4);
    buf_add(&all, text, len);
    buf_add(&all, more, more_len);
    code_blocks_find(buf_text(&all), all.len, b);
    must(b->open_len == 0 && b->count > 0);
    b->list[0] = b->list[b->count - 1];
    must(b->list[0].len >= len && memcmp(b->list[0].code, text, len) == 0);
    must(b->list[0].tag_len == 6 && b->list[0].len - len <= 1);
}

static void
check_http(struct arena *a, const char *text, size_t len)
{
    const char *target = arena_strndup(a, text, len), *rest = reply_http_rest(target);
    struct reply_head h = {0};
    struct reply_request r;
    struct buf out, length;

    must(!rest || (rest >= target && rest <= target + strlen(target)));
    buf_init(&out, a, 65536);
    buf_init(&length, a, 65536);
    reply_http_header(text, len, &h, &out, &length);
    must(out.len + length.len <= len + 2);
    reply_request_read(text, len, a, &r);
    must(r.call_count <= REPLY_CALLS_MAX);
    reply_request_release(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a;

    if (size == 0 || size > 65536)
        return 0;
    a = arena_new(4096);
    check_stream(a, (const char *)data + 1, size - 1, data[0] ? data[0] : 1);
    check_appendix(a, (const char *)data + 1, size - 1);
    check_http(a, (const char *)data + 1, size - 1);
    arena_free(a);
    return 0;
}
