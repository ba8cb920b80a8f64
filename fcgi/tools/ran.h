/* ran.h - the programs that the tool calls of a chat ran: of run_code its code, of run the file
 * that write_file wrote and the command runs. The arguments are read as the tools read them, so
 * code and command are what the record has. Pure. */
#ifndef TOOLS_RAN_H
#define TOOLS_RAN_H

#include "core/reply_choice.h"
#include "core/reply_request.h"
#include "tools/tool.h"

enum { RAN_MAX = 64, RAN_FILES_MAX = 64 };

/* How the record knows the run of a written file; all NULL for a run_code. */
struct ran_proof {
    const char *command; /* of the run */
    const char *written; /* of the write_file */
    const char *content; /* what was written, as JSON text: part of that call's arguments */
};

struct ran {
    struct reply_run runs[RAN_MAX]; /* the newest, in order; nothing is known of their results */
    struct ran_proof proofs[RAN_MAX];
    size_t count;
};

/* What was run in the turn; files may have been written before it. Everything lives in the arena.
 */
const struct ran *ran_in_turn(const struct reply_call *calls, size_t count,
                              const struct tool_context *c, struct arena *a);

#endif
