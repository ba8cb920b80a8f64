/* clean.h - bytes a program wrote -> text a client can show. Pure; time is linear in
 * the bytes, whatever they are.
 *
 * Invalid UTF-8 becomes U+FFFD. Control characters but \n and \t are removed, and with
 * them ANSI sequences (CSI, OSC, DCS, character sets: ECMA-48). A line that was redrawn
 * with \r or an erase sequence shows its last state; \r\n is \n; overstruck characters
 * (man pages) show once. A line of the
 * raw bytes is a line of the text: cleaning never joins or splits lines. */
#ifndef CORE_CLEAN_H
#define CORE_CLEAN_H

#include "base/buf.h"
#include <stdint.h>

/* The most bytes cleaning makes of len bytes. */
size_t clean_bound(size_t len);
/* Appends one line; raw holds no \n. With line_chars > 0 a longer line is cut in the
 * middle, saying how many characters are left out. Returns the bytes of text (not raw
 * ones) that were cut. */
size_t clean_line(struct buf *b, const char *raw, size_t len, size_t line_chars);
/* Cuts the text of b from byte `from` on in the middle, when it has more than max_chars.
 * Returns the bytes that were cut. */
size_t clean_cut(struct buf *b, size_t from, size_t max_chars);
/* Appends all lines, uncut. */
void clean_text(struct buf *b, const char *raw, size_t len);
/* A short text on one line: cleaned, line ends as spaces, cut in the middle to about
 * max_chars. Owned by the arena. */
const char *clean_short(struct arena *a, const char *raw, size_t len, size_t max_chars);
/* True when clean_text would change nothing but \r\n. */
bool clean_is_clean(const char *raw, size_t len);

/* How much of some bytes is no text. Add up the parts, then ask. */
struct clean_census {
    uint64_t bytes;
    uint64_t odd; /* bytes that belong to no UTF-8 character, and controls text does not use */
};
void clean_count(struct clean_census *c, const char *raw, size_t len);
/* True for mostly-binary bytes; false for a few stray bytes. */
bool clean_is_binary(const struct clean_census *c);
/* The first bytes as "7f 45 4c 46 ...". */
const char *clean_hex(struct arena *a, const char *raw, size_t len, size_t max_bytes);

/* Length of the character s begins with, 1..4, and its code point; or, for bytes that are no
 * character, how many of them one U+FFFD stands for, and -1. left > 0. */
size_t clean_char(const char *s, size_t left, int32_t *ret_point);
/* Characters of a valid UTF-8 text. */
size_t clean_chars(const char *text, size_t len);
/* Bytes that the first n characters of a valid UTF-8 text take; len when it has fewer. */
size_t clean_prefix(const char *text, size_t len, size_t n);

#endif
