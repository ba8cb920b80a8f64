/* create.c - see create.h. The text is built once, without the member's label; the body
 * puts the label in, the pattern escapes what stands on both sides of it. */
#include "config.h"

#include "core/create.h"
#include "base/buf.h"
#include <inttypes.h>
#include <string.h>

enum { TEXT_MAX = 8192, VALUE_MAX = 128, LABEL_MAX = 64 };

/* What root in a sandbox keeps. Everything else is dropped; ports below 1024 and ping need no
 * capability, the engine opens both by sysctl in the container's own network namespace. */
static const char *const capabilities[] = {
    "CHOWN",        /* dpkg and chown: give files to the users packages bring */
    "DAC_OVERRIDE", /* apt and dpkg: work in folders of _apt, www-data, postgres */
    "FOWNER",       /* dpkg, chmod, touch: change modes and times of files of other users */
    "FSETID",       /* dpkg: keep set-group-id on files of groups root is not in (crontab) */
    "KILL",         /* the agent and kill: end processes of other users */
    "SETGID",       /* su, sudo, apt's download user, services that drop root: groups */
    "SETUID",       /* the same: user */
};

static bool
is_word(const char *s, const char *more, size_t max)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t n = 0;
    for (; s[n]; n++)
        if (!strchr(letters, s[n]) && !strchr(more, s[n]))
            return false;
    return n >= 1 && n <= max;
}

/* True when every value can stand in JSON, in a pattern and in single quotes as it is. */
static bool
is_sound(const struct create_spec *s)
{
    return is_word(s->instance, "", LABEL_MAX) && is_word(s->image, ":/@", VALUE_MAX) &&
           is_word(s->network, "", VALUE_MAX) &&
           (!*s->runtime || is_word(s->runtime, "", VALUE_MAX)) && s->memory_bytes > 0 &&
           s->memory_swap_bytes >= s->memory_bytes && s->nano_cpus > 0 && s->cpu_shares > 1 &&
           s->pids > 0;
}

/* Programs that ask how many processors there are see the machine's; these tell them the share. */
static void
add_env(struct buf *b, const struct create_spec *s)
{
    static const char *const names[] = {"OMP_NUM_THREADS", "PYTHON_CPU_COUNT", "GOMAXPROCS"};
    int64_t cpus = (s->nano_cpus - 1) / 1000000000 + 1;

    for (size_t i = 0; i < COUNT_OF(names); i++)
        buf_printf(b, "%s\"%s=%" PRId64 "\"", i ? "," : "", names[i], cpus);
}

static void
add_host_config(struct buf *b, const struct create_spec *s)
{
    buf_printf(b,
               "\"Memory\":%" PRId64 ",\"MemorySwap\":%" PRId64 ",\"NanoCpus\":%" PRId64
               ",\"CpuShares\":%" PRId64 ",\"PidsLimit\":%" PRId64 ",\"NetworkMode\":\"%s\"",
               s->memory_bytes, s->memory_swap_bytes, s->nano_cpus, s->cpu_shares, s->pids,
               s->network);
    buf_adds(b, ",\"CapDrop\":[\"ALL\"],\"CapAdd\":[");
    for (size_t i = 0; i < COUNT_OF(capabilities); i++)
        buf_printf(b, "%s\"%s\"", i ? "," : "", capabilities[i]);
    /* OomScoreAdj: when the whole host runs out of memory, sandboxes go before its services; the
     * agent raises it further for what it runs, so that it survives its commands.
     * Core files would fill the disk; ShmSize is the engine's default, stated. */
    buf_adds(b, "],\"SecurityOpt\":[\"no-new-privileges\"],\"LogConfig\":{\"Type\":\"none\"},"
                "\"RestartPolicy\":{\"Name\":\"no\"},\"Init\":false,\"Privileged\":false,"
                "\"OomScoreAdj\":100,\"DnsOptions\":[\"timeout:2\",\"attempts:2\"],"
                "\"Ulimits\":[{\"Name\":\"core\",\"Soft\":0,\"Hard\":0},"
                "{\"Name\":\"nofile\",\"Soft\":4096,\"Hard\":16384}],\"ShmSize\":67108864");
    if (*s->runtime)
        buf_printf(b, ",\"Runtime\":\"%s\"", s->runtime);
}

/* The text with nothing where the label stands; *ret_at says where that is. NULL when the
 * description cannot be put in words safely. */
static const char *
text_without_label(const struct create_spec *s, struct arena *a, size_t *ret_at)
{
    struct buf b;

    if (!is_sound(s))
        return NULL;
    buf_init(&b, a, TEXT_MAX);
    buf_printf(&b, "{\"Image\":\"%s\",\"Hostname\":\"sandbox\",", s->image);
    buf_printf(&b, "\"Labels\":{\"backtalk.instance\":\"%s\",\"backtalk.member\":\"", s->instance);
    *ret_at = b.len;
    buf_adds(&b, "\"},\"OpenStdin\":true,\"StdinOnce\":false,\"Tty\":false,\"AttachStdin\":false,"
                 "\"AttachStdout\":false,\"AttachStderr\":false,\"StopTimeout\":5,\"Env\":[");
    add_env(&b, s);
    buf_adds(&b, "],\"HostConfig\":{");
    add_host_config(&b, s);
    buf_adds(&b, "}}");
    return b.full ? NULL : buf_text(&b);
}

static void
add_escaped(struct buf *b, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (strchr("\\^$.[]|()?*+{}", text[i]))
            buf_addc(b, '\\');
        buf_addc(b, text[i]);
    }
}

const char *
create_body(const struct create_spec *s, const char *member_label, struct arena *a)
{
    size_t at;
    const char *text = text_without_label(s, a, &at);

    if (!text || !is_word(member_label, ":", LABEL_MAX))
        return NULL;
    return arena_printf(a, "%.*s%s%s", (int)at, text, member_label, text + at);
}

const char *
create_pattern(const struct create_spec *s, struct arena *a)
{
    size_t at;
    const char *text = text_without_label(s, a, &at);
    struct buf b;

    if (!text)
        return NULL;
    buf_init(&b, a, 2 * TEXT_MAX + VALUE_MAX);
    buf_addc(&b, '^');
    add_escaped(&b, text, at);
    buf_printf(&b, "[A-Za-z0-9._:-]{1,%d}", LABEL_MAX);
    add_escaped(&b, text + at, strlen(text + at));
    buf_adds(&b, "\\z"); /* not $, which would let a newline follow */
    return buf_text(&b);
}
