/* hint_probe.h - facts about the machine: questions as one bash script, and its output as
 * answers. Pure. The script only reads; whatever comes from a command or an output stands in
 * single quotes; control characters never reach its output but as line ends, so that no file name
 * can look like an answer of another question. */
#ifndef CORE_HINT_PROBE_H
#define CORE_HINT_PROBE_H

#include "core/hint_rule.h"

/* The script, or NULL when nothing is asked. */
const char *hint_probe_script(struct arena *a, const struct hint_look *l);
/* Fills l->facts[].answer. */
void hint_probe_read(struct arena *a, struct hint_look *l, const char *out, size_t len);

#endif
