#include "config.h"

#include "base/buf.h"
#include "core/shell_reader.h"
#include <stdint.h>
#include <string.h>

static void read_commands(struct reader *r);

/* ---- a command's end ----------------------------------------------------------------------- */

static void
drop_words(struct shell_command *c, size_t n)
{
    n = n < c->count ? n : c->count;
    c->words += n;
    c->count -= n;
}

static bool
is_assignment(const char *word)
{
    size_t n = 0;

    while (shell_name_char(word[n]))
        n++;
    return n > 0 && !(word[0] >= '0' && word[0] <= '9') &&
           (word[n] == '=' || (word[n] == '+' && word[n + 1] == '='));
}

static const char *
last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Programs that run the rest of their words, and their options that take a value. */
static const struct {
    const char *name, *valued;
    unsigned operands; /* words before the command */
} wrappers[] = {
    {"sudo", "-u -g -C -D -h -p -R -T --user --group --chdir", 0},
    {"doas", "-u -C", 0},
    {"env", "-u -C --unset --chdir", 0},
    {"nohup", "", 0},
    {"setsid", "", 0},
    {"time", "-o -f", 0},
    {"nice", "-n", 0},
    {"ionice", "-c -n", 0},
    {"timeout", "-k -s --kill-after --signal", 1},
    {"stdbuf", "-i -o -e", 0},
    {"unbuffer", "", 0},
    {"command", "", 0},
    {"builtin", "", 0},
    {"exec", "-a", 0},
    {"xvfb-run", "-n -s", 0},
};

static bool
unwrap(struct shell_command *c)
{
    const char *name = c->count > 0 ? last_part(c->words[0].text) : "";
    unsigned operands;
    size_t n = 1;

    for (size_t i = 0; i < COUNT_OF(wrappers); i++) {
        if (strcmp(name, wrappers[i].name) != 0)
            continue;
        operands = wrappers[i].operands;
        while (n < c->count) {
            const char *word = c->words[n].text;

            if (word[0] == '-' && word[1]) {
                if (strcmp(name, "command") == 0 && strpbrk(word, "vV"))
                    return false; /* a question, not a call */
                if (strcmp(name, "sudo") == 0 && strncmp(word, "-u", 2) == 0)
                    c->other_user = true;
                n += 1 + (hint_is_one_of(word, wrappers[i].valued) && n + 1 < c->count);
            } else if (is_assignment(word)) {
                n++;
            } else if (operands > 0) {
                operands--;
                n++;
            } else {
                break;
            }
        }
        if (n >= c->count)
            return false;
        c->bounded = c->bounded || strcmp(name, "timeout") == 0;
        c->detached = c->detached || hint_is_one_of(name, "nohup setsid");
        drop_words(c, n);
        return true;
    }
    return false;
}

/* Names that get a value from a command's words. */
static void
note_values(struct reader *r)
{
    static const char givers[] =
        "export declare local read readonly typeset for select getopts mapfile readarray printf";
    struct shell_command *c = &r->c;
    bool gives = c->count > 0 && hint_is_one_of(c->words[0].text, givers);

    for (size_t i = 0; i < c->count; i++) {
        const char *word = c->words[i].text;
        size_t n = strcspn(word, "+=");

        if (is_assignment(word) || (gives && i > 0 && word[0] != '-'))
            shell_note_name(r->a, r->s->set, &r->s->set_count, word, n);
        else if (!gives && !is_assignment(word))
            break;
    }
}

static void
run_inner(struct reader *r, const char *text, size_t len, bool other_user, const char *cwd)
{
    struct reader in = {.a = r->a,
                        .s = r->s,
                        .start = text,
                        .at = text,
                        .end = text + len,
                        .level = r->level + 1,
                        .cwd = cwd};
    size_t first = r->s->count;

    if (r->level >= DEPTH_MAX)
        return;
    read_commands(&in);
    for (size_t i = first; other_user && i < r->s->count; i++)
        r->s->at[i].other_user = true;
}

/* sh -c TEXT, su USER -c TEXT, eval TEXT: what TEXT runs. */
static void
run_text_argument(struct reader *r, const struct shell_command *c)
{
    bool user = hint_is_one_of(c->program, "su runuser");
    size_t i = 1;

    if (strcmp(c->program, "eval") == 0 && c->count == 2)
        run_inner(r, c->words[1].text, strlen(c->words[1].text), false, c->cwd);
    if (!user && !hint_is_one_of(c->program, "bash sh dash zsh"))
        return;
    for (; i + 1 < c->count; i++) {
        const char *word = c->words[i].text;
        size_t n = strlen(word);

        if (word[0] == '-' && word[1] != '-' && n > 1 && n < 6 && word[n - 1] == 'c') {
            run_inner(r, c->words[i + 1].text, strlen(c->words[i + 1].text), user, c->cwd);
            return;
        }
    }
}

static void
follow_cd(struct reader *r, const struct shell_command *c)
{
    const char *to = hint_command_operand(c, 0);

    if (strcmp(c->program, "cd") != 0 || c->join == JOIN_PIPE || c->joined == JOIN_PIPE)
        return;
    if (c->count == 1)
        r->cwd = "/root";
    else if (to && strcmp(to, "-") != 0)
        r->cwd = hint_path(r->a, r->cwd, to);
    else
        r->cwd = NULL;
}

static void
finish_command(struct reader *r, const char *end, enum shell_join join)
{
    struct shell_command *c = &r->c, *kept;
    struct inner inner[NESTED_MAX];
    size_t inner_count = r->inner_count, len = (size_t)(end - r->begin);
    bool any = c->count > 0 || c->out_path || c->has_input;

    memcpy(inner, r->inner, sizeof inner);
    r->inner_count = 0;
    while (len > 0 && shell_ends_word(r->begin[len - 1]) && r->begin[len - 1] != ')')
        len--;
    if (any && r->s->count < HINT_COMMANDS_MAX) {
        note_values(r);
        while (c->count > 0 && is_assignment(c->words[0].text))
            drop_words(c, 1);
        while (unwrap(c))
            ;
        c->program = c->count > 0 ? last_part(c->words[0].text) : "";
        c->text = arena_strndup(r->a, r->begin, len < TEXT_BYTES ? len : TEXT_BYTES);
        c->cwd = r->cwd;
        c->level = r->level;
        c->join = join;
        c->joined = r->joined;
        c->has_input = c->has_input || r->joined == JOIN_PIPE;
        r->s->err_to_out = r->s->err_to_out || c->err_to_out;
        kept = &r->s->at[r->s->count++];
        *kept = *c;
        follow_cd(r, kept);
        run_text_argument(r, kept);
        for (size_t i = 0; i < inner_count; i++)
            run_inner(r, inner[i].at, inner[i].len, false, kept->cwd);
    } else if (any) {
        r->s->cut = true;
    }
    if (any || join == JOIN_PIPE)
        r->joined = join;
    else if (r->s->count > 0 && join == JOIN_BACKGROUND)
        r->s->at[r->s->count - 1].join = join;
    r->c = (struct shell_command){0};
    r->begin = NULL;
}

/* ---- the whole text ------------------------------------------------------------------------ */

static void
add_word(struct reader *r, const char *from)
{
    static const char openers[] = "if then elif else while until do ! {";
    struct shell_word w = shell_read_word(r);
    struct shell_command *c = &r->c;

    if (c->count == 0 && hint_is_one_of(w.text, openers) && r->at - from == (long)strlen(w.text))
        return;
    if (c->count == 0 && hint_is_one_of(w.text, "fi done esac }"))
        return;
    if (c->count == 0)
        r->begin = from;
    if (r->case_head) {
        r->case_head = strcmp(w.text, "in") != 0;
        if (!r->case_head)
            r->c = (struct shell_command){0};
        return;
    }
    if (c->count == 0 && strcmp(w.text, "case") == 0) {
        r->case_head = true;
        return;
    }
    if (!c->words)
        c->words = arena_alloc(r->a, HINT_WORDS_MAX * sizeof *c->words);
    if (c->count < HINT_WORDS_MAX)
        c->words[c->count++] = w;
    else
        r->s->cut = true;
}

static bool
at_redirection(const struct reader *r)
{
    const char *at = r->at;

    if (*at == '<' || *at == '>')
        return true;
    if (at + 1 >= r->end)
        return false;
    if (*at == '&')
        return at[1] == '>';
    return *at >= '0' && *at <= '9' && (at[1] == '<' || at[1] == '>') &&
           (at == r->start || shell_ends_word(at[-1]));
}

/* At one of ; & | ( ) or a line's end. */
static void
read_operator(struct reader *r)
{
    const char *from = r->at;
    char c = *r->at++, next = r->at < r->end ? *r->at : '\0';
    enum shell_join join = JOIN_NEXT;

    if (c == '&')
        join = next == '&' ? JOIN_AND : JOIN_BACKGROUND;
    else if (c == '|')
        join = next == '|' ? JOIN_OR : JOIN_PIPE;
    if ((c == next && strchr("&|;", c)) || (c == '|' && next == '&'))
        r->at++;
    if (c == '|' && next == '&')
        r->c.err_to_out = true;
    if (c == '(' || c == ')') {
        if (r->c.count > 0)
            finish_command(r, from, JOIN_NEXT);
        if (c == '(' && r->level < DEPTH_MAX) {
            const char *stop = shell_past(from, r->end, '(', ')');
            bool whole = stop > from + 1 && stop[-1] == ')';

            run_inner(r, from + 1, (size_t)(stop - from - 1) - whole, false, r->cwd);
            r->at = stop;
        }
        return;
    }
    finish_command(r, from, join);
    if (c == '\n')
        shell_skip_heredocs(r);
}

static void
read_commands(struct reader *r)
{
    while (r->at < r->end) {
        shell_skip_blanks(r);
        if (r->at >= r->end)
            break;
        if (*r->at == '#') {
            const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));

            r->at = stop ? stop : r->end;
        } else if (at_redirection(r)) {
            if (!r->begin)
                r->begin = r->at;
            shell_read_redirection(r);
        } else if (shell_ends_word(*r->at)) {
            if (!r->begin)
                r->begin = r->at;
            if (*r->at == '\0')
                r->at++;
            else
                read_operator(r);
        } else {
            add_word(r, r->at);
        }
    }
    if (r->begin)
        finish_command(r, r->end, JOIN_END);
    if (r->s->count > 0)
        r->s->at[r->s->count - 1].join =
            r->s->at[r->s->count - 1].join == JOIN_BACKGROUND ? JOIN_BACKGROUND : JOIN_END;
}

struct shell_script
hint_command_parse(struct arena *a, const char *text, const char *cwd)
{
    size_t len = strnlen(text, HINT_COMMAND_BYTES);
    struct shell_script s = {.cut = len == HINT_COMMAND_BYTES};
    struct reader r = {.a = a, .s = &s, .start = text, .at = text, .end = text + len, .cwd = cwd};

    s.at = arena_alloc(a, HINT_COMMANDS_MAX * sizeof *s.at);
    read_commands(&r);
    return s;
}

struct shell_script
hint_command_argv(struct arena *a, const char *const *argv, const char *cwd)
{
    struct shell_script s = {.count = 1};
    struct shell_command *c = arena_alloc(a, sizeof *c);
    struct buf text;

    *c = (struct shell_command){.cwd = cwd, .text = "", .program = ""};
    c->words = arena_alloc(a, HINT_WORDS_MAX * sizeof *c->words);
    buf_init(&text, a, TEXT_BYTES);
    for (; argv && argv[c->count] && c->count < HINT_WORDS_MAX; c->count++) {
        c->words[c->count] = (struct shell_word){argv[c->count], true};
        buf_printf(&text, "%s%s", c->count > 0 ? " " : "", argv[c->count]);
    }
    if (c->count > 0)
        c->program = last_part(c->words[0].text);
    c->text = buf_text(&text);
    s.at = c;
    return s;
}
