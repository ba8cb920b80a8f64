#include "config.h"

#include "core/prompts.h"
#include <string.h>

enum {
    LITERALS_MAX = 32,
    LINES_MAX = 2000,    /* further lines are taken as they are */
    PROMPT_MAX = 120,    /* bytes; a longer text before a colon asks nothing */
    READ_NEAR = 240,     /* bytes of code between a printed text and the reading */
    CODE_MAX = 1 << 18,  /* bytes of the program that are looked at */
    WORK_MAX = 1 << 25,  /* bytes searched in all */
    INPUT_MAX = 1 << 16, /* bytes of the input that a label's values are looked for in */
};

/* How a text in the program that may be a prompt begins. */
struct literal {
    struct span start;
    bool read_prints_it; /* it is an argument of the reading call */
};

struct finder {
    struct literal literals[LITERALS_MAX];
    size_t literal_count;
    struct span expected, input;
    size_t work_left; /* bytes that may still be searched: keeps hostile output cheap */
    struct prompts found;
};

static struct span
strip(struct span s)
{
    while (s.len > 0 && memchr(" \t\n", s.at[0], 3)) {
        s.at++;
        s.len--;
    }
    while (s.len > 0 && memchr(" \t\n", s.at[s.len - 1], 3))
        s.len--;
    return s;
}

static bool
is_separator(char c)
{
    return memchr(" \t\n,;:=[](){}\"'", c, 16) != NULL;
}

/* Does piece stand in text, not as a part of a longer word or number? */
static bool
has_word(struct finder *f, struct span text, struct span piece)
{
    const char *at = text.at, *end = text.at + text.len, *hit;

    if (piece.len == 0)
        return false;
    while (f->work_left > 0 && (hit = memmem(at, (size_t)(end - at), piece.at, piece.len))) {
        size_t work = (size_t)(hit - at) + piece.len;

        if ((hit == text.at || is_separator(hit[-1])) &&
            (hit + piece.len == end || is_separator(hit[piece.len])))
            return true;
        f->work_left -= work < f->work_left ? work : f->work_left;
        at = hit + 1;
    }
    f->work_left -= text.len < f->work_left ? text.len : f->work_left;
    return false;
}

static bool
starts_with(struct span text, const char *word)
{
    size_t n = strlen(word);

    return text.len >= n && strncasecmp(text.at, word, n) == 0;
}

/* ---- what the program says about its texts ------------------------------------------- */

static bool
ends_with_one_of(struct span text, const char *const *words, size_t count)
{
    while (text.len > 0 && memchr(" \t(frFR", text.at[text.len - 1], 7))
        text.len--;
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(words[i]);

        if (text.len >= n && memcmp(text.at + text.len - n, words[i], n) == 0)
            return true;
    }
    return false;
}

/* Is the quote at the end of `before` the argument of a call that reads? */
static bool
read_takes_it(struct span before)
{
    static const char *const readers[] = {"input",    "prompt",  "question", "readline",
                                          "readLine", "read -p", "read -rp", "read -r -p",
                                          "readln!",  "ask",     "getpass"};

    return ends_with_one_of(before, readers, COUNT_OF(readers));
}

/* Does the code after a printed text read before it prints again? */
static bool
reads_next(struct span after)
{
    static const char *const readers[] = {"scanf", "cin",  "Scan",  "read",  "Read",  "next",
                                          "gets",  "getl", "input", "STDIN", "stdin", "getLine"};
    static const char *const printers[] = {"print", "cout", "puts", "echo",  "write", "Print",
                                           "log(",  "endl", "\\n",  "Write", "format"};
    size_t read = SIZE_MAX, print = SIZE_MAX;

    if (after.len > READ_NEAR)
        after.len = READ_NEAR;
    for (size_t i = 0; i < COUNT_OF(readers); i++) {
        const char *hit = memmem(after.at, after.len, readers[i], strlen(readers[i]));

        if (hit && (size_t)(hit - after.at) < read)
            read = (size_t)(hit - after.at);
    }
    for (size_t i = 0; i < COUNT_OF(printers); i++) {
        const char *hit = memmem(after.at, after.len, printers[i], strlen(printers[i]));

        if (hit && (size_t)(hit - after.at) < print)
            print = (size_t)(hit - after.at);
    }
    return read < print;
}

/* The part of a literal before a value is put in: "Element %d: " begins with "Element ". */
static struct span
literal_start(struct span text)
{
    for (size_t i = 0; i < text.len; i++)
        if (memchr("%{$\\", text.at[i], 4))
            text.len = i;
    return strip(text);
}

static bool
asks(struct span text)
{
    text = strip(text);
    return text.len > 0 && memchr(":?>=", text.at[text.len - 1], 4);
}

static void
add_literal(struct finder *f, struct span text, bool read_prints_it)
{
    struct span start = literal_start(text);

    if (start.len > 0 && f->literal_count < LITERALS_MAX)
        f->literals[f->literal_count++] = (struct literal){start, read_prints_it};
}

/* Is a value printed right behind the text that ends before `after`? Then it is a label. */
static bool
value_follows(struct span text, struct span after)
{
    after = strip(after);
    if (after.len < 2)
        return false;
    if (after.at[0] == ',')
        return !memchr(text.at, '%', text.len) && !memchr(text.at, '{', text.len);
    return after.at[0] == '+' || after.at[0] == '.' || memcmp(after.at, "<<", 2) == 0;
}

/* Walks over the string literals of the program. `"Element "<<i<<": "` is one text whose
 * start is the first literal of the statement. */
static void
learn_literals(struct finder *f, struct span code)
{
    struct span first = {0};

    if (code.len > CODE_MAX)
        code.len = CODE_MAX;
    for (size_t at = 0; at < code.len; at++) {
        char quote = code.at[at];
        struct span text = {code.at + at + 1, 0}, after;
        size_t end = at + 1;

        if (quote == ';' || quote == '\n')
            first = (struct span){0};
        if (quote != '"' && quote != '\'' && quote != '`')
            continue;
        while (end < code.len && code.at[end] != quote && code.at[end] != '\n')
            end += code.at[end] == '\\' ? 2 : 1;
        if (end >= code.len || code.at[end] != quote)
            continue;
        text.len = end - at - 1;
        after = (struct span){code.at + end + 1, code.len - end - 1};
        if (!first.at)
            first = text;
        if (read_takes_it((struct span){code.at, at}))
            add_literal(f, text, true);
        else if (asks(text) && !value_follows(text, after) && reads_next(after))
            add_literal(f, first, false);
        at = end;
    }
}

/* ---- what the output says ----------------------------------------------------------------- */

/* Does it ask for something in words? */
static bool
asks_in_words(struct span prompt)
{
    static const char *const words[] = {
        "enter ",  "please ", "type ",     "input ",    "give ",         "provide ",    "insert ",
        "choose ", "select ", "how many ", "how much ", "what is your ", "what's your "};

    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (starts_with(prompt, words[i]))
            return true;
    return false;
}

static const struct literal *
known_literal(const struct finder *f, struct span prompt)
{
    for (size_t i = 0; i < f->literal_count; i++) {
        struct span start = f->literals[i].start;

        if (prompt.len >= start.len && memcmp(prompt.at, start.at, start.len) == 0)
            return &f->literals[i];
    }
    return NULL;
}

/* When the rest of a line is nothing but values of the input: how many; else 0. */
static size_t
only_input_values(struct finder *f, struct span rest)
{
    size_t values = 0;

    for (size_t at = 0; at < rest.len;) {
        size_t end = at;

        while (end < rest.len && !is_separator(rest.at[end]))
            end++;
        if (end > at) {
            if (!has_word(f, f->input, (struct span){rest.at + at, end - at}))
                return 0;
            values++;
        }
        at = end + 1;
    }
    return values;
}

/* The text up to and with the first : ? > or = of a line, and the blanks after it; len 0: none. */
static struct span
candidate(struct span line)
{
    size_t n = 0;

    while (n < line.len && n < PROMPT_MAX && !memchr(":?>=", line.at[n], 4))
        n++;
    if (n == line.len || n == PROMPT_MAX)
        return (struct span){0};
    while (n < line.len && memchr(":?>=", line.at[n], 4))
        n++;
    while (n < line.len && line.at[n] == ' ')
        n++;
    return (struct span){line.at, n};
}

static bool
is_expected(struct finder *f, struct span prompt)
{
    if (f->work_left < f->expected.len)
        return true;
    f->work_left -= f->expected.len;
    return memmem(f->expected.at, f->expected.len, prompt.at, prompt.len) != NULL;
}

/* How many bytes of the line are prompts. */
static size_t
prompts_of_line(struct finder *f, struct span line)
{
    size_t taken = 0;
    bool sure = false;

    for (;;) {
        struct span rest = {line.at + taken, line.len - taken}, text = candidate(rest);
        struct span prompt = strip(text);
        const struct literal *known;

        if (text.len == 0 || prompt.len == 0)
            break;
        known = known_literal(f, prompt);
        if (!known && !(asks_in_words(prompt) && prompt.at[prompt.len - 1] != '='))
            break;
        if (is_expected(f, prompt))
            break;
        if (f->found.count++ == 0)
            f->found.first = prompt;
        sure = sure || (known && known->read_prints_it);
        taken += text.len;
    }
    if (taken > 0 && !sure &&
        only_input_values(f, (struct span){line.at + taken, line.len - taken}) > 0)
        taken = 0;
    return taken;
}

/* A text that is copied without some parts of it. */
struct cutting {
    struct arena *a;
    struct span in;
    char *out; /* NULL: nothing was cut yet */
    size_t used, copied;
};

static void
cut(struct cutting *c, size_t from, size_t to)
{
    c->out = c->out ? c->out : arena_alloc(c->a, c->in.len);
    memcpy(c->out + c->used, c->in.at + c->copied, from - c->copied);
    c->used += from - c->copied;
    c->copied = to;
}

static struct span
cut_end(struct cutting *c)
{
    if (!c->out)
        return c->in;
    cut(c, c->in.len, c->in.len);
    return compare_trim(c->a, c->out, c->used);
}

static bool
repeats_input(struct finder *f, struct span line)
{
    struct span label = candidate(line);
    size_t values;

    if (label.len == 0 || is_expected(f, strip(label)))
        return false;
    values = only_input_values(f, (struct span){line.at + label.len, line.len - label.len});
    return values > 1 || (values == 1 && starts_with(line, "input"));
}

struct prompts
prompts_find(struct arena *a, struct span output, struct span expected, struct span code,
             struct span input)
{
    struct finder f = {.expected = expected, .input = input, .work_left = WORK_MAX};
    struct cutting prompts = {.a = a, .in = output}, echo = {.a = a, .in = output};

    if (f.input.len > INPUT_MAX)
        f.input.len = INPUT_MAX;
    learn_literals(&f, code);
    for (size_t at = 0, line = 0; at < output.len && line < LINES_MAX; line++) {
        const char *end = memchr(output.at + at, '\n', output.len - at);
        size_t len = (end ? (size_t)(end - output.at) : output.len) - at;
        size_t counted = f.found.count, next = at + len + (end ? 1 : 0);
        size_t taken = prompts_of_line(&f, (struct span){output.at + at, len});

        if (taken > 0) {
            cut(&prompts, at, taken < len ? at + taken : next);
        } else {
            f.found.count = counted;
            if (repeats_input(&f, (struct span){output.at + at, len})) {
                if (f.found.echo_count++ == 0)
                    f.found.echo_line = line;
                cut(&echo, at, next);
            }
        }
        at = next;
    }
    f.found.without = cut_end(&prompts);
    f.found.without_echo = cut_end(&echo);
    return f.found;
}
