/* Bytes to text: tables of what comes in and what a client may see of it. */
#include "config.h"

#include "core/clean.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BAD "\xef\xbf\xbd"

static struct arena *arena;

static const char *
cleaned(const char *raw, size_t len)
{
    struct buf b;

    buf_init(&b, arena, clean_bound(len));
    clean_text(&b, raw, len);
    assert_false(b.full);
    assert_int_equal(strlen(buf_text(&b)), b.len);
    return buf_text(&b);
}

#define ROW(raw, text)                                                                             \
    {                                                                                              \
        raw, sizeof raw - 1, text                                                                  \
    }
static const struct {
    const char *raw;
    size_t len;
    const char *text;
} rows[] = {
    ROW("", ""),
    ROW("plain\ttext\n", "plain\ttext\n"),
    ROW("no end", "no end"),
    ROW("\n\n", "\n\n"),
    /* control characters */
    ROW("a\0b\001c\007d\013e\014f\177g", "abcdefg"),
    ROW("\302\205x\302\237y\302\240z", "xy\302\240z"),
    /* UTF-8: one replacement for each maximal piece of a broken character */
    ROW("gr\303\266\303\237e \342\202\254 \360\237\230\200",
        "gr\303\266\303\237e \342\202\254 \360\237\230\200"),
    ROW("caf\351 end", "caf" BAD " end"),
    ROW("\303(", BAD "("),
    ROW("\342\202", BAD),
    ROW("\342\202x", BAD "x"),
    ROW("\300\257", BAD BAD),
    ROW("\340\200\200", BAD BAD BAD),
    ROW("\355\240\200", BAD BAD BAD),
    ROW("\360\237\230\n", BAD "\n"),
    ROW("\364\220\200\200", BAD BAD BAD BAD),
    ROW("\365\377", BAD BAD),
    /* lines drawn again */
    ROW("a\r\nb\r\n", "a\nb\n"),
    ROW("a\r\r\nb", "a\nb"),
    ROW(" 0%\r 50%\r100%\nend", "100%\nend"),
    ROW("100%\r", "100%"),
    ROW("\r\n", "\n"),
    ROW("long text\rx\n", "x\n"),
    ROW("one\033[2K\033[1Gtwo", "two"),
    ROW("one\033[Gtwo\033[0Gthree", "three"),
    ROW("one\033[2K", ""),
    ROW("one\033[Kend", "oneend"),
    ROW("N\bNA\bA _\bf_\bi", "NA fi"),
    ROW("\303\266\b\303\266x", "\303\266x"),
    ROW("a\bb", "ab"),
    ROW("\b\b\n", "\n"),
    /* sequences */
    ROW("\033[1;31mred\033[0m", "red"),
    ROW("\033[?25l\033[38:5:1mx\033[ qy", "xy"),
    ROW("\033]0;title\007a\033]8;;u\033\\b", "ab"),
    ROW("\033Pq#0\033\\a\033_x\007b\033^x\007c\033Xx\007d", "abcd"),
    ROW("\033]0;never ends\nnext", "0;never ends\nnext"),
    ROW("\033(B\033=\0337x", "x"),
    ROW("end\033", "end"),
    ROW("end\033[", "end"),
    ROW("end\033[12", "end"),
    ROW("\033[1\nx", "\nx"),
    ROW("\033\033[1mx", "x"),
    ROW("\033\303\266", "\303\266"),
};
#undef ROW

static void
bytes_become_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *got = cleaned(rows[i].raw, rows[i].len);

        if (strcmp(got, rows[i].text) != 0)
            fail_msg("row %zu: wanted <%s>, got <%s>", i, rows[i].text, got);
        assert_true(clean_is_clean(got, strlen(got)));
        if (clean_is_clean(rows[i].raw, rows[i].len) && !memchr(rows[i].raw, '\r', rows[i].len))
            assert_string_equal(got, rows[i].raw);
    }
}

static void
long_lines_lose_their_middle(void **state)
{
    struct buf b;

    (void)state;
    buf_init(&b, arena, 1000);
    assert_int_equal(clean_line(&b, "0123456789", 10, 10), 0);
    assert_string_equal(buf_text(&b), "0123456789");
    assert_int_equal(clean_line(&b, "0123456789x", 11, 10), 1);
    assert_string_equal(buf_text(&b), "012345678901234[... 1 character left out ...]6789x");

    buf_init(&b, arena, 1000);
    assert_int_equal(clean_line(&b, "\303\244\303\266\303\274\303\244\303\266\303\274", 12, 3), 6);
    assert_string_equal(buf_text(&b), "\303\244\303\266[... 3 characters left out ...]\303\274");
    buf_init(&b, arena, 1000);
    assert_int_equal(clean_line(&b, "", 0, 5), 0);
    assert_int_equal(clean_cut(&b, 0, 0), 0);
    assert_int_equal(b.len, 0);
}

static void
short_texts_stand_on_one_line(void **state)
{
    (void)state;
    assert_string_equal(clean_short(arena, "a\n\tb\n\n", 6, 20), "a  b");
    assert_string_equal(clean_short(arena, "", 0, 20), "");
    assert_string_equal(clean_short(arena, "\n", 1, 20), "");
    assert_string_equal(clean_short(arena, "0123456789", 10, 4),
                        "01[... 6 characters left out ...]89");
}

static bool
binary(const char *raw, size_t len)
{
    struct clean_census c = {0};

    clean_count(&c, raw, len / 2);
    clean_count(&c, raw + len / 2, len - len / 2);
    assert_int_equal(c.bytes, len);
    return clean_is_binary(&c);
}

static void
mostly_binary_is_binary(void **state)
{
    static const char elf[] = "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0\20\22\0\0\0\0\0\0";
    static const char latin[] = "Gr\374\337e aus M\374nchen, sch\366nes Wetter hier heute";
    static const char colours[] = "\033[31mred\033[0m \033[32mgreen\033[0m \033[33myellow\033[0m";
    static const char greek[] = "\316\261\316\262\316\263\316\264\316\265\316\266\316\267\316\270"
                                "\316\271\316\272\316\273\316\274\316\275\316\276\316\277\317\200";

    (void)state;
    assert_true(binary(elf, sizeof elf - 1));
    assert_false(binary(latin, sizeof latin - 1));
    assert_false(binary(colours, sizeof colours - 1));
    assert_false(binary(greek, sizeof greek - 1));
    assert_false(binary("\377\376", 2));
    assert_false(binary("", 0));
    assert_string_equal(clean_hex(arena, "\177EL\377", 4, 8), "7f 45 4c ff");
    assert_string_equal(clean_hex(arena, "abc", 3, 2), "61 62 ...");
    assert_string_equal(clean_hex(arena, "", 0, 2), "");
}

static void
characters_are_counted_not_bytes(void **state)
{
    static const char text[] = "a\303\266\342\202\254\360\237\230\200z";
    int32_t point;

    (void)state;
    assert_int_equal(clean_chars(text, sizeof text - 1), 5);
    assert_int_equal(clean_prefix(text, sizeof text - 1, 0), 0);
    assert_int_equal(clean_prefix(text, sizeof text - 1, 3), 6);
    assert_int_equal(clean_prefix(text, sizeof text - 1, 9), sizeof text - 1);
    assert_int_equal(clean_char(text + 6, 4, &point), 4);
    assert_int_equal(point, 0x1f600);
    assert_int_equal(clean_char(text + 6, 3, &point), 3);
    assert_int_equal(point, -1);
}

static int
set_up(void **state)
{
    (void)state;
    arena = arena_new(65536);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_text),
        cmocka_unit_test(long_lines_lose_their_middle),
        cmocka_unit_test(short_texts_stand_on_one_line),
        cmocka_unit_test(mostly_binary_is_binary),
        cmocka_unit_test(characters_are_counted_not_bytes),
    };

    return cmocka_run_group_tests_name("clean", tests, set_up, tear_down);
}
