/* What ShellCheck finds in a script that a command runs, or in a loop after a pipe: variables that
 * are lost in a subshell, whatever the exit code; errors and warnings when the script failed. */
#include "config.h"

#include "core/hint_tables.h"
#include "core/hint_text.h"
#include <string.h>

enum { INLINE_MAX = 380 };

/* The script of `bash x.sh` or `./x.sh`, in word[0]; not one that was not even started. */
static bool
look_script(struct hint *h)
{
    const struct hint_look *l = h->look;

    for (size_t i = 0; !l->is_code && l->exit != 126 && l->exit != 127 && i < l->script.count;
         i++) {
        const struct shell_command *c = &l->script.at[i];
        const char *file = hint_is_one_of(c->program, "bash source .") ? hint_command_operand(c, 0)
                           : c->count > 0 && strchr(c->words[0].text, '/') ? c->words[0].text
                                                                           : NULL;
        size_t n = file ? strlen(file) : 0;

        if (n < 4 || strcmp(file + n - 3, ".sh") != 0 || hint_command_has(c, "-n") ||
            !hint_path(l->a, c->cwd, file))
            continue;
        h->word[0] = file;
        h->fact[0] = hint_ask(h, FACT_SCRIPT, hint_path(l->a, c->cwd, file));
        return true;
    }
    return false;
}

static bool
look_failed_script(struct hint *h)
{
    return h->look->exit != 126 && h->look->exit != 127 && look_script(h);
}

/* A loop after a pipe in the command itself. */
static bool
look_loop(struct hint *h)
{
    static const char loop[] = "\\|\\s*(?:while|until|for|\\{|\\()\\s?[\\s\\S]*?(?:done|\\}|\\))";
    const struct hint_look *l = h->look;
    const char *group[HINT_GROUPS];

    if (l->is_code || strlen(l->command) > INLINE_MAX ||
        !hint_text_match(l->a, l->command, loop, group))
        return false;
    h->word[0] = NULL;
    h->fact[0] = hint_ask(h, FACT_INLINE, l->command);
    return true;
}

static bool
look_lost(struct hint *h)
{
    return look_script(h) || look_loop(h);
}

/* "4: Modification of n is local (to subshell caused by pipeline). [SC2030]" */
static bool
say_lost(struct hint *h, struct buf *b)
{
    static const char where[] =
        "^(\\d+): Modification of (\\w+) is local \\(to subshell caused by ([^)\n]*)";
    const char *const *lost = hint_facts(h, h->fact[0], "lost");
    const char *group[HINT_GROUPS];

    if (!lost[0] || !hint_text_match(b->arena, lost[0], where, group))
        return false;
    if (strcmp(group[3], "pipeline") == 0)
        buf_printf(
            b,
            "What is after a | runs in a subshell, so the value that %s gets there (line %s%s%s) "
            "is lost when the pipe ends. Let the loop read the command in place of the pipe: "
            "while read -r x; do ...; done < <(COMMAND).",
            group[2], group[1], h->word[0] ? " of " : "", h->word[0] ? h->word[0] : "");
    else
        buf_printf(
            b,
            "%s gets its value in a subshell (line %s%s%s), so the value is lost after it. Set "
            "it outside of ( ), $( ) and &.",
            group[2], group[1], h->word[0] ? " of " : "", h->word[0] ? h->word[0] : "");
    return true;
}

/* "3: Couldn't parse this test expression. [SC1073]" */
static bool
say_found(struct hint *h, struct buf *b)
{
    const char *const *line = hint_facts(h, h->fact[0], "line");

    if (!line[0])
        return false;
    buf_printf(b, "ShellCheck says of %s: line %s", h->word[0], line[0]);
    if (line[1])
        buf_printf(b, "; line %s", line[1]);
    buf_addc(b, '.');
    return true;
}

static const struct hint_rule rows[] = {
    {"subshell-lost", FAMILY_CHECK, ON_FAIL | ON_OK, .look = look_lost, .say = say_lost},
    {"script-check", FAMILY_CHECK, ON_FAIL, .look = look_failed_script, .say = say_found},
};

const struct hint_table hint_table_script = {rows, COUNT_OF(rows)};
