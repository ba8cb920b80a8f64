/* store.h - the record. Two round trips a call: store_begin before anything runs,
 * store_end before the answer is sent; store_delivered afterwards costs the caller
 * nothing. Only SQL functions of schema backtalk are called. */
#ifndef IO_STORE_H
#define IO_STORE_H

#include "base/arena.h"
#include "base/fault.h"
#include "core/notices.h"
#include <stdint.h>

struct store;

/* conninfo: libpq connection string; does not connect yet. Never NULL. */
struct store *store_new(const char *conninfo, int64_t answer_ms);
void store_free(struct store *s);

enum { STORE_KEY_BYTES = 32, STORE_KEY_TEXT = 2 + 2 * STORE_KEY_BYTES + 1 };

/* The connection and its time, for the verbs of other files: borrowed. */
struct pg *store_pg(struct store *s);
int64_t store_answer_ms(const struct store *s);
/* A SHA-256 as a bytea parameter: \x and hex digits; returns `out`. */
const char *store_key_text(const uint8_t sha256[STORE_KEY_BYTES], char out[STORE_KEY_TEXT]);

/* Is this a live key? Positive answers are remembered for 30 s: it only decides between 401 and
 * reading the body; store_begin checks again. False + FAULT_AUTH: not a key; false + FAULT_RECORD:
 * the record cannot be asked. */
bool store_key(struct store *s, const uint8_t key_sha256[STORE_KEY_BYTES],
               struct fault *f) MUST_CHECK;

struct call_start {
    uint8_t key_sha256[STORE_KEY_BYTES];
    const char *user;                          /* X-User-Id or NULL */
    const char *conversation;                  /* checked by auth_conversation */
    const char *tool, *arguments;              /* arguments: compact JSON */
    const char *command;                       /* what the call runs, in short, for later notices */
    uint64_t nonce;                            /* the agent knows the call by this number */
    const char *client, *session, *request_id; /* may be NULL */
    int64_t wait_ms; /* how long to wait for an earlier call of the same chat */
};

struct call_record {
    int64_t call_id, sandbox_id;
    const char *container;           /* bt-<32 hex> */
    const char *image;               /* tag the sandbox was made from; "" when it is new */
    const char *member_label;        /* [0-9]+: goes into the container's label */
    uint64_t previous_nonce;         /* != 0: the chat's previous call was not answered */
    struct notices notices;          /* what the record knows; the engine adds what it sees */
    int failure_count;               /* how often this very call failed with failure_fingerprint, */
    const char *failure_fingerprint; /* and nothing was written since; NULL: not at all */
    const char *rules_off;           /* hint rules the operator switched off, blank-separated */
};

/* What happens while store_begin waits for an earlier call. */
struct store_wait {
    void *ctx;
    bool (*tick)(void *ctx); /* called about every 100 ms; false: give up (FAULT_CANCELLED) */
};

/* FAULT_AUTH: key or member no longer good. FAULT_BUSY: an earlier call of the chat still runs, or
 * a limit of the member is reached: the message is ready for the model. FAULT_RECORD: the record is
 * out of reach; nothing was run. On false no lock is held. */
bool store_begin(struct store *s, const struct call_start *in, const struct store_wait *w,
                 struct arena *a, struct call_record *ret, struct fault *f) MUST_CHECK;

struct call_finish {
    int64_t call_id;
    const char *outcome;   /* "ok", "failed", "timeout", "cancelled", "refused", "engine", "lost" */
    int exit_code, signal; /* -1: none */
    int64_t duration_ms;
    int64_t peak_bytes, out_bytes, err_bytes, cut_bytes;
    const char *verdict;         /* "pass", "fail", NULL */
    const char *const *hint_ids; /* NULL-ended, may be NULL */
    const char *text;            /* what is sent */
    bool changed;                /* files or packages changed: failure memory is cleared */
    const char *container_state; /* "running"; "fresh": running, newly made though the record knew
                                  * one; "removed" after reset; NULL: not known */
    const char *image;           /* the image the container runs, or NULL: not known */
    const char *language, *code; /* a program that ran, or NULL */
    const char *program_verdict; /* "passed", "ran", "failed" */
    const char *fingerprint;     /* of a failure to remember (core/memory), or NULL */
};
/* Commits the audit row. False: the answer must not claim more than that the record failed. */
bool store_end(struct store *s, const struct call_finish *in, struct fault *f) MUST_CHECK;
/* After the reply went out (or could not): marks it and frees the chat's lock. Does not wait. */
void store_delivered(struct store *s, int64_t call_id, bool delivered);

/* Gives back the memory that a large call left in the connection, by closing it; the next call
 * opens another. What store_delivered sent arrives all the same. */
void store_rest(struct store *s);

/* notifications/cancelled: asks whoever runs that call to stop it. */
bool store_cancel(struct store *s, const uint8_t key_sha256[STORE_KEY_BYTES], const char *session,
                  const char *request_id, struct fault *f) MUST_CHECK;
/* Has a cancel for the running call with this nonce come? Cheap: asks no server. */
bool store_cancelled(struct store *s, uint64_t nonce);

#endif
