#include "config.h"

#include "call_case.h"
#include "golden.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct recording_text
text_of(struct arena *a, const char *dir, const char *name)
{
    struct recording_text t;

    t.at = golden_read(a, arena_printf(a, "%s/%s.txt", dir, name), &t.len);
    return t;
}

void
call_case_load(struct arena *a, const char *dir, struct recording *ret)
{
    const struct recording_texts texts = {
        .call = text_of(a, dir, "call"),
        .expected = text_of(a, dir, "expected"),
        .code = text_of(a, dir, "code"),
        .input = text_of(a, dir, "input"),
        .out = text_of(a, dir, "out"),
        .err = text_of(a, dir, "err"),
    };
    struct fault f;

    if (!recording_read(&texts, a, ret, &f))
        fail_msg("%s/call.txt: %s", dir, f.message);
}
