/* Whatever a command, its output and its machine say, hints are short clean sentences, and the
 * script for the machine has every word of theirs in single quotes. The input is four texts, parted
 * by a line "%%": exit code and command, stderr, stdout, the machine's answers. */
#include "config.h"

#include "core/clean.h"
#include "core/hint_rule.h"
#include "core/hints.h"
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct part {
    const char *at;
    size_t len;
};

static struct part
take_part(struct part *rest)
{
    const char *end = memmem(rest->at, rest->len, "\n%%\n", 4);
    struct part part = *rest;

    if (!end) {
        *rest = (struct part){rest->at + rest->len, 0};
        return part;
    }
    part.len = (size_t)(end - rest->at);
    *rest = (struct part){end + 4, rest->len - part.len - 4};
    return part;
}

static void
check_text(const char *text)
{
    size_t len = strlen(text);

    if (len == 0 || len > 4096)
        __builtin_trap();
    for (size_t at = 0; at < len;) {
        int32_t point;

        at += clean_char(text + at, len - at, &point);
        if (point < 0x20 || (point >= 0x7f && point < 0xa0))
            __builtin_trap();
    }
}

/* Only the questions, after the last "{": each line's words are quoted, and nothing is outside. */
static void
check_script(const char *script)
{
    const char *at = strstr(script, "\n{\nprintf ");
    bool quoted = false;

    if (!at)
        __builtin_trap();
    for (at += 3; *at; at++) {
        if (*at == '\'')
            quoted = !quoted;
        else if (!quoted && strchr("$`()<>", *at))
            __builtin_trap();
    }
    if (quoted)
        __builtin_trap();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct part rest = {(const char *)data, size};
    struct part command = take_part(&rest), err = take_part(&rest), out = take_part(&rest);
    const char *texts[HINTS_SAID_MAX + 1], *ids[HINTS_SAID_MAX + 1];
    struct judgement none = {.line = "", .detail = "", .kind = ""};
    struct plan p = {.tool = "run", .step_count = 1};
    struct observation o = {.step_count = 1};
    struct arena *a = arena_new(4096);
    struct hint_set s;
    int code = command.len > 0 ? (unsigned char)command.at[0] : 0;

    p.steps[0] = (struct plan_step){
        .role = STEP_RUN,
        .cwd = "/work",
        .shown = command.len > 0 ? arena_strndup(a, command.at + 1, command.len - 1) : ""};
    o.steps[0].end = code == 't' ? STEP_TIMED_OUT : STEP_EXITED;
    o.steps[0].exit_code = code == '0' ? 0 : code;
    o.steps[0].out = (struct stream){out.at, "", out.len, 0, out.len, ""};
    o.steps[0].err = (struct stream){err.at, "", err.len, 0, err.len, ""};
    hints_look(&p, &o, &none, "", a, &s);
    if (s.probe)
        check_script(s.probe);
    for (int probed = 0; probed < 2; probed++) {
        size_t n = hints_say(&s, probed ? rest.at : NULL, probed ? rest.len : 0, a, texts, ids);

        for (size_t i = 0; i < n; i++)
            check_text(texts[i]);
        if (n > HINTS_SAID_MAX || texts[n] || ids[n])
            __builtin_trap();
    }
    arena_free(a);
    return 0;
}
