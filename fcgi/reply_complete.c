#include "config.h"

#include "base/log.h"
#include "core/code_blocks.h"
#include "reply_serve.h"
#include <sha256.h>
#include <string.h>

static void
hash(const char *bytes, size_t len, uint8_t ret[STORE_KEY_BYTES])
{
    SHA2_CTX sha;

    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)bytes, len);
    SHA256Final(ret, &sha);
}

/* The runs with what the record says of them. False: it cannot be asked. */
static bool
look_up(struct pass *p, struct reply_run *runs)
{
    const struct ran *ran = p->ran;
    struct arena *a = p->w->arena;
    struct reply_proof *proofs = arena_alloc(a, ran->count * sizeof *proofs);
    struct fault f;

    memcpy(runs, ran->runs, ran->count * sizeof *runs);
    for (size_t i = 0; i < ran->count; i++) {
        uint8_t *sha256 = arena_alloc(a, STORE_KEY_BYTES);

        hash(runs[i].code, runs[i].len, sha256);
        proofs[i] = (struct reply_proof){
            .code_sha256 = ran->proofs[i].command ? NULL : sha256,
            .command = ran->proofs[i].command,
            .written = ran->proofs[i].written,
            .content = ran->proofs[i].content,
        };
    }
    if (reply_store_results(p->w->store, &p->who, proofs, runs, ran->count, a, &f))
        return true;
    log_line(LOG_LINE_ERROR, "nothing is appended: %s: %s", f.message, f.detail);
    p->completed = "no record";
    return false;
}

static bool
note(struct pass *p, const struct reply_choice *choice, enum reply_shown shown,
     const char *appended)
{
    uint8_t sha256[STORE_KEY_BYTES];
    struct reply_note n = {
        .choice = choice,
        .code_sha256 = sha256,
        .answer = reply_shown_name(shown),
        .appended = appended,
    };
    struct fault f;

    hash(choice->run->code, choice->run->len, sha256);
    if (reply_store_note(p->w->store, &p->who, &n, p->w->arena, &f))
        return true;
    log_line(LOG_LINE_ERROR, "the answer is not recorded, so nothing is appended: %s: %s",
             f.message, f.detail);
    p->completed = "no record";
    return false;
}

const char *
reply_complete(struct pass *p, size_t *ret_len)
{
    const struct languages *all = p->w->tools.languages;
    struct arena *a = p->w->arena;
    struct reply_run *runs = arena_alloc(a, p->ran->count * sizeof *runs);
    struct code_blocks *blocks = arena_alloc(a, sizeof *blocks);
    const char *text = buf_text(&p->answer.text), *appendix = NULL;
    size_t len = p->answer.text.len;
    struct reply_choice choice;
    enum reply_shown shown;

    code_blocks_find(text, len, blocks);
    if (blocks->thinking) {
        p->completed = "thinking";
        return NULL;
    }
    if (!look_up(p, runs))
        return NULL;
    if (!reply_choose(runs, p->ran->count, &choice)) {
        p->completed = "not in the record";
        return NULL;
    }
    shown = reply_shows(blocks, &choice, runs, p->ran->count, all);
    p->completed = reply_shown_name(shown);
    if (shown == REPLY_MISSING || shown == REPLY_DIFFERENT)
        appendix = reply_appendix(text, len, blocks, &choice, shown, a, ret_len);
    if (!note(p, &choice, shown, appendix))
        return NULL;
    return appendix;
}
