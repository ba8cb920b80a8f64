/* repair.h - what small models wrap around a program or a command, taken off again.
 * Pure; results live in the arena or are the text itself. */
#ifndef TOOLS_REPAIR_H
#define TOOLS_REPAIR_H

#include "base/arena.h"
#include "core/plan.h"
#include <stdbool.h>

/* The text inside one Markdown fence, when that fence is all there is; else NULL. A fence whose
 * closing line was forgotten counts; a text with a second fence in it does not. */
const char *repair_fence(const char *text, struct arena *a);
/* "\r\n" -> "\n". */
const char *repair_line_ends(const char *text, struct arena *a);
/* Without the "$ " of a copied terminal: of every line when each has one, else of the first; NULL
 * when there is none. */
const char *repair_prompt(const char *command, struct arena *a);
/* True when there is nothing but white space. */
bool repair_blank(const char *text);
/* The notes of a result. */
void plan_note(struct plan *p, const char *sentence);

#endif
