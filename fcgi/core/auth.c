#include "config.h"

#include "core/auth.h"
#include <string.h>
#include <strings.h>

#define CONFIGURE                                                                                  \
    "Set the header X-Conversation-Id in the MCP client to the id of the chat (LibreChat: "        \
    "\"{{LIBRECHAT_BODY_CONVERSATIONID}}\"), or use the address /mcp/c/NAME."

static bool
is_key_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-._~+/=", c));
}

const char *
auth_bearer(const char *authorization, struct arena *a)
{
    static const char scheme[] = "bearer";
    size_t len = 0;

    if (!authorization)
        return NULL;
    authorization += strspn(authorization, " \t");
    if (strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
        return NULL;
    authorization += sizeof scheme - 1;
    if (*authorization != ' ')
        return NULL;
    authorization += strspn(authorization, " ");
    while (is_key_char(authorization[len]))
        len++;
    if (len == 0 || len > AUTH_KEY_MAX)
        return NULL;
    if (authorization[len + strspn(authorization + len, " \t")] != '\0')
        return NULL;
    return arena_strndup(a, authorization, len);
}

bool
auth_conversation(const char *id, const char **ret_why)
{
    static const char *const placeholders[] = {"new", "null", "undefined", "none"};
    size_t len = id ? strlen(id) : 0;

    if (len == 0) {
        *ret_why = "This call came without a conversation id. " CONFIGURE;
        return false;
    }
    if (strstr(id, "{{") || strstr(id, "${")) {
        *ret_why = "The conversation id of this call is a placeholder that the MCP client did not "
                   "fill in. " CONFIGURE;
        return false;
    }
    if (len > AUTH_CONVERSATION_MAX) {
        *ret_why = "The conversation id of this call is longer than 200 bytes. " CONFIGURE;
        return false;
    }
    for (size_t i = 0; i < len; i++)
        if (id[i] <= ' ' || id[i] > '~') {
            *ret_why = "The conversation id of this call holds characters other than printable "
                       "ASCII. " CONFIGURE;
            return false;
        }
    for (size_t i = 0; i < COUNT_OF(placeholders); i++)
        if (strcasecmp(id, placeholders[i]) == 0) {
            *ret_why = "The conversation id of this call names no chat: the client sent it before "
                       "the chat had one. " CONFIGURE;
            return false;
        }
    return true;
}
