#include "agent.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 5000, /* with a reader that takes nothing */
};

bool
report_pending(const struct outbox *o)
{
    return o->end > o->start;
}

int64_t
report_due(const struct outbox *o)
{
    return report_pending(o) ? o->moved_ms + PATIENCE_MS : NEVER;
}

bool
report_begin(struct outbox *o, size_t room, struct wire_put *ret)
{
    if (o->start > 0 && sizeof o->bytes - o->end < WIRE_HEADER + room) {
        memmove(o->bytes, o->bytes + o->start, o->end - o->start);
        o->end -= o->start;
        o->start = 0;
    }
    if (sizeof o->bytes - o->end < WIRE_HEADER + room)
        return false;
    *ret = (struct wire_put){.at = o->bytes + o->end + WIRE_HEADER, .cap = room};
    return true;
}

void
report_end(struct outbox *o, const struct wire_put *p, uint8_t type, uint64_t call, uint32_t seq,
           int64_t now_ms)
{
    if (!report_pending(o))
        o->moved_ms = now_ms;
    o->end += wire_encode(o->bytes + o->end, type, call, seq, p->at, p->len);
}

bool
report_flush(struct outbox *o, int64_t now_ms)
{
    while (report_pending(o)) {
        ssize_t n = write(STDOUT_FILENO, o->bytes + o->start, o->end - o->start);

        if (n > 0) {
            o->start += (size_t)n;
            o->moved_ms = now_ms;
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n < 0 && errno == EAGAIN && now_ms < report_due(o)) {
            return true;
        } else {
            o->start = o->end = 0;
            return false;
        }
    }
    o->start = o->end = 0;
    return true;
}

/* ---- words -------------------------------------------------------------------------- */

/* Length of the UTF-8 character that begins there; 0 when it is none or not all there. */
static size_t
character(const uint8_t *s, size_t left)
{
    size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

    if (s[0] > 0xf4 || len > left)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return len;
}

size_t
text_clean(char *text, size_t len, size_t max)
{
    uint8_t *s = (uint8_t *)text;
    size_t i = 0;

    while (i < len) {
        size_t n = character(s + i, len - i);

        if (i + (n ? n : 1) > max)
            break;
        if (n == 0 || (n == 1 && (s[i] < ' ' || s[i] == 0x7f)))
            s[i] = s[i] == '\t' ? ' ' : '?';
        i += n ? n : 1;
    }
    return i;
}
