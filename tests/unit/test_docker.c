/* test_docker.c - the engine's side of an attach: the multiplexed stream and the HTTP head. */
#include "config.h"

#include "base/own.h"
#include "core/docker_stream.h"
#include "core/http_head.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BYTES(s) (const uint8_t *)(s), sizeof(s) - 1

static struct demux d;
static char got[4096];
static size_t got_len;

static int
setup(void **state)
{
    (void)state;
    demux_init(&d);
    got_len = 0;
    return 0;
}

/* Feeds the bytes in pieces of `step`; how many were taken. */
static size_t
feed(const uint8_t *bytes, size_t len, size_t step)
{
    size_t at = 0;

    while (at < len) {
        const uint8_t *out;
        size_t n = len - at < step ? len - at : step, out_len,
               used = demux_next(&d, bytes + at, n, &out, &out_len);

        if (used == 0)
            break;
        assert_true(used <= n && out_len <= used && got_len + out_len <= sizeof got);
        memcpy(got + got_len, out, out_len);
        got_len += out_len;
        at += used;
    }
    return at;
}

#define STREAM                                                                                     \
    "\1\0\0\0\0\0\0\5hello"                                                                        \
    "\2\0\0\0\0\0\0\3ab\n"                                                                         \
    "\1\0\0\0\0\0\0\0"                                                                             \
    "\3\0\0\0\0\0\0\1c"                                                                            \
    "\1\0\0\0\0\0\0\6 world"

static void
pieces_of_any_size(void **state)
{
    for (size_t step = 1; step <= sizeof STREAM; step++) {
        setup(state);
        assert_int_equal(feed(BYTES(STREAM), step), sizeof STREAM - 1);
        assert_int_equal(got_len, 11);
        assert_memory_equal(got, "hello world", 11);
        assert_string_equal(d.complaint, "ab c");
        assert_false(d.bad);
    }
}

static void
other_streams_are_refused(void **state)
{
    static const char *const bad[] = {
        "\0\0\0\0\0\0\0\1", "\4\0\0\0\0\0\0\1", "\1\1\0\0\0\0\0\1",
        "\1\0\0\1\0\0\0\1", "HTTP/1.1",         "\xff\xff\xff\xff\xff\xff\xff\xff",
    };

    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        setup(state);
        feed((const uint8_t *)bad[i], 8, 3);
        assert_true(d.bad);
        assert_int_equal(feed(BYTES("more"), 4), 0);
        assert_int_equal(got_len, 0);
    }
}

static void
a_flood_of_complaints_is_bounded(void **state)
{
    uint8_t piece[8 + 200] = {2, 0, 0, 0, 0, 0, 0, 200};

    (void)state;
    memset(piece + 8, 'x', 200);
    for (int i = 0; i < 100; i++)
        assert_int_equal(feed(piece, sizeof piece, 64), sizeof piece);
    assert_int_equal(strlen(d.complaint), DEMUX_COMPLAINT_BYTES - 1);
}

static void
a_piece_of_four_gigabytes_is_only_a_number(void **state)
{
    (void)state;
    assert_int_equal(feed(BYTES("\1\0\0\0\xff\xff\xff\xff"
                                "abc"),
                          64),
                     11);
    assert_int_equal(got_len, 3);
    assert_int_equal(d.left, 0xffffffff - 3);
}

/* ---- head --------------------------------------------------------------------------- */

#define ATTACHED                                                                                   \
    "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.multiplexed-stream\r\n"         \
    "Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n"

static enum http_head_state
parse(const char *text, struct http_head *ret)
{
    memset(ret, 0x55, sizeof *ret);
    return http_head_parse(text, strlen(text), ret);
}

static void
heads_arrive_in_pieces(void **state)
{
    struct http_head h;

    (void)state;
    for (size_t len = 0; len < sizeof ATTACHED - 1; len++)
        assert_int_equal(http_head_parse(ATTACHED, len, &h), HTTP_HEAD_MORE);
    assert_int_equal(parse(ATTACHED "\1\0\0\0", &h), HTTP_HEAD_WHOLE);
    assert_int_equal(h.status, 101);
    assert_int_equal(h.len, sizeof ATTACHED - 1);
    assert_int_equal(h.content_length, -1);
    assert_false(h.chunked);
}

static void
heads_with_a_body(void **state)
{
    struct http_head h;

    (void)state;
    assert_int_equal(parse("HTTP/1.1 404 Not Found\r\ncontent-length:  45 \r\n\r\n", &h),
                     HTTP_HEAD_WHOLE);
    assert_int_equal(h.status, 404);
    assert_int_equal(h.content_length, 45);
    assert_int_equal(parse("HTTP/1.0 200 OK\nTransfer-Encoding: Chunked\n\n", &h), HTTP_HEAD_WHOLE);
    assert_true(h.chunked);
    assert_int_equal(parse("HTTP/1.1 204\r\n\r\n", &h), HTTP_HEAD_WHOLE);
    assert_int_equal(h.status, 204);
    assert_int_equal(parse("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n", &h),
                     HTTP_HEAD_WHOLE);
}

static void
what_is_no_head(void **state)
{
    static const char *const bad[] = {
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.x 200 OK\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 099 X\r\n\r\n",
        "HTTP/1.1 600 X\r\n\r\n",
        "HTTP/1.1  200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: empty\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "\r\n\r\n",
    };
    struct http_head h;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (parse(bad[i], &h) != HTTP_HEAD_BAD)
            fail_msg("accepted: %s", bad[i]);
    assert_int_equal(http_head_parse("HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", 25, &h), HTTP_HEAD_BAD);
}

static void
endless_heads_are_given_up(void **state)
{
    static char head[HTTP_HEAD_MAX + 100];
    struct http_head h;

    (void)state;
    memset(head, 'a', sizeof head);
    memcpy(head, "HTTP/1.1 200 OK\r\nX: ", 20);
    assert_int_equal(http_head_parse(head, HTTP_HEAD_MAX - 1, &h), HTTP_HEAD_MORE);
    assert_int_equal(http_head_parse(head, HTTP_HEAD_MAX, &h), HTTP_HEAD_BAD);
    memcpy(head + HTTP_HEAD_MAX - 2, "\r\n\r\n", 4);
    assert_int_equal(http_head_parse(head, sizeof head, &h), HTTP_HEAD_BAD);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(pieces_of_any_size, setup),
        cmocka_unit_test_setup(other_streams_are_refused, setup),
        cmocka_unit_test_setup(a_flood_of_complaints_is_bounded, setup),
        cmocka_unit_test_setup(a_piece_of_four_gigabytes_is_only_a_number, setup),
        cmocka_unit_test(heads_arrive_in_pieces),
        cmocka_unit_test(heads_with_a_body),
        cmocka_unit_test(what_is_no_head),
        cmocka_unit_test(endless_heads_are_given_up),
    };

    return cmocka_run_group_tests_name("docker", tests, NULL, NULL);
}
