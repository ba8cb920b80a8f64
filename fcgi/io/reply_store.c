#include "config.h"

#include "base/buf.h"
#include "base/clock.h"
#include "core/json_text.h"
#include "io/pg.h"
#include "io/reply_store.h"
#include <string.h>

enum { RUNS_TEXT_MAX = 64 << 20 };

static void
add_proof(struct buf *b, const struct reply_proof *p)
{
    char hex[STORE_KEY_TEXT];

    buf_addc(b, '{');
    if (p->code_sha256) {
        json_text_member(b, "code", store_key_text(p->code_sha256, hex));
    } else {
        json_text_member(b, "command", p->command);
        json_text_member(b, "written", p->written);
        json_text_member(b, "content", p->content);
    }
    buf_adds(b, "\"v\":1}");
}

static enum tested
tested_of(const char *word, size_t len)
{
    static const struct {
        const char *word;
        enum tested tested;
    } words[] = {{"passed", TESTED_PASSED}, {"ran", TESTED_RAN}, {"failed", TESTED_FAILED}};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strlen(words[i].word) == len && memcmp(words[i].word, word, len) == 0)
            return words[i].tested;
    return TESTED_UNKNOWN;
}

bool
reply_store_results(struct store *s, const struct reply_who *who, const struct reply_proof *proofs,
                    struct reply_run *runs, size_t count, struct arena *a, struct fault *f)
{
    const char *const sql = "SELECT backtalk.reply_results($1::bytea, $2, $3, $4::json)";
    char key[STORE_KEY_TEXT];
    const char *at;
    struct pg_row row;
    struct buf b;

    buf_init(&b, a, RUNS_TEXT_MAX);
    buf_addc(&b, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_addc(&b, ',');
        add_proof(&b, &proofs[i]);
    }
    buf_addc(&b, ']');
    if (b.full)
        return fault_set(f, FAULT_RECORD, "the programs of this turn are too long to ask for");
    {
        const char *params[] = {store_key_text(who->key_sha256, key), who->user, who->conversation,
                                buf_text(&b)};

        if (!pg_row(store_pg(s), sql, COUNT_OF(params), params, true,
                    clock_ms() + store_answer_ms(s), NULL, a, &row, f))
            return false;
    }
    at = row.values[0] ? row.values[0] : "";
    for (size_t i = 0; i < count; i++) {
        size_t len = strcspn(at, ",");

        runs[i].tested = tested_of(at, len);
        at += len;
        at += *at == ',';
    }
    return true;
}

static const char *
verdict_of(enum tested tested)
{
    return tested == TESTED_PASSED ? "passed" : tested == TESTED_RAN ? "ran" : "failed";
}

bool
reply_store_note(struct store *s, const struct reply_who *who, const struct reply_note *note,
                 struct arena *a, struct fault *f)
{
    const char *const sql = "SELECT backtalk.reply_note($1::bytea, $2, $3, $4, $5::bytea, $6,"
                            " $7::int, $8::int, $9, $10)";
    char key[STORE_KEY_TEXT], code[STORE_KEY_TEXT];
    const char *params[] = {
        store_key_text(who->key_sha256, key),
        who->user,
        who->conversation,
        note->choice->run->language->id,
        store_key_text(note->code_sha256, code),
        verdict_of(note->choice->run->tested),
        arena_printf(a, "%d", note->choice->passed),
        arena_printf(a, "%d", note->choice->tests),
        note->answer,
        note->appended,
    };
    struct pg_row row;

    if (!pg_row(store_pg(s), sql, COUNT_OF(params), params, false, clock_ms() + store_answer_ms(s),
                NULL, a, &row, f))
        return false;
    return (row.values[0] && row.values[0][0] == 't') ||
           fault_set(f, FAULT_RECORD, "the record does not know who asks");
}
