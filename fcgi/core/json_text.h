/* json_text.h - writes JSON text piece by piece into a buffer. Whatever bytes come in,
 * what goes out is valid UTF-8 and valid JSON. Pure. */
#ifndef CORE_JSON_TEXT_H
#define CORE_JSON_TEXT_H

#include "base/buf.h"

/* Length of the UTF-8 character that s begins with (1..4), or 0 when it begins with none:
 * over-long forms, surrogates and values above U+10FFFF are none. left: bytes there are. */
size_t json_text_utf8(const char *s, size_t left);
/* A JSON string with its quotes. Control characters are escaped, each byte that belongs to
 * no character becomes U+FFFD. */
void json_text_string(struct buf *b, const char *s, size_t len);
/* `"name":"text",` and `"name":` - for members written one after another. */
void json_text_member(struct buf *b, const char *name, const char *text);
void json_text_name(struct buf *b, const char *name);
/* The most bytes json_text_string writes for len bytes of text. */
size_t json_text_bound(size_t len);

#endif
