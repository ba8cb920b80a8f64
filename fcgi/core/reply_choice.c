#include "config.h"

#include "base/buf.h"
#include "core/reply_choice.h"
#include <string.h>

enum { WORDS_MAX = 1024, TAG_MAX = 40 };

static bool
same_program(const struct reply_run *x, const struct reply_run *y)
{
    return x->language == y->language && x->len == y->len && memcmp(x->code, y->code, x->len) == 0;
}

bool
reply_choose(const struct reply_run *runs, size_t count, struct reply_choice *ret)
{
    const struct reply_run *passed = NULL, *any = NULL;

    *ret = (struct reply_choice){0};
    for (size_t i = 0; i < count; i++) {
        if (runs[i].tested == TESTED_PASSED)
            passed = &runs[i];
        if (runs[i].tested != TESTED_UNKNOWN)
            any = &runs[i];
    }
    ret->run = passed ? passed : any;
    if (!ret->run)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!same_program(&runs[i], ret->run) || runs[i].tested == TESTED_UNKNOWN)
            continue;
        ret->passed += runs[i].tested == TESTED_PASSED;
        ret->tests += runs[i].compared || runs[i].tested == TESTED_PASSED;
    }
    return true;
}

/* ---- what a block is ------------------------------------------------------------------------- */

enum block_kind { BLOCK_PLAIN, BLOCK_SAME, BLOCK_OTHER };

/* Tags of blocks that hold output, data or text, no program. */
static bool
holds_no_program(const char *tag)
{
    static const char *const tags[] = {
        "",     "text",     "txt",      "plain", "plaintext", "output", "stdout", "console",
        "log",  "terminal", "json",     "yaml",  "yml",       "xml",    "csv",    "ini",
        "toml", "diff",     "markdown", "md",    "none",      "result"};

    for (size_t i = 0; i < COUNT_OF(tags); i++)
        if (strcmp(tags[i], tag) == 0)
            return true;
    return false;
}

static bool
is_shell(const char *tag, const struct language *l)
{
    return (l && l->shell) || strcmp(tag, "zsh") == 0 || strcmp(tag, "shell-session") == 0 ||
           strcmp(tag, "cmd") == 0 || strcmp(tag, "powershell") == 0;
}

/* A shell command that runs a program is not that program. */
static enum block_kind
kind_of(const struct code_block *b, const struct language *wanted, const struct languages *all)
{
    const struct language *l;
    char tag[TAG_MAX];

    if (b->tag_len >= sizeof tag)
        return BLOCK_OTHER;
    for (size_t i = 0; i < b->tag_len; i++)
        tag[i] = (char)(b->tag[i] >= 'A' && b->tag[i] <= 'Z' ? b->tag[i] + 32 : b->tag[i]);
    tag[b->tag_len] = '\0';
    if (holds_no_program(tag))
        return BLOCK_PLAIN;
    l = languages_find(all, tag);
    if (l == wanted || strcmp(tag, wanted->fence) == 0)
        return BLOCK_SAME;
    return is_shell(tag, l) ? BLOCK_PLAIN : BLOCK_OTHER;
}

static bool
shows_one_that_passed(const struct code_block *b, const struct reply_choice *choice,
                      const struct reply_run *runs, size_t count)
{
    if (code_block_is(b, choice->run->code, choice->run->len))
        return true;
    for (size_t i = 0; i < count; i++)
        if (runs[i].tested == TESTED_PASSED && code_block_is(b, runs[i].code, runs[i].len))
            return true;
    return false;
}

enum reply_shown
reply_shows(const struct code_blocks *blocks, const struct reply_choice *choice,
            const struct reply_run *runs, size_t count, const struct languages *all)
{
    bool same = false, other = false;

    for (size_t i = 0; i < blocks->count; i++) {
        enum block_kind kind = kind_of(&blocks->list[i], choice->run->language, all);

        if (shows_one_that_passed(&blocks->list[i], choice, runs, count))
            return REPLY_SHOWN;
        same = same || kind == BLOCK_SAME;
        other = other || kind == BLOCK_OTHER;
    }
    return same ? REPLY_DIFFERENT : other ? REPLY_ELSEWHERE : REPLY_MISSING;
}

const char *
reply_shown_name(enum reply_shown shown)
{
    static const char *const names[] = {
        [REPLY_SHOWN] = "shown",
        [REPLY_MISSING] = "missing",
        [REPLY_DIFFERENT] = "different",
        [REPLY_ELSEWHERE] = "elsewhere",
    };

    return names[shown];
}

/* ---- the words --------------------------------------------------------------------------------
 */

const char *
reply_label(const struct reply_choice *choice, struct arena *a)
{
    switch (choice->run->tested) {
    case TESTED_PASSED:
        return arena_printf(a, "passed %d of %d tests", choice->passed, choice->tests);
    case TESTED_RAN:
        return "ran, output not compared";
    case TESTED_FAILED:
    case TESTED_UNKNOWN:
        break;
    }
    return "did not pass";
}

/* Brings the text to the beginning of a paragraph, out of a block that was left open. */
static void
add_gap(struct buf *b, const char *text, size_t len, const struct code_blocks *blocks)
{
    bool line_end = len > 0 && text[len - 1] == '\n';

    if (blocks->blank)
        return;
    if (blocks->open_len > 0) {
        if (!line_end)
            buf_addc(b, '\n');
        for (size_t i = 0; i < blocks->open_len && !b->full; i++)
            buf_addc(b, blocks->open_char);
        buf_adds(b, "\n\n");
    } else if (!line_end) {
        buf_adds(b, "\n\n");
    } else if (len < 2 || text[len - 2] != '\n') {
        buf_addc(b, '\n');
    }
}

static void
add_lead(struct buf *b, const struct reply_choice *choice, enum reply_shown shown,
         const char *label)
{
    enum tested tested = choice->run->tested;
    const char *how = tested == TESTED_PASSED ? "tested" : "run";

    if (shown == REPLY_DIFFERENT)
        buf_printf(b, "The code above is not what was %s. ", how);
    buf_printf(b, "This is the %sprogram that was %s (%s):\n\n",
               tested == TESTED_FAILED ? "last " : "", how, label);
}

const char *
reply_appendix(const char *text, size_t len, const struct code_blocks *blocks,
               const struct reply_choice *choice, enum reply_shown shown, struct arena *a,
               size_t *ret_len)
{
    const struct reply_run *run = choice->run;
    size_t fence = code_fence_length(run->code, run->len);
    struct buf b;

    if (run->len > REPLY_CODE_MAX)
        return NULL;
    buf_init(&b, a, 3 * (size_t)REPLY_CODE_MAX + WORDS_MAX);
    add_gap(&b, text, len, blocks);
    add_lead(&b, choice, shown, reply_label(choice, a));
    for (size_t i = 0; i < fence; i++)
        buf_addc(&b, '`');
    buf_printf(&b, "%s\n", run->language->fence);
    buf_add(&b, run->code, run->len);
    if (run->len == 0 || run->code[run->len - 1] != '\n')
        buf_addc(&b, '\n');
    for (size_t i = 0; i < fence; i++)
        buf_addc(&b, '`');
    buf_addc(&b, '\n');
    *ret_len = b.len;
    return b.full ? NULL : buf_text(&b);
}
