/* Programs that were compiled, or looked over, and not run: a compiler that says nothing is taken
 * for a test that passed. */
#include "config.h"

#include "core/hint_tables.h"
#include <string.h>

#define C_FAMILY "gcc g++ cc c++ clang clang++ gfortran"

/* The word after an option, or what is glued to it ("-out:x.exe"); NULL without. */
static const char *
option_value(const struct shell_command *c, const char *option, const char *glued)
{
    for (size_t i = 1; i < c->count; i++) {
        const char *word = c->words[i].text;

        if (strcmp(word, option) == 0 && i + 1 < c->count && c->words[i + 1].plain)
            return c->words[i + 1].text;
        if (glued && strncmp(word, glued, strlen(glued)) == 0 && c->words[i].plain)
            return word + strlen(glued);
    }
    return NULL;
}

/* The first word that ends like a source file. */
static const char *
source_of(const struct shell_command *c, const char *const *ends)
{
    for (size_t i = 1; i < c->count; i++)
        for (size_t k = 0; ends[k] && c->words[i].plain; k++) {
            size_t len = strlen(c->words[i].text), end = strlen(ends[k]);

            if (len > end && strcmp(c->words[i].text + len - end, ends[k]) == 0)
                return c->words[i].text;
        }
    return NULL;
}

/* "src/Main.java": "Main"; of the whole path with folder: "src/Main". */
static const char *
without_end(struct arena *a, const char *path, bool folder)
{
    const char *slash = strrchr(path, '/');
    const char *from = slash && !folder ? slash + 1 : path, *dot = strrchr(from, '.');

    return dot ? arena_strndup(a, from, (size_t)(dot - from)) : from;
}

/* A path as a shell takes it for a program. */
static const char *
as_program(struct arena *a, const char *path)
{
    return strchr(path, '/') ? path : arena_printf(a, "./%s", path);
}

/* "cd folder && " where the next call would not start in the folder already. */
static const char *
folder_first(struct arena *a, const struct shell_command *c)
{
    return c->cwd && strcmp(c->cwd, "/work") != 0
               ? arena_printf(a, "cd %s && ", hint_shown(a, c->cwd))
               : "";
}

/* What a compiler makes when nothing else is said, and how that is started. */
struct compiler {
    const char *names;
    const char *const ends[6]; /* of sources; NULL-ended */
    const char *option, *glued;
    const char *not_with; /* options with which it makes no program */
    const char *made;     /* without the option: a name, or {} for the source's without its end */
    const char *start;    /* {}: what was made; NULL: it is a program itself */
};

static const struct compiler compilers[] = {
    {C_FAMILY,
     {".c", ".cpp", ".cc", ".cxx", ".f90", NULL},
     "-o",
     NULL,
     "-c -S -E -M -MM -shared -fsyntax-only",
     "a.out",
     NULL},
    {"rustc", {".rs", NULL}, "-o", NULL, "--crate-type --emit --test", "{}", NULL},
    {"ghc", {".hs", NULL}, "-o", NULL, "-c -e -fno-code", "{}", NULL},
    {"mcs csc", {".cs", NULL}, "-out", "-out:", "-t:library -target:library", "{}.exe", "mono {}"},
    {"kotlinc", {".kt", NULL}, "-d", NULL, "-script", NULL, "java -jar {}"},
    {"ocamlopt ocamlc", {".ml", NULL}, "-o", NULL, "-c -i", "a.out", NULL},
    {"go", {".go", NULL}, "-o", NULL, NULL, "{}", NULL},
};

/* Is it the call's last word? What comes behind may look at files or talk. */
static bool
ends_the_call(const struct hint_look *l, const struct shell_command *c)
{
    if (c->level > 0 || c->join == JOIN_PIPE || c->join == JOIN_BACKGROUND)
        return false;
    for (const struct shell_command *next = c + 1; next < l->script.at + l->script.count; next++)
        if (!hint_is_one_of(next->program, "echo ls printf file true pwd chmod cat"))
            return false;
    return true;
}

static bool
look_compiled(struct hint *h)
{
    struct arena *a = h->look->a;
    const struct shell_command *c = h->command;
    const struct compiler *k = compilers;
    const char *source, *made, *start;

    for (; !hint_is_one_of(c->program, k->names); k++)
        ;
    source = source_of(c, k->ends);
    if (!source || !ends_the_call(h->look, c))
        return false;
    if (strcmp(c->program, "go") == 0 && (c->count < 2 || strcmp(c->words[1].text, "build") != 0))
        return false;
    for (size_t i = 1; i < c->count && k->not_with; i++)
        if (hint_is_one_of(c->words[i].text, k->not_with))
            return false;
    made = option_value(c, k->option, k->glued);
    if (!made && k->made)
        made = strncmp(k->made, "{}", 2) == 0
                   ? arena_printf(a, "%s%s", without_end(a, source, strcmp(c->program, "ghc") == 0),
                                  k->made + 2)
                   : k->made;
    if (!made || !hint_path(a, c->cwd, made) || strcmp(made, "/dev/null") == 0)
        return false;
    h->word[0] = source;
    start = k->start ? arena_printf(a, "%.*s%s", (int)(strlen(k->start) - 2), k->start, made)
                     : as_program(a, made);
    h->word[1] = arena_printf(a, "%s%s", made[0] == '/' ? "" : folder_first(a, c), start);
    h->fact[0] = hint_ask(h, FACT_PATH, hint_path(a, c->cwd, made));
    return true;
}

static bool
say_compiled(struct hint *h, struct buf *b)
{
    if (!hint_fact(h, h->fact[0], "size")[0])
        return false;
    buf_printf(b, "%s was compiled and not run: nobody knows yet what it prints. Run it: %s.",
               h->word[0], h->word[1]);
    return true;
}

/* javac Main.java, with or without -d FOLDER. */
static bool
look_javac(struct hint *h)
{
    static const char *const ends[] = {".java", NULL};
    struct arena *a = h->look->a;
    const struct shell_command *c = h->command;
    const char *source = source_of(c, ends), *folder = option_value(c, "-d", NULL);
    const char *slash = source ? strrchr(source, '/') : NULL;

    if (!source || !ends_the_call(h->look, c))
        return false;
    if (!folder && slash)
        folder = arena_strndup(a, source, (size_t)(slash - source));
    h->word[0] = source;
    h->word[1] =
        arena_printf(a, "%sjava %s%s%s%s", folder_first(a, c), folder ? "-cp " : "",
                     folder ? folder : "", folder ? " " : "", without_end(a, source, false));
    return true;
}

/* python3 -m py_compile F, node --check F, bash -n F, perl -c F, ruby -c F, php -l F. */
static bool
look_checked(struct hint *h)
{
    static const struct {
        const char *programs, *option, *ends[3];
    } checks[] = {
        {"python3 python", "py_compile", {".py", NULL}},
        {"node", "--check", {".js", ".mjs", NULL}},
        {"node", "-c", {".js", ".mjs", NULL}},
        {"bash sh", "-n", {".sh", NULL}},
        {"perl", "-c", {".pl", NULL}},
        {"ruby", "-c", {".rb", NULL}},
        {"php", "-l", {".php", NULL}},
    };
    const struct shell_command *c = h->command;

    for (size_t k = 0; k < COUNT_OF(checks); k++) {
        const char *source = source_of(c, checks[k].ends);
        bool asked = false;

        for (size_t i = 1; i < c->count; i++)
            asked = asked || strcmp(c->words[i].text, checks[k].option) == 0;
        if (!asked || !source || !hint_is_one_of(c->program, checks[k].programs) ||
            !ends_the_call(h->look, c))
            continue;
        h->word[0] = source;
        h->word[1] =
            arena_printf(h->look->a, "%s%s %s", folder_first(h->look->a, c), c->program, source);
        return true;
    }
    return false;
}

static const struct hint_rule rows[] = {
    {"compiled-only", FAMILY_HIDDEN, ON_OK,
     .programs = C_FAMILY " rustc ghc mcs csc kotlinc ocamlopt ocamlc go", .look = look_compiled,
     .say = say_compiled},
    {"javac-only", FAMILY_HIDDEN, ON_OK, .programs = "javac", .look = look_javac,
     .text = "{word0} was compiled and not run: nobody knows yet what it prints. Run it: "
             "{word1}."},
    {"checked-only", FAMILY_HIDDEN, ON_OK, .programs = "python3 python node bash sh perl ruby php",
     .look = look_checked,
     .text = "Only the syntax of {word0} was checked; it was not run. Run it: {word1}."},
};

const struct hint_table hint_table_built = {rows, COUNT_OF(rows)};
