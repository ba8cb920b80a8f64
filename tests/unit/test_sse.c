/* test_sse.c - events of a stream, in pieces of every kind. */
#include "config.h"

#include "core/sse_reader.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena *a;
static struct sse_reader r;
static char events[4096], datas[4096];

static int
setup(void **state)
{
    (void)state;
    a = arena_new(4096);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    arena_free(a);
    return 0;
}

static void
append(char *to, const char *bytes, size_t len, char end)
{
    size_t n = strlen(to);

    assert_true(n + len + 2 < sizeof events);
    memcpy(to + n, bytes, len);
    to[n + len] = end;
    to[n + len + 1] = '\0';
}

/* Feeds text cut at the two places; events ends up as each event and a |, datas as each data. */
static void
feed(const char *text, size_t len, size_t cut, size_t cut2)
{
    size_t at = 0;

    arena_reset(a);
    sse_reader_init(&r, a);
    events[0] = datas[0] = '\0';
    while (at < len) {
        size_t end = at < cut ? cut : at < cut2 ? cut2 : len, n, data_len;
        const char *data;
        bool whole;

        n = sse_reader_take(&r, text + at, end - at, &whole);
        assert_true((n > 0 || whole) && n <= end - at);
        at += n;
        if (!whole)
            continue;
        append(events, buf_text(&r.raw), r.raw.len, '|');
        data = sse_reader_data(&r, &data_len);
        if (data)
            append(datas, data, data_len, '|');
        sse_reader_next(&r);
    }
    append(events, buf_text(&r.raw), r.raw.len, '$');
}

static void
check(const char *text, const char *want_events, const char *want_datas)
{
    size_t len = strlen(text);

    for (size_t cut = 0; cut <= len; cut++)
        for (size_t cut2 = cut; cut2 <= len; cut2++) {
            feed(text, len, cut, cut2);
            assert_string_equal(datas, want_datas);
            if (want_events)
                assert_string_equal(events, want_events);
        }
}

static void
every_cut(void **state)
{
    (void)state;
    check("data: a\r\n\r\ndata:b\r\n\r\n", "data: a\r\n\r\n|data:b\r\n\r\n|$", "a|b|");
    check("data: a\n\ndata:b\n\n", "data: a\n\n|data:b\n\n|$", "a|b|");
    check("data: \xc3\xa9\n\n: hi\n\ndata: [DONE]\n\n",
          "data: \xc3\xa9\n\n|: hi\n\n|data: [DONE]\n\n|$", "\xc3\xa9|[DONE]|");
    check("event: x\ndata: 1\ndata: 2\nid: 3\n\n", NULL, "1\n2|");
    check("data\ndata:\n\n", NULL, "\n|");
    check("data:  two\n\n", NULL, " two|");
    check("database: x\n\n", NULL, "");
    check("\n\ndata: a\n\n", NULL, "a|");
    check("data: open", "data: open$", "");
    check("data: open\n", "data: open\n$", "");
}

/* The bytes are the same whatever ends the lines; where an event ends may differ by the last LF. */
static void
line_ends(void **state)
{
    static const char *const texts[] = {
        "data: a\r\rdata: b\r\r",
        ": x\r\n\rdata: a\r\rdata: b\n\n",
        "data: a\r\n\ndata: b\n\r\n",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        check(texts[i], NULL, "a|b|");
        for (size_t cut = 0; cut <= strlen(texts[i]); cut++) {
            size_t n = 0;

            feed(texts[i], strlen(texts[i]), cut, cut);
            for (size_t j = 0; events[j]; j++)
                if (events[j] != '|' && events[j] != '$')
                    events[n++] = events[j];
            events[n] = '\0';
            assert_string_equal(events, texts[i]);
        }
    }
}

static void
too_long(void **state)
{
    static char much[SSE_EVENT_MAX + 1];
    bool whole;

    (void)state;
    memset(much, 'x', sizeof much);
    sse_reader_init(&r, a);
    assert_int_equal(sse_reader_take(&r, "data: ", 6, &whole), 6);
    assert_int_equal(sse_reader_take(&r, much, sizeof much, &whole), 0);
    assert_false(whole);
    assert_int_equal(r.raw.len, 6);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut),
        cmocka_unit_test(line_ends),
        cmocka_unit_test(too_long),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
