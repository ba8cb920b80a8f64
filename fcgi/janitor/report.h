/* report.h - what a pass did, or would do, for people and programs. */
#ifndef JANITOR_REPORT_H
#define JANITOR_REPORT_H

#include "janitor/pass.h"

/* "would stop machine 12 (bt-...): idle: not used for 61 minutes", a line each, and a last one. */
const char *report_dry_run(const struct pass *p, struct arena *a);
/* One line of JSON. */
const char *report_json(const struct pass *p, bool dry_run, struct arena *a);
/* A log line for each thing done or failed. Trouble that `last` was about already is not said
 * again; returns what to give the next time: NULL when there was no trouble. */
const char *report_log(const struct pass *p, const char *last, struct arena *keep);

#endif
