/* Rights, owners, groups, users: what is the case right after a command changed them. */
#include "config.h"

#include "core/hint_tables.h"
#include <stdlib.h>
#include <string.h>

static bool
is_work(const char *path)
{
    return strncmp(path, "/work", 5) == 0 || strncmp(path, "/tmp", 4) == 0;
}

/* mkdir of a folder in /work says all there is to say; elsewhere, rights matter. */
static bool
matters(const struct hint_look *l, const struct shell_command *c, const char *path)
{
    if (strcmp(c->program, "mkdir") != 0)
        return true;
    return !is_work(path) || hint_command_has(c, "-m") ||
           hint_command_find(&l->script, "chmod chown chgrp");
}

/* The last path of the last such command: a mode or an owner comes before it. */
static bool
look_rights(struct hint *h)
{
    const struct hint_look *l = h->look;

    for (size_t i = l->script.count; i > 0; i--) {
        const struct shell_command *c = &l->script.at[i - 1];
        size_t first = hint_is_one_of(c->program, "chmod chown chgrp") &&
                               !strstr(c->text, "--reference")
                           ? 2
                           : 1,
               seen = 0;
        const char *path = NULL;

        if (!hint_is_one_of(c->program, "chmod chown chgrp mkdir install setfacl"))
            continue;
        for (size_t k = 1; k < c->count; k++) {
            const char *word = c->words[k].text;

            if (word[0] == '-' && !(first == 2 && seen == 0 && strcmp(c->program, "chmod") == 0 &&
                                    strspn(word + 1, "rwxXst") == strlen(word + 1)))
                continue;
            if (++seen >= first && c->words[k].plain)
                path = word;
        }
        path = path ? hint_path(l->a, c->cwd, path) : NULL;
        if (!path || !matters(l, c, path))
            continue;
        h->command = c;
        h->word[0] = path;
        h->fact[0] = hint_ask(h, FACT_PATH, path);
        return true;
    }
    return false;
}

/* Does the call read the path after its rights were taken? */
static bool
is_read_after(const struct hint *h)
{
    const struct shell_script *s = &h->look->script;

    for (const struct shell_command *c = h->command + 1; c < s->at + s->count; c++)
        for (size_t k = 1; hint_is_one_of(c->program, "cat head tail less grep wc") && k < c->count;
             k++) {
            const char *path = hint_path(h->look->a, c->cwd, c->words[k].text);

            if (path && strcmp(path, h->word[0]) == 0 && !c->other_user)
                return true;
        }
    return false;
}

static bool
say_rights(struct hint *h, struct buf *b)
{
    const char *mode = hint_fact(h, h->fact[0], "mode"), *owner = hint_fact(h, h->fact[0], "owner");
    const char *group = hint_fact(h, h->fact[0], "group"), *path = hint_shown(b->arena, h->word[0]);
    unsigned bits = (unsigned)strtoul(mode, NULL, 8);
    bool folder = strcmp(hint_fact(h, h->fact[0], "type"), "directory") == 0;
    bool for_group = bits & 020 && (bits & 07) != 07;

    if (!mode[0])
        return false;
    buf_printf(b, "Now %s has mode %s, owner %s, group %s (%s:%s).", path, mode, owner, group,
               owner, group);
    if (folder && for_group && strcmp(group, "root") == 0)
        buf_printf(b,
                   " Only group root may write there. To share it with another group: chgrp GROUP "
                   "%s && chmod 2775 %s.",
                   path, path);
    else if (folder && for_group && !(bits & 02000))
        buf_printf(b,
                   " New files in it get the group of who makes them, not %s. To keep the group: "
                   "chmod g+s %s.",
                   group, path);
    else if ((bits & 0400) == 0 && is_read_after(h))
        buf_printf(b,
                   " root reads it in spite of the mode. Test it as another user: runuser -u "
                   "nobody -- cat %s.",
                   h->word[0]);
    return true;
}

/* ---- users
 * --------------------------------------------------------------------------------------------------
 */

static bool
look_user_change(struct hint *h)
{
    const struct shell_command *c = h->command;
    const char *name = NULL;

    for (size_t i = 1; i < c->count; i++)
        if (c->words[i].text[0] != '-' && c->words[i].plain)
            name = c->words[i].text;
    if (strcmp(c->program, "gpasswd") == 0)
        for (size_t i = 1; i + 1 < c->count; i++)
            if (strcmp(c->words[i].text, "-a") == 0 || strcmp(c->words[i].text, "-d") == 0)
                name = c->words[i + 1].text;
    if (!name)
        return false;
    h->word[0] = name;
    h->word[1] = arena_printf(h->look->a, "/home/%s", name);
    h->fact[0] = hint_ask(h, FACT_USER, name);
    h->fact[1] = hint_ask(h, FACT_PATH, h->word[1]);
    return true;
}

static bool
say_user(struct hint *h, struct buf *b)
{
    const struct shell_command *c = h->command;
    const char *id = hint_fact(h, h->fact[0], "id"), *groups = strstr(id, "groups=");
    bool drops = strcmp(c->program, "usermod") == 0 && !hint_command_has(c, "-a") &&
                 (hint_command_has(c, "-G") || hint_command_has(c, "--groups")) &&
                 !hint_command_has(c, "--append");
    bool homeless =
        strcmp(hint_fact(h, h->fact[1], "type"), "none") == 0 && strcmp(c->program, "useradd") == 0;

    if (!id[0])
        return false;
    buf_printf(b, "The user %s now: %s.", h->word[0],
               groups && strcmp(c->program, "useradd") != 0 ? groups : id);
    if (drops)
        buf_printf(b,
                   " usermod -G without -a takes the user out of all other groups. To add one: "
                   "usermod -aG GROUP %s.",
                   h->word[0]);
    if (homeless)
        buf_printf(b, " The folder %s does not exist. Make it: mkhomedir_helper %s.", h->word[1],
                   h->word[0]);
    return true;
}

static const struct hint_rule rows[] = {
    {"user-exists", FAMILY_SHOW, ON_ANY, .programs = "useradd adduser groupadd addgroup",
     .pattern = "(?:user|group) [`']?([\\w.-]+)'? already exists",
     .text = "{1} exists already, so there is nothing to add. See it: id {1}."},
    {"rights-now", FAMILY_SHOW, ON_OK | ON_FAIL,
     .programs = "chmod chown chgrp mkdir install setfacl", .look = look_rights, .say = say_rights},
    {"user-now", FAMILY_SHOW, ON_OK, .programs = "usermod useradd gpasswd",
     .look = look_user_change, .say = say_user},
};

const struct hint_table hint_table_show = {rows, COUNT_OF(rows)};
