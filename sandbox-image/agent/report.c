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
    return report_pending(o) && !o->given_up ? o->moved_ms + PATIENCE_MS : NEVER;
}

bool
report_begin(struct outbox *o, size_t room, struct wire_put *ret)
{
    if (o->frame > 0 && sizeof o->bytes - o->end < WIRE_HEADER + room) {
        memmove(o->bytes, o->bytes + o->frame, o->end - o->frame);
        o->start -= o->frame;
        o->end -= o->frame;
        o->frame = 0;
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
    if (!report_pending(o) || o->given_up)
        o->moved_ms = now_ms;
    o->given_up = false;
    o->end += wire_encode(o->bytes + o->end, type, call, seq, p->at, p->len);
}

static size_t
frame_end(const struct outbox *o)
{
    struct wire_get g = {.at = o->bytes + o->frame + 8, .left = 4};

    return o->frame + WIRE_HEADER + wire_get_u32(&g);
}

static void
sent(struct outbox *o, size_t len, int64_t now_ms)
{
    o->start += len;
    o->moved_ms = now_ms;
    o->given_up = false;
    while (o->frame < o->end && frame_end(o) <= o->start)
        o->frame = frame_end(o);
    if (o->start == o->end)
        o->start = o->end = o->frame = 0;
}

/* Drops what nobody takes, but for the rest of a frame that is half out: a reader that comes
 * back would wait for it and take the next frames for it. */
static void
give_up(struct outbox *o)
{
    o->end = o->start > o->frame ? frame_end(o) : o->start;
    o->given_up = true;
    if (o->start == o->end)
        o->start = o->end = o->frame = 0;
}

bool
report_flush(struct outbox *o, int64_t now_ms)
{
    while (report_pending(o)) {
        ssize_t n = write(STDOUT_FILENO, o->bytes + o->start, o->end - o->start);

        if (n > 0) {
            sent(o, (size_t)n, now_ms);
        } else if (n < 0 && errno == EAGAIN) {
            if (o->given_up || now_ms < o->moved_ms + PATIENCE_MS)
                return true;
            give_up(o);
            return false;
        } else if (n == 0 || errno != EINTR) {
            o->start = o->end = o->frame = 0;
            return false;
        }
    }
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
