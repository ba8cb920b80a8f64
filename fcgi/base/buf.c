#include "config.h"

#include "base/buf.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
buf_init(struct buf *b, struct arena *a, size_t max_bytes)
{
    *b = (struct buf){.arena = a, .max = max_bytes};
}

/* Make room for len more bytes and the NUL; false once the maximum is passed. */
static bool
reserve(struct buf *b, size_t len)
{
    size_t need, cap = b->cap ? b->cap : 256;
    char *grown;

    if (b->full || len > b->max - b->len) {
        b->full = true;
        return false;
    }
    need = b->len + len + 1;
    if (need <= b->cap)
        return true;
    while (cap < need)
        cap *= 2;
    grown = arena_alloc(b->arena, cap);
    if (b->len > 0)
        memcpy(grown, b->data, b->len);
    grown[b->len] = '\0';
    b->data = grown;
    b->cap = cap;
    return true;
}

void
buf_add(struct buf *b, const void *bytes, size_t len)
{
    if (len == 0 || !reserve(b, len))
        return;
    memcpy(b->data + b->len, bytes, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void
buf_adds(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void
buf_addc(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap, again;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n > 0 && reserve(b, (size_t)n)) {
        vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

const char *
buf_text(struct buf *b)
{
    return b->data ? b->data : "";
}
