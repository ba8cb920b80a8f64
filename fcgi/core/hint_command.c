#include "config.h"

#include "base/buf.h"
#include "core/hint_command.h"
#include <stdint.h>
#include <string.h>

enum {
    DEPTH_MAX = 4,
    NESTED_MAX = 8,
    HEREDOCS_MAX = 4,
    WORD_BYTES = 2048,
    TEXT_BYTES = 200,
};

struct inner {
    const char *at;
    size_t len;
};

/* A command line being read. */
struct reader {
    struct arena *a;
    struct shell_script *s;
    const char *start, *at, *end;
    const char *cwd;
    unsigned level;
    struct shell_command c; /* the one being read */
    const char *begin;      /* of its text */
    enum shell_join joined;
    bool case_head;                 /* between case and in: words are patterns */
    struct inner inner[NESTED_MAX]; /* $(...) of this command */
    size_t inner_count;
    struct {
        const char *word;
        size_t len;
        bool tabs;
    } heredocs[HEREDOCS_MAX];
    size_t heredoc_count;
};

static void read_commands(struct reader *r);

static bool
is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void
note_name(struct arena *a, const char **names, size_t *count, const char *at, size_t len)
{
    if (len == 0 || len > 64 || *count == HINT_NAMES_MAX || (at[0] >= '0' && at[0] <= '9'))
        return;
    for (size_t i = 0; i < *count; i++)
        if (strncmp(names[i], at, len) == 0 && names[i][len] == '\0')
            return;
    names[(*count)++] = arena_strndup(a, at, len);
}

/* ---- expansions --------------------------------------------------------------------------- */

/* The end of what opens at `at` with `open` and ends with `close`, past it. */
static const char *
past(const char *at, const char *end, char open, char close)
{
    unsigned depth = 0;
    char quote = 0;

    for (; at < end; at++) {
        if (*at == '\\' && at + 1 < end && quote != '\'') {
            at++;
        } else if (quote) {
            if (*at == quote)
                quote = 0;
        } else if (*at == '\'' || *at == '"') {
            quote = *at;
        } else if (*at == open && open != close) {
            depth++;
        } else if (*at == close && (open == close || --depth == 0)) {
            return at + 1;
        }
    }
    return end;
}

static void
add_inner(struct reader *r, const char *at, const char *end)
{
    if (r->inner_count < NESTED_MAX && r->level < DEPTH_MAX && end > at)
        r->inner[r->inner_count++] = (struct inner){at, (size_t)(end - at)};
}

/* Reads the expansion that begins at r->at with $ or `; appends it as written. */
static void
read_expansion(struct reader *r, struct buf *b)
{
    const char *from = r->at, *name, *stop;
    struct shell_script *s = r->s;

    if (*r->at == '`') {
        stop = memchr(r->at + 1, '`', (size_t)(r->end - r->at - 1));
        r->at = stop ? stop + 1 : r->end;
        if (stop)
            add_inner(r, from + 1, stop);
    } else if (r->at + 1 < r->end && r->at[1] == '(') {
        r->at = past(r->at + 1, r->end, '(', ')');
        if (from[2] != '(')
            add_inner(r, from + 2, r->at - 1);
    } else if (r->at + 1 < r->end && r->at[1] == '{') {
        name = r->at + 2;
        for (stop = name; stop < r->end && is_name_char(*stop); stop++)
            ;
        if (stop < r->end && (*stop == '}' || *stop == '#' || *stop == '%' || *stop == '/'))
            note_name(r->a, s->used, &s->used_count, name, (size_t)(stop - name));
        r->at = past(r->at + 1, r->end, '{', '}');
    } else {
        for (r->at++, name = r->at; r->at < r->end && is_name_char(*r->at); r->at++)
            ;
        note_name(r->a, s->used, &s->used_count, name, (size_t)(r->at - name));
        if (r->at == name && r->at < r->end && strchr("?#@*$!-", *r->at))
            r->at++;
    }
    buf_add(b, from, (size_t)(r->at - from));
}

/* ---- words --------------------------------------------------------------------------------- */

static bool
ends_word(char c)
{
    return c == '\0' || strchr(" \t\r\n;&|()<>", c) != NULL;
}

static void
read_double_quotes(struct reader *r, struct buf *b, bool *plain)
{
    for (r->at++; r->at < r->end && *r->at != '"';) {
        if (*r->at == '\\' && r->at + 1 < r->end && strchr("\"\\$`\n", r->at[1])) {
            if (r->at[1] != '\n')
                buf_addc(b, r->at[1]);
            r->at += 2;
        } else if (*r->at == '`' ||
                   (*r->at == '$' && r->at + 1 < r->end && strchr("({_", r->at[1])) ||
                   (*r->at == '$' && r->at + 1 < r->end && is_name_char(r->at[1]))) {
            *plain = false;
            read_expansion(r, b);
        } else {
            buf_addc(b, *r->at++);
        }
    }
    if (r->at < r->end)
        r->at++;
}

/* $'...' */
static void
read_ansi_quotes(struct reader *r, struct buf *b)
{
    static const char names[] = "ntr\\'\"", values[] = "\n\t\r\\'\"";

    for (r->at += 2; r->at < r->end && *r->at != '\''; r->at++) {
        const char *name;

        if (*r->at == '\\' && r->at + 1 < r->end) {
            name = strchr(names, r->at[1]);
            r->at++;
            buf_addc(b, name && *name ? values[name - names] : *r->at);
        } else {
            buf_addc(b, *r->at);
        }
    }
    if (r->at < r->end)
        r->at++;
}

static struct shell_word
read_word(struct reader *r)
{
    struct shell_word w = {.plain = true};
    const char *stop;
    struct buf b;

    buf_init(&b, r->a, WORD_BYTES);
    while (r->at < r->end && !ends_word(*r->at)) {
        switch (*r->at) {
        case '\'':
            stop = memchr(r->at + 1, '\'', (size_t)(r->end - r->at - 1));
            stop = stop ? stop : r->end;
            buf_add(&b, r->at + 1, (size_t)(stop - r->at - 1));
            r->at = stop < r->end ? stop + 1 : stop;
            break;
        case '"':
            read_double_quotes(r, &b, &w.plain);
            break;
        case '\\':
            if (++r->at < r->end) {
                if (*r->at != '\n')
                    buf_addc(&b, *r->at);
                r->at++;
            }
            break;
        case '$':
            if (r->at + 1 < r->end && r->at[1] == '\'') {
                read_ansi_quotes(r, &b);
                break;
            }
            w.plain = w.plain && r->at + 1 >= r->end;
            read_expansion(r, &b);
            break;
        case '`':
            w.plain = false;
            read_expansion(r, &b);
            break;
        case '*':
        case '?':
            w.plain = false;
            buf_addc(&b, *r->at++);
            break;
        default:
            buf_addc(&b, *r->at++);
        }
    }
    w.plain = w.plain && !b.full;
    w.text = buf_text(&b);
    return w;
}

/* ---- redirections -------------------------------------------------------------------------- */

static void
skip_blanks(struct reader *r)
{
    while (r->at < r->end) {
        if (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
            r->at++;
        else if (*r->at == '\\' && r->at + 1 < r->end && r->at[1] == '\n')
            r->at += 2;
        else
            return;
    }
}

static void
read_heredoc_mark(struct reader *r, bool tabs)
{
    struct shell_word w;

    skip_blanks(r);
    w = read_word(r);
    r->c.has_input = true;
    if (r->heredoc_count == HEREDOCS_MAX)
        return;
    r->heredocs[r->heredoc_count].word = w.text;
    r->heredocs[r->heredoc_count].len = strlen(w.text);
    r->heredocs[r->heredoc_count++].tabs = tabs;
}

/* Bodies of the here-documents of the line that just ended. */
static void
skip_heredocs(struct reader *r)
{
    for (size_t i = 0; i < r->heredoc_count; i++) {
        while (r->at < r->end) {
            const char *line = r->at, *stop = memchr(line, '\n', (size_t)(r->end - line));

            stop = stop ? stop : r->end;
            r->at = stop < r->end ? stop + 1 : stop;
            while (r->heredocs[i].tabs && line < stop && *line == '\t')
                line++;
            if ((size_t)(stop - line) == r->heredocs[i].len &&
                memcmp(line, r->heredocs[i].word, r->heredocs[i].len) == 0)
                break;
        }
    }
    r->heredoc_count = 0;
}

static void
read_output_target(struct reader *r, char fd, bool append, bool both)
{
    struct shell_word w;
    bool gone;

    skip_blanks(r);
    w = read_word(r);
    gone = strcmp(w.text, "/dev/null") == 0;
    if (fd == '2') {
        r->c.err_gone = gone;
        if (strcmp(w.text, "/dev/stdout") == 0)
            r->c.err_to_out = true;
        return;
    }
    if (fd != '1')
        return;
    r->c.out_gone = gone;
    r->c.out_path = w.plain && !gone ? w.text : NULL;
    r->c.out_append = append;
    if (both)
        r->c.err_gone = gone;
}

/* At < or >, or at a digit or & before one. */
static void
read_redirection(struct reader *r)
{
    char fd = *r->at == '<' ? '0' : '1';
    bool both = false;

    if (*r->at == '&') {
        both = true;
        r->at++;
    } else if (*r->at >= '0' && *r->at <= '9') {
        fd = *r->at++;
    }
    if (*r->at == '<') {
        r->at++;
        if (r->at < r->end && *r->at == '<') {
            r->at++;
            if (r->at < r->end && *r->at == '<') {
                r->at++;
                skip_blanks(r);
                read_word(r);
                r->c.has_input = true;
                return;
            }
            both = r->at < r->end && *r->at == '-';
            r->at += both;
            read_heredoc_mark(r, both);
            return;
        }
        if (r->at < r->end && *r->at == '(') { /* <(...) is a word */
            const char *from = r->at;

            r->at = past(r->at, r->end, '(', ')');
            add_inner(r, from + 1, r->at - 1);
            return;
        }
        if (r->at < r->end && (*r->at == '&' || *r->at == '>'))
            r->at++;
        skip_blanks(r);
        {
            struct shell_word w = read_word(r);

            r->c.has_input = strcmp(w.text, "/dev/null") != 0;
            r->c.in_path = w.plain && r->c.has_input ? w.text : NULL;
        }
        return;
    }
    r->at++;
    if (r->at < r->end && *r->at == '>') {
        r->at++;
        read_output_target(r, fd, true, both);
    } else if (r->at < r->end && *r->at == '&') {
        r->at++;
        if (r->at < r->end && *r->at == '1' && fd == '2')
            r->c.err_to_out = true;
        read_word(r);
    } else {
        if (r->at < r->end && *r->at == '|')
            r->at++;
        read_output_target(r, fd, false, both);
    }
    if (both && !r->c.out_gone)
        r->c.err_to_out = true;
}

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

    while (is_name_char(word[n]))
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
            note_name(r->a, r->s->set, &r->s->set_count, word, n);
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
    while (len > 0 && ends_word(r->begin[len - 1]) && r->begin[len - 1] != ')')
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
    struct shell_word w = read_word(r);
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
           (at == r->start || ends_word(at[-1]));
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
            const char *stop = past(from, r->end, '(', ')');
            bool whole = stop > from + 1 && stop[-1] == ')';

            run_inner(r, from + 1, (size_t)(stop - from - 1) - whole, false, r->cwd);
            r->at = stop;
        }
        return;
    }
    finish_command(r, from, join);
    if (c == '\n')
        skip_heredocs(r);
}

static void
read_commands(struct reader *r)
{
    while (r->at < r->end) {
        skip_blanks(r);
        if (r->at >= r->end)
            break;
        if (*r->at == '#') {
            const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));

            r->at = stop ? stop : r->end;
        } else if (at_redirection(r)) {
            if (!r->begin)
                r->begin = r->at;
            read_redirection(r);
        } else if (ends_word(*r->at)) {
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

/* ---- questions ----------------------------------------------------------------------------- */

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
