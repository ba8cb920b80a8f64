#include "config.h"

#include "core/memory.h"
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* FNV-1a, 64 bits (Fowler, Noll, Vo): sameness within one chat, no adversary but itself. */
static uint64_t
hash_byte(uint64_t h, unsigned char c)
{
    return (h ^ c) * UINT64_C(0x100000001b3);
}

static uint64_t
hash_number(uint64_t h, uint64_t n)
{
    for (int i = 0; i < 8; i++)
        h = hash_byte(h, (unsigned char)(n >> (8 * i)));
    return h;
}

/* Text without its numbers: a time, a process id or an address is not a different result. */
static uint64_t
hash_text(uint64_t h, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        if (!isxdigit(c)) {
            h = hash_byte(h, c);
            continue;
        }
        if (isdigit(c)) {
            while (i + 1 < len && (isxdigit((unsigned char)text[i + 1]) || text[i + 1] == 'x'))
                i++;
            h = hash_byte(h, '0');
        } else {
            h = hash_byte(h, c);
        }
    }
    return h;
}

static uint64_t
hash_stream(uint64_t h, const struct stream *s)
{
    h = hash_text(h, s->head, s->head_len);
    return hash_text(h, s->tail, s->tail_len);
}

const char *
memory_fingerprint(const struct plan *p, const struct observation *o, bool failed, struct arena *a)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    if (!failed || p->kind != PLAN_STEPS || o->changed != TREE_UNCHANGED)
        return NULL;
    for (size_t i = 0; i < o->step_count; i++) {
        const struct step_seen *s = &o->steps[i];

        h = hash_number(h, (uint64_t)s->end);
        h = hash_number(h, (uint64_t)(s->exit_code << 8 | s->signal));
        h = hash_stream(h, &s->out);
        h = hash_stream(h, &s->err);
    }
    return arena_printf(a, "%016" PRIx64, h);
}

/* "2nd", "3rd", "11th", "21st" */
static const char *
ordinal(int n, struct arena *a)
{
    const char *end = "th";

    if (n / 10 % 10 != 1 && n % 10 == 1)
        end = "st";
    else if (n / 10 % 10 != 1 && n % 10 == 2)
        end = "nd";
    else if (n / 10 % 10 != 1 && n % 10 == 3)
        end = "rd";
    return arena_printf(a, "%d%s", n, end);
}

/* The first word of the command that looks like a file with a name ending, e.g. "solve.py". */
static const char *
file_in(const char *command, struct arena *a)
{
    const char *at = command;

    while (*at) {
        size_t skip = strspn(at, " \t\n;|&<>()'\""), len;
        const char *dot;

        at += skip;
        len = strcspn(at, " \t\n;|&<>()'\"$`*?{}");
        dot = memrchr(at, '.', len);
        if (at[0] != '-' && dot && dot > at && (size_t)(at + len - dot) <= 5 &&
            isalpha((unsigned char)dot[1]) && !memchr(at, ':', len))
            return arena_strndup(a, at, len);
        at += len;
        at += *at ? 1 : 0;
    }
    return NULL;
}

const char *
memory_words(const struct plan *p, int count, const char *before, const char *now, struct arena *a)
{
    const char *command = p->step_count > 0 ? p->steps[p->step_count - 1].shown : "";
    const char *file, *same;

    if (count < 1 || !before || !now || strcmp(before, now) != 0)
        return NULL;
    same = arena_printf(a,
                        "This is the %s time this command failed in the same way, and nothing was "
                        "changed in between. Running it again will not change that.",
                        ordinal(count + 1, a));
    if (count < 2)
        return arena_printf(a, "%s Change something first.", same);
    file = file_in(command, a);
    if (file)
        return arena_printf(
            a, "%s Make this call now instead: run(\"ls -la; cat -A %s | head -50\").", same, file);
    return arena_printf(a, "%s Make this call now instead: run(\"pwd; ls -la\").", same);
}
