/* A judgement holds what it says whatever was printed and expected, and the result it goes
 * into is text that ends with the sentence it must end with. The input is three texts, parted by
 * a line "%%": expected, output, code. */
#include "config.h"

#include "core/clean.h"
#include "core/compare.h"
#include "core/judge.h"
#include "core/render.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char closing[] =
    "\n\nDon't answer yet: fix the code and call run_code again, until it says PASS.";

static struct span
take_part(struct span *rest)
{
    const char *end = memmem(rest->at, rest->len, "\n%%\n", 4);
    struct span part = *rest;

    if (!end) {
        *rest = (struct span){rest->at + rest->len, 0};
        return part;
    }
    part.len = (size_t)(end - rest->at);
    *rest = (struct span){end + 4, rest->len - part.len - 4};
    return part;
}

static bool
begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool
ends(const struct rendered *r, const char *with)
{
    size_t n = strlen(with);

    return r->len >= n && memcmp(r->text + r->len - n, with, n) == 0;
}

static void
check_text(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        int32_t point;

        at += clean_char(text + at, len - at, &point);
        if (point != '\n' && point != '\t' && (point < 0x20 || (point >= 0x7f && point < 0xa0)))
            __builtin_trap();
    }
}

static void
check_call(struct arena *a, struct span expected, struct span out, struct span code)
{
    static const struct render_limits limits = {.stream_chars = 400, .line_chars = 100};
    static const struct notices quiet = {.stopped_ago_s = -1};
    struct plan p = {.tool = "run_code", .step_count = 1};
    struct observation o = {.step_count = 1};
    struct judgement j;
    struct rendered r;
    bool same =
        compare_same(compare_trim(a, expected.at, expected.len), compare_trim(a, out.at, out.len));

    p.expected = expected.at;
    p.expected_len = expected.len;
    p.code = code.at;
    p.code_len = code.len;
    p.steps[0] = (struct plan_step){
        .role = STEP_RUN, .shown = "./main", .input = code.at, .input_len = code.len};
    o.steps[0].end = STEP_EXITED;
    o.steps[0].out = (struct stream){out.at, "", out.len, 0, out.len, ""};
    o.steps[0].err = (struct stream){"", "", 0, 0, 0, ""};
    j = judge(a, &p, &o);
    if ((strcmp(j.kind, "exact") == 0) != same || j.verdict == VERDICT_NONE)
        __builtin_trap();
    if (!begins(j.line, j.verdict == VERDICT_PASS ? "PASS: " : "FAIL: ") || strchr(j.line, '\n'))
        __builtin_trap();
    check_text(j.detail, strlen(j.detail));
    r = render_call(a, &p, &o, &j, &quiet, NULL, &limits);
    check_text(r.text, r.len);
    if (ends(&r, closing) != (j.verdict == VERDICT_FAIL) ||
        r.is_error != (j.verdict == VERDICT_FAIL))
        __builtin_trap();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span rest = {(const char *)data, size};
    struct span expected = take_part(&rest), out = take_part(&rest), code = take_part(&rest);
    struct arena *a = arena_new(4096);

    check_call(a, expected, out, code);
    check_call(a, out, expected, code);
    arena_free(a);
    return 0;
}
