#include "config.h"

#include "core/json_text.h"
#include <string.h>

/* Follows RFC 3629, section 4: the second byte's range depends on the first. */
size_t
json_text_utf8(const char *s, size_t left)
{
    const unsigned char *p = (const unsigned char *)s;
    unsigned char low = 0x80, high = 0xbf;
    size_t len;

    if (left == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] == 0xe0)
        low = 0xa0;
    else if (p[0] == 0xed)
        high = 0x9f;
    else if (p[0] == 0xf0)
        low = 0x90;
    else if (p[0] == 0xf4)
        high = 0x8f;
    if (left < len || p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < len; i++)
        if (p[i] < 0x80 || p[i] > 0xbf)
            return 0;
    return len;
}

static void
escape(struct buf *b, unsigned char c)
{
    static const char plain[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                 ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};

    if (c < sizeof plain && plain[c] != '\0') {
        buf_addc(b, '\\');
        buf_addc(b, plain[c]);
    } else {
        buf_printf(b, "\\u%04x", c);
    }
}

void
json_text_string(struct buf *b, const char *s, size_t len)
{
    size_t kept = 0; /* s[kept..i) goes out as it is */

    buf_addc(b, '"');
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)s[i];
        size_t n = c < 0x80 ? 1 : json_text_utf8(s + i, len - i);

        if (n > 0 && c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
            i += n;
            continue;
        }
        buf_add(b, s + kept, i - kept);
        if (n == 0)
            buf_adds(b, "\xef\xbf\xbd");
        else
            escape(b, c);
        kept = ++i;
    }
    buf_add(b, s + kept, len - kept);
    buf_addc(b, '"');
}

void
json_text_name(struct buf *b, const char *name)
{
    json_text_string(b, name, strlen(name));
    buf_addc(b, ':');
}

void
json_text_member(struct buf *b, const char *name, const char *text)
{
    json_text_name(b, name);
    json_text_string(b, text, strlen(text));
    buf_addc(b, ',');
}

size_t
json_text_bound(size_t len)
{
    return 6 * len + 2;
}
