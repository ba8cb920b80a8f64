/* reply_store.h - the record in terms of final answers: what became of the programs that led to
 * one, and what was answered. Both may be asked again when a connection broke. */
#ifndef IO_REPLY_STORE_H
#define IO_REPLY_STORE_H

#include "core/reply_choice.h"
#include "io/store.h"

struct reply_who {
    uint8_t key_sha256[STORE_KEY_BYTES];
    const char *user;         /* X-User-Id or NULL */
    const char *conversation; /* checked by auth_conversation, or NULL: not told */
};

/* How one run is found in the record. */
struct reply_proof {
    const uint8_t *code_sha256;              /* of a run_code; NULL: of a written file, then */
    const char *command, *written, *content; /* see tools/ran.h */
};

/* Fills runs[i].tested for each i. False: FAULT_RECORD, and nothing is filled. A run the record
 * does not know, and every run of somebody it does not know, stays TESTED_UNKNOWN. */
bool reply_store_results(struct store *s, const struct reply_who *who,
                         const struct reply_proof *proofs, struct reply_run *runs, size_t count,
                         struct arena *a, struct fault *f) MUST_CHECK;

struct reply_note {
    const struct reply_choice *choice;
    const uint8_t *code_sha256;
    const char *answer;   /* "shown", "missing", "different", "elsewhere" */
    const char *appended; /* text, or NULL */
};
/* Commits what is going to be answered. False: FAULT_RECORD, nothing may be appended. */
bool reply_store_note(struct store *s, const struct reply_who *who, const struct reply_note *note,
                      struct arena *a, struct fault *f) MUST_CHECK;

#endif
