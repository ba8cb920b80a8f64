/* Calls that end with exit code 0 although something was not done. */
#include "config.h"

#include "core/hint_tables.h"
#include "core/hint_text.h"
#include <string.h>

#define VIEWERS "tail head tee grep egrep cat less more sed awk sort cut tr wc nl uniq column fold"
#define COMPILERS                                                                                  \
    "gcc g++ cc c++ clang clang++ rustc go javac mcs ghc kotlinc tsc make cmake cargo fpc"

/* ---- the exit code is another command's
 * -------------------------------------------------------------- */

/* gcc a.c -o a; ./a: the compiler failed, an older ./a ran. */
static bool
look_old_binary(struct hint *h)
{
    const struct shell_script *s = &h->look->script;
    const struct shell_command *c = h->command;
    const char *made = NULL;

    if (c->join == JOIN_AND || c->join == JOIN_END || c->join == JOIN_PIPE)
        return false;
    for (size_t i = 1; i + 1 < c->count; i++)
        if (strcmp(c->words[i].text, "-o") == 0)
            made = c->words[i + 1].text;
    if (!made)
        made = hint_is_one_of(c->program, "gcc g++ cc c++ clang clang++") ? "a.out" : NULL;
    for (const struct shell_command *next = c + 1; next < s->at + s->count; next++) {
        const char *name = next->program;
        const char *slash = made ? strrchr(made, '/') : NULL;

        if ((made && strcmp(name, slash ? slash + 1 : made) == 0) ||
            (hint_is_one_of(c->program, "javac mcs rustc") &&
             (hint_is_one_of(name, "java mono") || strncmp(next->text, "./", 2) == 0))) {
            h->word[0] = next->text;
            h->word[1] = c->text;
            return true;
        }
    }
    return false;
}

static bool
look_piped(struct hint *h)
{
    static const char told[] =
        "^(?:FAILED \\([^)\n]*\\)|=+ .*\\d+ "
        "(?:failed|error).*=+$|(?:\\w+\\.)*\\w*(?:Error|Exception)(?:: .*)?$|"
        "Tests: .*\\d+ failed.*|test result: FAILED.*|--- FAIL: .*|FAIL\t.*|# fail "
        "[1-9]\\d*|make(?:\\[\\d+\\])?: \\*\\*\\* "
        ".*|npm (?:ERR!|error) .*|ERROR: .*|E: .*|error(?:\\[E\\d+\\])?: .*|.*: (?:fatal )?error: "
        ".*|BUILD FAILED.*|"
        "Segmentation fault.*|Killed|\\d+ tests?, \\d+ assertions?, [1-9]\\d* failures.*|not ok "
        "\\d+.*|"
        "[Ee]xception in thread .*|panic: .*)";
    const struct hint_look *l = h->look;
    const struct shell_command *c = h->command, *last = l->script.at + l->script.count - 1;
    const char *text;

    if (c->join != JOIN_PIPE || c->level > 0 || strstr(l->command, "pipefail"))
        return false;
    for (; last > c && last->level > 0; last--)
        ;
    if (!hint_is_one_of(last->program, VIEWERS) || last->joined != JOIN_PIPE)
        return false;
    text = c->err_to_out ? l->out : l->err;
    if (!hint_text_match(l->a, text, told, h->group) &&
        (c->err_to_out || !hint_text_match(l->a, l->out, told, h->group)))
        return false;
    if (strstr(h->group[0], "BrokenPipe"))
        return false;
    h->word[0] = h->group[0];
    h->word[1] = last->program;
    return true;
}

/* ---- nothing was changed or written
 * ----------------------------------------------------------------------- */

/* The parts of s/OLD/NEW/; false: it is something else, or not a plain text. */
static bool
read_substitution(struct arena *a, const char *script, const char **ret_old, const char **ret_new)
{
    const char *old, *new, *end;
    char mark;

    if (script[0] != 's' || !script[1] || (script[1] >= 'a' && script[1] <= 'z'))
        return false;
    mark = script[1];
    old = script + 2;
    new = strchr(old, mark);
    end = new ? strchr(new + 1, mark) : NULL;
    if (!end || memchr(old, '\\', (size_t)(end - old)) || end == new + 1 || strpbrk(end, ";\n}"))
        return false;
    *ret_old = arena_strndup(a, old, (size_t)(new - old));
    *ret_new = arena_strndup(a, new + 1, (size_t)(end - new - 1));
    return !strpbrk(*ret_new, "&\\\n");
}

static bool
is_in_place(const struct shell_command *c)
{
    for (size_t i = 1; i < c->count; i++)
        if (strncmp(c->words[i].text, "-i", 2) == 0 ||
            strncmp(c->words[i].text, "--in-place", 10) == 0 ||
            strcmp(c->words[i].text, "-Ei") == 0 || strcmp(c->words[i].text, "-ri") == 0 ||
            strcmp(c->words[i].text, "-ni") == 0)
            return true;
    return false;
}

static bool
look_sed(struct hint *h)
{
    const struct shell_command *c = h->command;
    const char *script = NULL, *file = NULL;
    struct arena *a = h->look->a;

    if (!is_in_place(c))
        return false;
    for (size_t i = 1; i < c->count; i++) {
        const char *word = c->words[i].text;

        if (strcmp(word, "-e") == 0 && script)
            return false;
        if (word[0] == '-' || !c->words[i].plain)
            continue;
        if (!script)
            script = word;
        else if (!file)
            file = word;
        else
            return false;
    }
    if (!file || !read_substitution(a, script, &h->word[0], &h->word[1]))
        return false;
    h->word[2] = file;
    file = hint_path(a, c->cwd, file);
    if (!file)
        return false;
    h->fact[0] = hint_ask(h, FACT_FIXED, arena_printf(a, "%s\n%s", h->word[1], file));
    return true;
}

/* The longest run of letters and digits: what to search for. */
static const char *
longest_word(struct arena *a, const char *text)
{
    const char *best = "";
    size_t most = 0;

    while (*text) {
        size_t n = 0;

        while ((text[n] >= 'a' && text[n] <= 'z') || (text[n] >= 'A' && text[n] <= 'Z') ||
               (text[n] >= '0' && text[n] <= '9') || text[n] == '_')
            n++;
        if (n > most) {
            most = n;
            best = arena_strndup(a, text, n);
        }
        text += n > 0 ? n : 1;
    }
    return best;
}

static bool
say_sed(struct hint *h, struct buf *b)
{
    const char *word = longest_word(b->arena, h->word[0]);

    if (strcmp(hint_fact(h, h->fact[0], "count"), "0") != 0)
        return false;
    buf_printf(b,
               "sed found nothing to replace: %s is unchanged, no line of it holds \"%s\". Look at "
               "the line "
               "first: grep -n '%s' %s.",
               h->word[2], h->word[1], word[0] ? word : h->word[0], h->word[2]);
    return true;
}

static bool
look_sed_printed(struct hint *h)
{
    const struct shell_command *c = h->command;
    const char *script = hint_command_operand(c, 0), *file = hint_command_operand(c, 1);

    if (is_in_place(c) || c->out_path || c->out_gone || c->join == JOIN_PIPE || c->has_input ||
        c->level > 0 || hint_command_has(c, "-n") || hint_command_has(c, "-e") || !file ||
        !script || !read_substitution(h->look->a, script, &h->word[0], &h->word[1]))
        return false;
    h->word[2] = file;
    return true;
}

/* cat > FILE without anything to write */
static bool
look_cat(struct hint *h)
{
    const struct shell_command *c = h->command;
    size_t files = strcmp(c->program, "tee") == 0 ? 1 : 0;

    if (c->has_input || h->look->step->input_len > 0 || hint_command_operand(c, files) ||
        (files == 0 && !c->out_path))
        return false;
    h->word[0] = files ? hint_command_operand(c, 0) : c->out_path;
    return h->word[0] != NULL && !c->out_append;
}

/* sort FILE > FILE */
static bool
look_same_file(struct hint *h)
{
    const struct shell_command *c = h->command;

    if (!c->out_path || c->out_append)
        return false;
    for (size_t i = 1; i < c->count; i++)
        if (c->words[i].plain && strcmp(c->words[i].text, c->out_path) == 0) {
            h->word[0] = c->out_path;
            h->word[1] = hint_path(h->look->a, c->cwd, c->out_path);
            if (!h->word[1])
                return false;
            h->fact[0] = hint_ask(h, FACT_PATH, h->word[1]);
            return true;
        }
    return false;
}

static bool
say_same_file(struct hint *h, struct buf *b)
{
    if (strcmp(hint_fact(h, h->fact[0], "size"), "0") != 0)
        return false;
    buf_printf(b,
               "%s is empty now: > empties the file before %s reads it. Write its text again, and "
               "write the "
               "result to another file: %s ... > new.txt && mv new.txt %s.",
               h->word[0], h->command->program, h->command->program, h->word[0]);
    return true;
}

/* echo "a\nb" > FILE */
static bool
look_echo_escape(struct hint *h)
{
    const struct shell_command *c = h->command;

    if (!c->out_path || (c->count > 1 && c->words[1].text[0] == '-'))
        return false;
    for (size_t i = 1; i < c->count; i++)
        if (strstr(c->words[i].text, "\\n") || strstr(c->words[i].text, "\\t")) {
            h->word[0] = c->out_path;
            return true;
        }
    return false;
}

/* ---- nothing was run
 * ------------------------------------------------------------------------------------------ */

static bool
look_claim(struct hint *h)
{
    static const char claim[] =
        "(?i)\\b(?:pass(?:es|ed|ing)?|success(?:ful|fully)?|works?|working|completed?|finished|"
        "verified|fixed|installed|running|correct|prints?|outputs?|all tests)\\b";
    const struct shell_script *s = &h->look->script;
    const char *group[HINT_GROUPS];
    size_t words = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct shell_command *c = &s->at[i];

        if (!hint_is_one_of(c->program, "echo printf") || c->out_path || c->join == JOIN_PIPE)
            return false;
        for (size_t k = 1; k < c->count; k++) {
            if (!c->words[k].plain)
                return false;
            for (const char *at = c->words[k].text; *at; at++)
                words += *at == ' ';
            words++;
        }
    }
    return s->count > 0 && words >= 4 && hint_text_match(h->look->a, h->look->out, claim, group);
}

static bool
look_toplevel(struct hint *h)
{
    const char *file = hint_command_operand(h->command, 0);
    size_t n = file ? strlen(file) : 0;

    if (h->look->is_code || n < 4 || strcmp(file + n - 3, ".py") != 0 ||
        h->look->seen->out.seen > 0 || h->look->seen->err.seen > 0 ||
        h->command->join != JOIN_END || h->command->out_path)
        return false;
    h->word[0] = file;
    file = hint_path(h->look->a, h->command->cwd, file);
    if (!file)
        return false;
    h->fact[0] = hint_ask(h, FACT_TOPLEVEL, file);
    return true;
}

static bool
say_toplevel(struct hint *h, struct buf *b)
{
    const char *does = hint_fact(h, h->fact[0], "does"), *name = hint_fact(h, h->fact[0], "name");

    if (!does[0] || strcmp(does, hint_fact(h, h->fact[0], "defines")) != 0)
        return false;
    buf_printf(b,
               "%s only defines functions or classes and calls none of them, so it printed "
               "nothing. Add a call "
               "at its end: print(%s(...)).",
               h->word[0], name[0] ? name : "NAME");
    return true;
}

static bool
look_cron(struct hint *h)
{
    const char *operand = hint_command_operand(h->command, 0);

    if (!operand || hint_command_has(h->command, "-l") || hint_command_has(h->command, "-r"))
        return false;
    h->fact[0] = hint_ask(h, FACT_PROCESS, "cron");
    return true;
}

static bool
say_cron(struct hint *h, struct buf *b)
{
    if (!hint_known(h, h->fact[0]))
        return false;
    for (const char *const *pid = hint_facts(h, h->fact[0], "pid"); *pid; pid++)
        if (strstr(*pid, "sbin/cron") || strstr(*pid, " cron"))
            return false;
    buf_adds(b, "The table was stored, but no cron runs on this machine, so none of its lines will "
                "start. Start cron: "
                "service cron start.");
    return true;
}

/* ---- words that mean something else
 * ------------------------------------------------------------------------------ */

static bool
look_awk(struct hint *h)
{
    const struct shell_command *c = h->command;

    for (size_t i = 1; i < c->count; i++) {
        const char *word = c->words[i].text, *at = strchr(word, '$');

        if (word[0] == '-')
            continue;
        if (c->words[i].plain || !at || at[1] < '0' || at[1] > '9')
            return false;
        h->word[0] = word;
        h->word[1] = arena_printf(h->look->a, "$%c", at[1]);
        return true;
    }
    return false;
}

static bool
look_zone(struct hint *h)
{
    h->word[0] = h->group[1];
    h->word[1] = arena_printf(h->look->a, "/usr/share/zoneinfo/%s", h->group[1]);
    h->fact[0] = hint_ask(h, FACT_PATH, h->word[1]);
    return true;
}

static bool
say_zone(struct hint *h, struct buf *b)
{
    const char *like;

    if (strcmp(hint_fact(h, h->fact[0], "type"), "none") != 0)
        return false;
    like = hint_similar(h->word[1], hint_facts(h, h->fact[0], "near"));
    buf_printf(b, "There is no time zone %s, so UTC was used without a word.", h->word[0]);
    if (like)
        buf_printf(b, " A similar one: %s.", like + strlen("/usr/share/zoneinfo/"));
    else
        buf_printf(b, " See the names: ls /usr/share/zoneinfo/%.*s.", (int)strcspn(h->word[0], "/"),
                   h->word[0]);
    return true;
}

static bool
look_make(struct hint *h)
{
    h->word[0] = h->group[1];
    h->fact[0] =
        hint_ask(h, FACT_PATH,
                 hint_path(h->look->a, h->command->cwd ? h->command->cwd : "/work", h->group[1]));
    return strchr(h->group[1], '.') == NULL;
}

static bool
say_make(struct hint *h, struct buf *b)
{
    const char *type = hint_fact(h, h->fact[0], "type");

    if (strcmp(type, "directory") != 0 && strcmp(type, "regular file") != 0)
        return false;
    buf_printf(b,
               "make did nothing: a %s named %s exists and is up to date. To run the rule in spite "
               "of that: make "
               "-B %s.",
               type[0] == 'd' ? "folder" : "file", h->word[0], h->word[0]);
    return true;
}

static bool
look_php(struct hint *h)
{
    const char *file = hint_command_operand(h->command, 0);

    if (!file || hint_command_has(h->command, "-r") || strstr(h->look->out, "<html"))
        return false;
    h->word[0] = file;
    return true;
}

/* curl -o FILE URL: saves an error page like any other, and exits 0. */
static bool
look_saved(struct hint *h)
{
    const struct shell_command *c = h->command;
    const char *file = c->out_path;

    if (hint_command_has(c, "-f") || hint_command_has(c, "--fail"))
        return false;
    for (size_t i = 1; i < c->count; i++) {
        const char *word = c->words[i].text, *slash = strrchr(word, '/');
        size_t n = strlen(word);
        bool flag = word[0] == '-' && word[1] != '-' && n < 8;

        if (i + 1 < c->count && c->words[i + 1].plain &&
            (strcmp(word, "--output") == 0 || (flag && word[n - 1] == 'o')))
            file = c->words[i + 1].text;
        else if (strncmp(word, "http", 4) == 0 && hint_command_has(c, "-O") && slash && slash[1])
            file = slash + 1;
    }
    if (!file || !hint_path(h->look->a, c->cwd, file))
        return false;
    h->word[0] = file;
    h->fact[0] = hint_ask(h, FACT_HEAD, hint_path(h->look->a, c->cwd, file));
    return true;
}

static bool
say_saved(struct hint *h, struct buf *b)
{
    static const char title[] =
        "(?i)<(?:title|h1)>\\s*([^<\n]*(?:40[0-9]|50[0-9]|error response|not "
        "found|forbidden|bad gateway)[^<\n]*)";
    static const char code[] = "(?i)(?:error code:?|status:?) *([45]\\d\\d)";
    const char *const *lines = hint_facts(h, h->fact[0], "line");
    const char *text = "", *group[HINT_GROUPS], *more[HINT_GROUPS];
    bool has_code;

    for (; *lines; lines++)
        text = arena_printf(b->arena, "%s%s\n", text, *lines);
    if (!hint_text_match(b->arena, text, title, group))
        return false;
    has_code = hint_text_match(b->arena, text, code, more);
    buf_printf(
        b,
        "%s holds the server's error page (%s%s%s), not what was asked for: curl saves what it "
        "gets. Check the address. With -f curl fails instead: curl -f -o %s URL.",
        h->word[0], group[1], has_code ? " " : "", has_code ? more[1] : "", h->word[0]);
    return true;
}

static bool
look_no_follow(struct hint *h)
{
    return !hint_command_has(h->command, "-L") && !hint_command_has(h->command, "--location") &&
           !hint_command_has(h->command, "-I");
}

static const struct hint_rule rows[] = {
    {"old-binary", FAMILY_HIDDEN, ON_FAIL | ON_OK, .programs = COMPILERS,
     .pattern = "(?:^|: )(?:fatal )?error(?:\\[E\\d+\\]| CS\\d+)?:|^collect2: error|^\\d+ errors?$",
     .look = look_old_binary,
     .text = "The compile failed, so what ran after it was the old program. Fix the compile error "
             "first, and join "
             "the two with &&: {word1} && {word0}."},
    {"pipe-hides", FAMILY_HIDDEN, ON_OK,
     .programs = "python3 python pytest node npm npx go cargo make cmake gcc g++ clang rustc java "
                 "javac mvn gradle "
                 "ruby rake rspec php phpunit perl prove dotnet mono tsc jest mocha pip pip3 "
                 "apt-get apt bash sh "
                 "swift ghc stack cabal mix tox ctest bats unittest",
     .look = look_piped,
     .text = "Exit code 0 is only that of {word1}, the last command of the pipe. {program} failed: "
             "{word0}. Run it "
             "without | {word1} to see its own exit code."},
    {"sed-no-match", FAMILY_HIDDEN, ON_OK, .programs = "sed", .look = look_sed, .say = say_sed},
    {"sed-printed", FAMILY_HIDDEN, ON_OK, .programs = "sed", .look = look_sed_printed,
     .text = "sed only printed the changed text: {word2} itself is as it was. To change the file, "
             "use sed -i."},
    {"cat-nothing", FAMILY_HIDDEN, ON_OK, .programs = "cat tee", .look = look_cat,
     .text = "Nothing was given to {program}: {word0} is empty (0 bytes). Write it with the tool "
             "write_file, or with: cat "
             "> {word0} <<'EOF', the lines, and EOF on a line of its own."},
    {"same-file", FAMILY_HIDDEN, ON_ANY,
     .programs = "sort sed awk grep cat uniq tr cut head tail jq nl tac shuf column rev fold iconv",
     .look = look_same_file, .say = say_same_file},
    {"echo-escape", FAMILY_HIDDEN, ON_OK, .programs = "echo", .look = look_echo_escape,
     .text = "echo wrote \\n as two characters into {word0}, not as a line break. Use printf in "
             "place of echo, or the "
             "tool write_file."},
    {"echo-claim", FAMILY_HIDDEN, ON_OK, .programs = "echo printf", .look = look_claim,
     .text = "echo only prints the text it is given: no program ran. Run the program itself to see "
             "what it does."},
    {"defines-only", FAMILY_HIDDEN, ON_OK, .programs = "python3 python", .look = look_toplevel,
     .say = say_toplevel},
    {"cron-not-running", FAMILY_HIDDEN, ON_OK, .programs = "crontab", .look = look_cron,
     .say = say_cron},
    {"brace-range", FAMILY_HIDDEN, ON_ANY, .from = FROM_COMMAND,
     .pattern = "(\\{[\\w]*\\.\\.\\$\\{?(\\w+)\\}?\\}|\\{\\$\\w+\\.\\.[^}\n]*\\})",
     .text = "{1} is not expanded: bash expands { } before it knows variables, so the loop runs "
             "once. Use: for i in $(seq "
             "1 \"${2}\")."},
    {"awk-quotes", FAMILY_HIDDEN, ON_ANY, .programs = "awk gawk mawk", .look = look_awk,
     .text = "In double quotes the shell replaces {word1} before awk sees it. Use single quotes "
             "around the awk program: "
             "awk '{word0}'."},
    {"time-zone", FAMILY_HIDDEN, ON_OK, .from = FROM_COMMAND,
     .pattern = "\\bTZ=['\"]?([A-Z]\\w+/[\\w/+-]+)", .look = look_zone, .say = say_zone},
    {"sqlite-increment", FAMILY_HIDDEN, ON_OK, .from = FROM_COMMAND, .programs = "sqlite3",
     .pattern = "(?i)\\bAUTO_INCREMENT\\b",
     .text = "AUTO_INCREMENT is MySQL; SQLite takes it for a part of the type, and the id stays "
             "NULL. Write: id INTEGER "
             "PRIMARY KEY AUTOINCREMENT."},
    {"make-nothing", FAMILY_HIDDEN, ON_OK, .from = FROM_OUT, .programs = "make",
     .pattern = "^make: '([\\w./-]+)' is up to date\\.", .look = look_make, .say = say_make},
    {"php-no-tag", FAMILY_HIDDEN, ON_OK, .from = FROM_OUT, .programs = "php",
     .pattern = "\\A\\s*(?:#!.*\n)?\\s*(?:echo [\"'$]|function \\w+\\(|\\$\\w+ = |print[ "
                "(][\"']|class \\w+ )",
     .look = look_php,
     .text = "php printed the text of {word0} in place of running it: the file has to begin with "
             "<?php. Put <?php on its "
             "first line."},
    {"curl-error-page", FAMILY_HIDDEN, ON_OK, .programs = "curl", .look = look_saved,
     .say = say_saved},
    {"curl-redirect", FAMILY_HIDDEN, ON_OK, .from = FROM_OUT, .programs = "curl",
     .pattern = "<title>30[1278] |<h1>30[1278] |^HTTP/[\\d.]+ 30[1278] "
                "[^\n]*\n(?![\\s\\S]*^HTTP/[\\d.]+ 200)|>Redirecting"
                "(?:\\.\\.\\.)?<",
     .look = look_no_follow,
     .text =
         "The server answered that the page is at another address. Follow it: put -L after curl."},
};

const struct hint_table hint_table_hidden = {rows, COUNT_OF(rows)};
