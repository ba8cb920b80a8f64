/* log.h - one line per event on standard error: `level key=value ... text`.
 * Only main programs and the request loop log; libraries return faults. Never
 * code, keys, or ids of people. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/own.h"

enum log_level { LOG_LINE_ERROR, LOG_LINE_WARNING, LOG_LINE_INFO, LOG_LINE_DEBUG };

/* Lines less urgent than `max` are dropped. `program` is borrowed and must live on. */
void log_init(const char *program, enum log_level max);
/* Prefix of the lines that follow (request id, sandbox name); "" for none. Copied. */
void log_scope(const char *prefix);
/* Writes one line with one write(2); line breaks in the text become spaces. */
void log_line(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
