#include "config.h"

#include "base/clock.h"
#include "io/pg.h"
#include "io/store.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEYS_REMEMBERED = 16,
    KEY_GOOD_MS = 30000,
    NUMBER_TEXT = 24,
    ARGUMENTS_PER_MS = 1000, /* bytes the record takes in on the slowest machine */
};

struct store {
    struct pg *pg;
    int64_t answer_ms; /* how long a statement may take that waits for nobody */
    struct known_key {
        uint8_t sha256[STORE_KEY_BYTES];
        int64_t until_ms;
    } known[KEYS_REMEMBERED];
    size_t next_known;
    uint64_t cancelled; /* the call a cancel has come for: it stays cancelled */
};

struct store *
store_new(const char *conninfo, int64_t answer_ms)
{
    struct store *s = calloc(1, sizeof *s);

    if (!s)
        abort();
    s->pg = pg_new(conninfo);
    s->answer_ms = answer_ms;
    return s;
}

void
store_free(struct store *s)
{
    if (!s)
        return;
    pg_free(s->pg);
    free(s);
}

struct pg *
store_pg(struct store *s)
{
    return s->pg;
}

int64_t
store_answer_ms(const struct store *s)
{
    return s->answer_ms;
}

const char *
store_key_text(const uint8_t sha256[STORE_KEY_BYTES], char out[STORE_KEY_TEXT])
{
    memcpy(out, "\\x", 2);
    for (size_t i = 0; i < STORE_KEY_BYTES; i++)
        snprintf(out + 2 + 2 * i, 3, "%02x", sha256[i]);
    return out;
}

static const char *
number_text(int64_t n, char out[NUMBER_TEXT])
{
    snprintf(out, NUMBER_TEXT, "%" PRId64, n);
    return out;
}

static int64_t
number(const char *text, int64_t when_null)
{
    return text ? strtoll(text, NULL, 10) : when_null;
}

static bool
key_remembered(const struct store *s, const uint8_t key[STORE_KEY_BYTES])
{
    int64_t now = clock_ms();

    for (size_t i = 0; i < KEYS_REMEMBERED; i++)
        if (s->known[i].until_ms > now && memcmp(s->known[i].sha256, key, STORE_KEY_BYTES) == 0)
            return true;
    return false;
}

bool
store_key(struct store *s, const uint8_t key[STORE_KEY_BYTES], struct fault *f)
{
    const char *const sql = "SELECT backtalk.key_check($1::bytea)";
    struct arena *a;
    struct pg_row row;
    char text[STORE_KEY_TEXT];
    const char *params[] = {store_key_text(key, text)};
    bool good = false;

    if (key_remembered(s, key))
        return true;
    a = arena_new(512);
    if (pg_row(s->pg, sql, 1, params, true, clock_ms() + s->answer_ms, NULL, a, &row, f)) {
        good = row.values[0] && row.values[0][0] == 't';
        if (good) {
            struct known_key *k = &s->known[s->next_known++ % KEYS_REMEMBERED];

            memcpy(k->sha256, key, STORE_KEY_BYTES);
            k->until_ms = clock_ms() + KEY_GOOD_MS;
        } else {
            fault_set(f, FAULT_AUTH, "the key is not known");
        }
    }
    arena_free(a);
    return good;
}

/* ---- call_begin ------------------------------------------------------------------- */

static const char begin_sql[] =
    "SELECT status, message, call_id, sandbox_id, container, image, sandbox_state, member_label,"
    " stopped_ago_s, stop_reason, stop_running, used_ago_s, image_old, lost_on, lost_why,"
    " lost_limit, previous_nonce, previous_command,"
    " previous_outcome, previous_exit, previous_signal, previous_duration_ms, disk_used_bytes,"
    " disk_limit_bytes, failure_count, failure_fingerprint, rules_off"
    " FROM backtalk.call_begin($1::bytea, $2, $3, $4, $5, $6, $7::bigint, $8, $9, $10, $11::int)";

enum begin_column {
    STATUS,
    MESSAGE,
    CALL_ID,
    SANDBOX_ID,
    CONTAINER,
    IMAGE,
    SANDBOX_STATE,
    MEMBER_LABEL,
    STOPPED_AGO_S,
    STOP_REASON,
    STOP_RUNNING,
    USED_AGO_S,
    IMAGE_OLD,
    LOST_ON,
    LOST_WHY,
    LOST_LIMIT,
    PREVIOUS_NONCE,
    PREVIOUS_COMMAND,
    PREVIOUS_OUTCOME,
    PREVIOUS_EXIT,
    PREVIOUS_SIGNAL,
    PREVIOUS_DURATION_MS,
    DISK_USED,
    DISK_LIMIT,
    FAILURE_COUNT,
    FAILURE_FINGERPRINT,
    RULES_OFF,
};

static const char *
text_or(const char *text, const char *when_null)
{
    return text ? text : when_null;
}

/* How the previous call ended as far as the record knows; the engine asks the agent for more. */
static struct fate
previous_fate(const char *const *v)
{
    const char *outcome = text_or(v[PREVIOUS_OUTCOME], "");
    struct fate fate = {
        .kind = FATE_FINISHED,
        .command = text_or(v[PREVIOUS_COMMAND], ""),
        .exit_code = (int)number(v[PREVIOUS_EXIT], -1),
        .signal = (int)number(v[PREVIOUS_SIGNAL], 0),
        .timed_out = strcmp(outcome, "timeout") == 0,
        .wall_ms = number(v[PREVIOUS_DURATION_MS], 0),
        .log = "",
    };

    if (!v[PREVIOUS_NONCE])
        fate.kind = FATE_NONE;
    else if (strcmp(outcome, "cancelled") == 0)
        fate.kind = FATE_CANCELLED;
    else if (strcmp(outcome, "refused") == 0 || strcmp(outcome, "engine") == 0)
        fate.kind = FATE_NOT_RUN;
    else if (strcmp(outcome, "machine") == 0)
        fate.kind = FATE_MACHINE_LOST;
    else if (strcmp(outcome, "lost") == 0 || fate.exit_code < 0)
        fate.kind = FATE_UNKNOWN;
    return fate;
}

static void
read_record(const char *const *v, uint64_t nonce, struct call_record *ret)
{
    bool fresh = strcmp(text_or(v[SANDBOX_STATE], "new"), "new") == 0;

    *ret = (struct call_record){
        .call_id = number(v[CALL_ID], 0),
        .sandbox_id = number(v[SANDBOX_ID], 0),
        .container = text_or(v[CONTAINER], ""),
        .image = text_or(v[IMAGE], ""),
        .member_label = text_or(v[MEMBER_LABEL], "0"),
        .previous_nonce = (uint64_t)number(v[PREVIOUS_NONCE], 0),
        .failure_count = (int)number(v[FAILURE_COUNT], 0),
        .failure_fingerprint = v[FAILURE_FINGERPRINT],
        .rules_off = text_or(v[RULES_OFF], ""),
        .notices =
            {
                .fresh = fresh,
                .stopped_ago_s = number(v[STOPPED_AGO_S], -1),
                .stop_reason = text_or(v[STOP_REASON], ""),
                .stop_running = text_or(v[STOP_RUNNING], ""),
                .used_ago_s = number(v[USED_AGO_S], -1),
                .image_old = strcmp(text_or(v[IMAGE_OLD], "f"), "t") == 0,
                .lost_on = text_or(v[LOST_ON], ""),
                .lost_why = text_or(v[LOST_WHY], ""),
                .lost_limit = number(v[LOST_LIMIT], 0),
                .disk_used_bytes = number(v[DISK_USED], 0),
                .disk_limit_bytes = number(v[DISK_LIMIT], 0),
                .fate = previous_fate(v),
            },
    };
    /* A statement repeated on a new connection may meet its own first attempt. */
    if (ret->previous_nonce == nonce) {
        ret->previous_nonce = 0;
        ret->notices.fate.kind = FATE_NONE;
    }
}

/* A statement that failed or was cancelled at its very end may have left the chat's lock behind. */
static bool
begin_failed(struct store *s)
{
    pg_send(s->pg, "SELECT backtalk.call_release()", 0, NULL);
    return false;
}

static bool
begin_once(struct store *s, const struct call_start *in, int64_t wait_ms, const struct pg_wait *w,
           struct arena *a, struct pg_row *row, struct fault *f)
{
    char key[STORE_KEY_TEXT], nonce[NUMBER_TEXT], wait[NUMBER_TEXT];
    const char *params[] = {
        store_key_text(in->key_sha256, key),
        in->user,
        in->conversation,
        in->tool,
        in->arguments,
        in->command,
        number_text((int64_t)in->nonce, nonce),
        in->client,
        in->session,
        in->request_id,
        number_text(wait_ms, wait),
    };

    /* A large file takes its time to be sent and stored: that is no record that is down. */
    int64_t store_ms = (int64_t)strlen(in->arguments) / ARGUMENTS_PER_MS;

    return pg_row(s->pg, begin_sql, COUNT_OF(params), params, true,
                  clock_ms() + s->answer_ms + store_ms + wait_ms, w, a, row, f);
}

bool
store_begin(struct store *s, const struct call_start *in, const struct store_wait *w,
            struct arena *a, struct call_record *ret, struct fault *f)
{
    const struct pg_wait ticking = {.ctx = w->ctx, .tick = w->tick};
    struct pg_row row;
    const char *status;

    /* First without waiting, so that a record that does not answer is noticed soon; only then in
     * the queue behind an earlier call of the chat. */
    if (!begin_once(s, in, 0, NULL, a, &row, f))
        return begin_failed(s);
    status = text_or(row.values[STATUS], "");
    if ((strcmp(status, "busy") == 0 || strcmp(status, "limit") == 0) && in->wait_ms > 0) {
        if (!begin_once(s, in, in->wait_ms, &ticking, a, &row, f))
            return begin_failed(s);
        status = text_or(row.values[STATUS], "");
    }
    if (strcmp(status, "ok") == 0) {
        read_record(row.values, in->nonce, ret);
        return true;
    }
    if (strcmp(status, "unauthorized") == 0) {
        memset(s->known, 0, sizeof s->known);
        return fault_set(f, FAULT_AUTH, "the key is not known");
    }
    return fault_set(f, FAULT_BUSY, "%s", text_or(row.values[MESSAGE], "the machine is busy"));
}

/* ---- call_end --------------------------------------------------------------------- */

/* {"a","b"} for text[]; hint ids are plain words. */
static const char *
text_array(struct arena *a, const char *const *items)
{
    const char *list = "";

    for (size_t i = 0; items && items[i]; i++)
        list = arena_printf(a, "%s%s\"%s\"", list, i ? "," : "", items[i]);
    return arena_printf(a, "{%s}", list);
}

static const char *
number_or_null(struct arena *a, int64_t n)
{
    return n < 0 ? NULL : arena_printf(a, "%" PRId64, n);
}

bool
store_end(struct store *s, const struct call_finish *in, struct fault *f)
{
    const char *const sql =
        "SELECT backtalk.call_end($1::bigint, $2, $3::int, $4::int, $5::bigint, $6::bigint,"
        " $7::bigint, $8::bigint, $9::bigint, $10, $11::text[], $12, $13::boolean, $14, $15, $16,"
        " $17, $18, $19)";
    struct arena *a = arena_new(4096);
    struct pg_row row;
    const char *params[] = {
        number_or_null(a, in->call_id),
        in->outcome,
        number_or_null(a, in->exit_code),
        number_or_null(a, in->signal),
        number_or_null(a, in->duration_ms),
        number_or_null(a, in->peak_bytes),
        number_or_null(a, in->out_bytes),
        number_or_null(a, in->err_bytes),
        number_or_null(a, in->cut_bytes),
        in->verdict,
        text_array(a, in->hint_ids),
        in->text,
        in->changed ? "t" : "f",
        in->container_state,
        in->image,
        in->language,
        in->code,
        in->program_verdict,
        in->fingerprint,
    };
    /* Repeating is safe: only an open row is closed. */
    bool done = pg_row(s->pg, sql, COUNT_OF(params), params, true, clock_ms() + s->answer_ms, NULL,
                       a, &row, f);

    if (done && strcmp(text_or(row.values[0], "f"), "t") != 0)
        done = fault_set(f, FAULT_RECORD, "the call was closed by somebody else");
    if (!done)
        pg_drop(s->pg);
    arena_free(a);
    return done;
}

void
store_delivered(struct store *s, int64_t call_id, bool delivered)
{
    char id[NUMBER_TEXT];
    const char *params[] = {number_text(call_id, id), delivered ? "t" : "f"};

    pg_send(s->pg, "SELECT backtalk.call_delivered($1::bigint, $2::boolean)", COUNT_OF(params),
            params);
}

void
store_rest(struct store *s)
{
    pg_drop(s->pg);
}

bool
store_cancel(struct store *s, const uint8_t key[STORE_KEY_BYTES], const char *session,
             const char *request_id, struct fault *f)
{
    struct arena *a = arena_new(512);
    struct pg_row row;
    char text[STORE_KEY_TEXT];
    const char *params[] = {store_key_text(key, text), session, request_id};
    bool done = pg_row(s->pg, "SELECT backtalk.call_cancel($1::bytea, $2, $3)", COUNT_OF(params),
                       params, true, clock_ms() + s->answer_ms, NULL, a, &row, f);

    arena_free(a);
    return done;
}

bool
store_cancelled(struct store *s, uint64_t nonce)
{
    char payload[NUMBER_TEXT];

    if (pg_notified(s->pg, number_text((int64_t)nonce, payload)))
        s->cancelled = nonce;
    return s->cancelled == nonce;
}
