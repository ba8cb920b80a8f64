#include "config.h"

#include "base/buf.h"
#include "core/hint_command.h"
#include <string.h>

bool
hint_is_one_of(const char *name, const char *names)
{
    size_t len = strlen(name);

    if (len == 0)
        return false;
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += len)
        if ((at == names || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

const struct shell_command *
hint_command_find(const struct shell_script *s, const char *names)
{
    for (size_t i = 0; i < s->count; i++)
        if (hint_is_one_of(s->at[i].program, names))
            return &s->at[i];
    return NULL;
}

const char *
hint_command_operand(const struct shell_command *c, size_t skip)
{
    for (size_t i = 1; i < c->count; i++) {
        const char *word = c->words[i].text;

        if ((word[0] == '-' && word[1]) || skip-- > 0)
            continue;
        return c->words[i].plain ? word : NULL;
    }
    return NULL;
}

bool
hint_command_has(const struct shell_command *c, const char *word)
{
    for (size_t i = 1; i < c->count; i++) {
        const char *is = c->words[i].text;

        if (strcmp(is, word) == 0)
            return true;
        if (word[0] == '-' && word[1] && !word[2] && is[0] == '-' && is[1] && is[1] != '-' &&
            strlen(is) <= 6 && strchr(is + 1, word[1]))
            return true;
    }
    return false;
}

const char *
hint_path(struct arena *a, const char *cwd, const char *path)
{
    char *out;
    size_t n = 0;

    if (path[0] == '~' && (path[1] == '/' || path[1] == '\0'))
        path = arena_printf(a, "/root%s", path + 1);
    else if (path[0] != '/' && (!cwd || path[0] == '~' || path[0] == '\0'))
        return NULL;
    else if (path[0] != '/')
        path = arena_printf(a, "%s/%s", cwd, path);
    out = arena_alloc(a, strlen(path) + 2);
    while (*path) {
        size_t len;

        path += strspn(path, "/");
        len = strcspn(path, "/");
        if (len == 2 && memcmp(path, "..", 2) == 0) {
            while (n > 0 && out[--n] != '/')
                ;
        } else if (len > 0 && !(len == 1 && *path == '.')) {
            out[n++] = '/';
            memcpy(out + n, path, len);
            n += len;
        }
        path += len;
    }
    if (n == 0)
        out[n++] = '/';
    out[n] = '\0';
    return out;
}
