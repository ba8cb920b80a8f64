/* backtalk-explain: what a result says of a call that was written down, and which hint rules made
 * it. For whoever tunes a rule, or wonders at a sentence. */
#include "config.h"

#include "core/hint_rule.h"
#include "core/hint_tables.h"
#include "core/recording.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { RULES_OFF_MAX = 64, OFF_BYTES = 8192, MARK = '\036' };

static const char usage[] =
    "usage: backtalk-explain [--probe] [--answers FILE] [--off RULE]... PATH\n"
    "       backtalk-explain --rules | --help | --version\n"
    "\n"
    "Prints the result that a recorded call gets, and the hint rules that fired on it. PATH is a\n"
    "file of \"key: value\" lines, or a folder with such a file, call.txt, and code.txt, "
    "input.txt,\n"
    "expected.txt, out.txt, err.txt, probe.txt beside it as far as they are needed.\n"
    "\n"
    "  --probe         print the script that looks up in the machine what the rules want to know\n"
    "  --answers FILE  what that script printed there; without it, probe.txt of the folder\n"
    "  --off RULE      as if the rule were switched off\n"
    "  --rules         list all rules: id, when, programs, pattern\n";

struct options {
    const char *path, *answers;
    const char *off[RULES_OFF_MAX];
    size_t off_count;
    bool probe;
};

/* ---- reading ------------------------------------------------------------------------------- */

/* {NULL, 0} when there is no such file and that is no mistake. */
static bool
read_text(struct arena *a, const char *path, bool must, struct recording_text *ret, struct fault *f)
{
    FILE *in = fopen(path, "r");
    char *text;

    *ret = (struct recording_text){0};
    if (!in && errno == ENOENT && !must)
        return true;
    if (!in)
        return fault_set(f, FAULT_ARGUMENT, "%s: %s.", path, strerror(errno));
    text = arena_alloc(a, RECORDING_BYTES_MAX + 1);
    ret->len = fread(text, 1, RECORDING_BYTES_MAX, in);
    fclose(in);
    text[ret->len] = '\0';
    ret->at = text;
    if (ret->len == RECORDING_BYTES_MAX)
        return fault_set(f, FAULT_ARGUMENT, "%s is larger than %d bytes.", path,
                         RECORDING_BYTES_MAX);
    return true;
}

static bool
is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool
read_texts(struct arena *a, const char *path, struct recording_texts *ret, struct fault *f)
{
    struct {
        const char *name;
        struct recording_text *text;
    } const files[] = {
        {"call", &ret->call},   {"expected", &ret->expected}, {"code", &ret->code},
        {"input", &ret->input}, {"out", &ret->out},           {"err", &ret->err},
    };

    *ret = (struct recording_texts){0};
    if (!is_folder(path))
        return read_text(a, path, true, &ret->call, f);
    for (size_t i = 0; i < COUNT_OF(files); i++)
        if (!read_text(a, arena_printf(a, "%s/%s.txt", path, files[i].name), false, files[i].text,
                       f))
            return false;
    return true;
}

/* What the machine answered. In a folder's probe.txt, "@" at a line's start is the mark. */
static bool
read_answers(struct arena *a, const struct options *o, struct recording_text *ret, struct fault *f)
{
    char *text, *at;

    if (o->answers)
        return read_text(a, o->answers, true, ret, f);
    if (!is_folder(o->path))
        return true;
    if (!read_text(a, arena_printf(a, "%s/probe.txt", o->path), false, ret, f))
        return false;
    if (!ret->at)
        return true;
    text = arena_strndup(a, ret->at, ret->len);
    for (at = text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (*at == '@')
            *at = MARK;
    }
    ret->at = text;
    return true;
}

/* ---- telling --------------------------------------------------------------------------------- */

static void
print_list(const char *title, const char *const *ids)
{
    printf("%s", title);
    for (size_t i = 0; ids[i]; i++)
        printf("%s %s", i ? "," : "", ids[i]);
    puts(ids[0] ? "" : " none");
}

static void
explain(struct arena *a, const struct options *o, const struct recording *r,
        const struct recording_text *answers)
{
    struct judgement j = judge(a, &r->plan, &r->seen);
    const char *texts[RECORDING_HINTS_MAX + HINTS_SAID_MAX + 1], *ids[HINTS_SAID_MAX + 1];
    struct rendered result;
    struct hint_set set;
    struct buf off;
    size_t n = 0;

    buf_init(&off, a, OFF_BYTES);
    for (size_t i = 0; i < o->off_count; i++)
        buf_printf(&off, "%s ", o->off[i]);
    hints_look(&r->plan, &r->seen, &j, buf_text(&off), a, &set);
    if (o->probe) {
        fputs(set.probe ? set.probe : "# nothing has to be looked up\n", stdout);
        return;
    }
    for (; r->hints[n]; n++)
        texts[n] = r->hints[n];
    hints_say(&set, answers->at, answers->len, a, texts + n, ids);
    result = render_call(a, &r->plan, &r->seen, &j, &r->notices, texts, &r->limits);
    print_list("fired:", hints_fired(&set, a));
    print_list("said:", ids);
    if (set.probe)
        puts(answers->at ? "looked up: yes" : "looked up: no; give --answers (see --probe)");
    printf("isError: %s\n\n%s%s", result.is_error ? "true" : "false", result.text,
           result.text[result.len - 1] == '\n' ? "" : "\n");
}

static void
print_rules(void)
{
    static const char *const families[] = {
        [FAMILY_CAUSE] = "cause", [FAMILY_STATE] = "state",   [FAMILY_LIMITS] = "limits",
        [FAMILY_SHOW] = "show",   [FAMILY_HIDDEN] = "hidden", [FAMILY_CHECK] = "check",
    };

    for (size_t t = 0; t < hint_tables_count; t++)
        for (size_t i = 0; i < hint_tables[t]->count; i++) {
            const struct hint_rule *r = &hint_tables[t]->rows[i];

            printf("%s\t%s\t%s%s%s%s\t%s\t%s\n", r->id, families[r->family],
                   r->on & ON_FAIL ? "failed " : "", r->on & ON_MASKED ? "masked " : "",
                   r->on & ON_OK ? "ok " : "", r->on & ON_TIMEOUT ? "timeout" : "",
                   r->programs ? r->programs : "any program", r->pattern ? r->pattern : "");
        }
}

/* ---- the command line -------------------------------------------------------------------------
 */

static bool
read_options(int argc, char **argv, struct options *ret)
{
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;

        if (strcmp(argv[i], "--probe") == 0)
            ret->probe = true;
        else if (strcmp(argv[i], "--answers") == 0 && more)
            ret->answers = argv[++i];
        else if (strcmp(argv[i], "--off") == 0 && more && ret->off_count < RULES_OFF_MAX)
            ret->off[ret->off_count++] = argv[++i];
        else if (argv[i][0] == '-' || ret->path)
            return false;
        else
            ret->path = argv[i];
    }
    return ret->path != NULL;
}

static int
run(struct arena *a, const struct options *o)
{
    struct recording_text answers = {0};
    struct recording_texts texts;
    struct recording r;
    struct fault f;

    if (!read_texts(a, o->path, &texts, &f) || !recording_read(&texts, a, &r, &f) ||
        !read_answers(a, o, &answers, &f)) {
        fprintf(stderr, "backtalk-explain: %s\n", f.message);
        return 2;
    }
    explain(a, o, &r, &answers);
    return 0;
}

int
main(int argc, char **argv)
{
    struct options o = {0};
    struct arena *a;
    int status;

    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("%s\n", PACKAGE_STRING) < 0;
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0;
    if (argc == 2 && strcmp(argv[1], "--rules") == 0) {
        print_rules();
        return 0;
    }
    if (!read_options(argc, argv, &o)) {
        fputs(usage, stderr);
        return 2;
    }
    a = arena_new(1 << 16);
    status = run(a, &o);
    arena_free(a);
    return status;
}
