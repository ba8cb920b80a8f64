#include "config.h"

#include "core/recording.h"
#include "core/recording_keys.h"
#include <string.h>

/* ---- the lines ----------------------------------------------------------------------------- */

/* line: NUL-ended; the value is what follows ": ". */
static void
read_line(struct reading *in, const char *line)
{
    size_t len = strcspn(line, ":");
    const char *value = line[len] ? line + len + 1 : line + len;

    if (line[0] == '#' || line[0] == '\0')
        return;
    if (*value == ' ')
        value++;
    for (size_t i = 0; i < recording_keys_count; i++) {
        if (strlen(recording_keys[i].name) != len ||
            strncmp(recording_keys[i].name, line, len) != 0)
            continue;
        recording_need(in, in->step || !recording_keys[i].of_step,
                       "belongs to a step: write a line step: run first");
        if (!in->wrong)
            recording_keys[i].take(in, value);
        return;
    }
    recording_need(in, false, "is no key of a recording");
}

static bool
read_lines(struct reading *in, const struct recording_text *call, struct fault *f)
{
    const char *at = call->at, *end = at + call->len;

    for (int number = 1; at < end; number++) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((lf ? lf : end) - at);
        const char *line = arena_strndup(in->a, at, len);

        read_line(in, line);
        if (in->wrong)
            return fault_set(f, FAULT_ARGUMENT, "Line %d, \"%.*s\": %.*s %s.", number, 60, line,
                             (int)strcspn(line, ":") < 30 ? (int)strcspn(line, ":") : 30, line,
                             in->wrong);
        at += len + 1;
    }
    return true;
}

/* ---- together -------------------------------------------------------------------------------- */

static void
take_texts(struct reading *in, const struct recording_texts *t)
{
    size_t last;

    if (t->expected.at) {
        in->r->plan.expected = t->expected.at;
        in->r->plan.expected_len = t->expected.len;
    }
    if (t->code.at) {
        in->r->plan.code = t->code.at;
        in->r->plan.code_len = t->code.len;
    }
    if (!in->step)
        return;
    last = in->r->plan.step_count - 1;
    if (t->input.at) {
        in->step->input = t->input.at;
        in->step->input_len = t->input.len;
    }
    if (t->out.at)
        buf_add(&in->out[last], t->out.at, t->out.len);
    if (t->err.at)
        buf_add(&in->err[last], t->err.at, t->err.len);
}

/* What the agent would have kept of the bytes. */
static void
capture(struct buf *all, size_t head, size_t tail, struct stream *ret)
{
    const char *text = buf_text(all);
    size_t first = all->len < head ? all->len : head, rest = all->len - first;
    size_t last = rest < tail ? rest : tail;

    ret->head = text;
    ret->head_len = first;
    ret->tail = text + all->len - last;
    ret->tail_len = last;
    ret->seen = all->len;
}

bool
recording_read(const struct recording_texts *texts, struct arena *a, struct recording *ret,
               struct fault *f)
{
    struct reading in = {.a = a, .r = ret};

    *ret = (struct recording){
        .plan = {.tool = "run_code", .language = "python"},
        .notices = {.stopped_ago_s = -1},
        .limits = {.stream_chars = 4000,
                   .line_chars = 1000,
                   .memory_bytes = 256 << 20,
                   .memory_swap_bytes = 1 << 30,
                   .pids = 512},
    };
    if (!texts->call.at) {
        recording_step(&in, "run");
        recording_shown(&in, "python3 main.py");
    } else if (!read_lines(&in, &texts->call, f)) {
        return false;
    }
    take_texts(&in, texts);
    for (size_t i = 0; i < ret->plan.step_count; i++) {
        capture(&in.out[i], in.head[i], in.tail[i], &ret->seen.steps[i].out);
        capture(&in.err[i], in.head[i], in.tail[i], &ret->seen.steps[i].err);
    }
    return true;
}
