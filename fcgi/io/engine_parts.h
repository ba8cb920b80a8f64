/* engine_parts.h - what engine.c and engine_care.c have in common: requests to the gate with the
 * version negotiated. For these two only. */
#ifndef IO_ENGINE_PARTS_H
#define IO_ENGINE_PARTS_H

#include "io/engine.h"
#include "io/http.h"

struct engine {
    char *socket_path;
    const struct create_spec *spec;
    struct http *http;
    char prefix[16]; /* "/v1.41"; empty: not negotiated yet */
};

/* Asks for the version once a connection's life. FAULT_ENGINE. */
bool engine_negotiate(struct engine *e, struct arena *a, struct fault *f) MUST_CHECK;
/* One request, path without the version; an answer of any status is success. FAULT_ENGINE. */
bool engine_ask(struct engine *e, const char *method, const char *path, const char *json,
                struct arena *a, struct http_answer *ret, struct fault *f) MUST_CHECK;
/* False, always: the fault for an answer that says no; `what` is a verb. */
bool engine_refused(struct fault *f, const char *what, const struct http_answer *answer);

#endif
