/* auth.h - who calls, and for which conversation, as far as the headers alone tell. Pure. */
#ifndef CORE_AUTH_H
#define CORE_AUTH_H

#include "base/arena.h"
#include <stdbool.h>

enum {
    AUTH_KEY_MAX = 512,          /* bytes of a key */
    AUTH_CONVERSATION_MAX = 200, /* bytes of a conversation id */
};

/* The key of an "Authorization: Bearer KEY" header (RFC 6750, section 2.1), in the arena;
 * NULL when there is none of the right form. */
const char *auth_bearer(const char *authorization, struct arena *a);
/* True when id can name a conversation: 1..200 bytes of printable ASCII without spaces, not
 * "new", "null", "undefined", "none" (any case), no unexpanded {{...}} or ${...}. On false
 * *ret_why says what is wrong and what to configure (static text). */
bool auth_conversation(const char *id, const char **ret_why);

#endif
