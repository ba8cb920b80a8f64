/* Files: that are not there, are empty, or cannot be run. */
#include "config.h"

#include "core/hint_tables.h"
#include <string.h>

/* ---- which path is meant -----------------------------------------------------------------------
 */

/* The folder a path of the command line or of a message is relative to. */
static const char *
folder_of(const struct hint_look *l, const char *path)
{
    const char *cwd = l->step->cwd ? l->step->cwd : "/work";

    for (size_t i = 0; i < l->script.count; i++) {
        const struct shell_command *c = &l->script.at[i];

        if ((c->out_path && strcmp(c->out_path, path) == 0) ||
            (c->in_path && strcmp(c->in_path, path) == 0))
            return c->cwd;
        for (size_t k = 0; k < c->count; k++)
            if (strcmp(c->words[k].text, path) == 0)
                return c->cwd;
        cwd = c->level == 0 ? c->cwd : cwd;
    }
    return cwd;
}

bool
hint_ask_path(struct hint *h, const char *path)
{
    if (strncmp(path, "file://", 7) == 0)
        path += 7;
    h->word[0] = path;
    h->word[1] = hint_path(h->look->a, folder_of(h->look, path), path);
    if (!h->word[1])
        return false;
    h->fact[0] = hint_ask(h, FACT_PATH, h->word[1]);
    return true;
}

/* ---- what is there in its place
 * ------------------------------------------------------------------ */

static size_t
stem_length(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && dot > name ? (size_t)(dot - name) : strlen(name);
}

static const char *
name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *
hint_similar(const char *path, const char *const *paths)
{
    const char *name = name_of(path), *best = NULL;
    size_t stem = stem_length(name);
    unsigned least = stem > 5 ? 4 : stem > 2 ? 3 : 1;

    for (; *paths; paths++) {
        const char *other = name_of(*paths);
        unsigned unlike = hint_distance(name, other);

        if (stem > 1 && stem_length(other) == stem && strncasecmp(name, other, stem) == 0)
            unlike = unlike > 2 ? 2 : unlike;
        if (unlike < least && strcmp(path, *paths) != 0) {
            least = unlike;
            best = *paths;
        }
    }
    return best;
}

static bool
is_source(const char *path)
{
    static const char sources[] =
        ".py .js .mjs .ts .c .cpp .cc .cxx .h .hpp .java .kt .go .rs .rb .php .pl .sh .cs .hs .lua "
        ".r "
        ".R .sql .html .css .jsx .tsx .scala .swift .ml .ex .exs .erl .pas .f90 .asm .s .clj";
    const char *dot = strrchr(name_of(path), '.');

    return dot && hint_is_one_of(dot, sources);
}

/* Was the path to be written? */
static bool
is_written(const struct hint *h)
{
    const struct hint_look *l = h->look;

    for (size_t i = 0; i < l->script.count; i++)
        if (l->script.at[i].out_path && strcmp(l->script.at[i].out_path, h->word[0]) == 0)
            return true;
    return strstr(h->group[0], "create") || strstr(h->group[0], "touch") ||
           strstr(h->group[0], "move") || strstr(h->group[0], "nonexistent") ||
           strstr(h->group[0], "output file");
}

/* How a program is made of the source beside it, or NULL. */
static const char *
compile_line(struct arena *a, const char *source, const char *program)
{
    static const struct {
        const char *ends, *compiler;
    } compilers[] = {
        {".c", "gcc"},       {".cpp .cc .cxx", "g++"}, {".rs", "rustc"},
        {".go", "go build"}, {".hs", "ghc"},           {".f90", "gfortran"},
    };

    for (size_t i = 0; i < COUNT_OF(compilers); i++)
        if (hint_is_one_of(source + stem_length(source), compilers[i].ends))
            return arena_printf(a, "%s -o %s %s", compilers[i].compiler, program, source);
    return NULL;
}

/* In place of a path that is not there: one whose name is like it. */
static void
say_other(const char *path, const char *other, struct buf *b)
{
    const char *shown = hint_shown(b->arena, path), *there = hint_shown(b->arena, other);
    bool stem = strlen(path) == stem_length(path) && stem_length(other) == strlen(path) &&
                strncmp(path, other, strlen(path)) == 0;
    const char *compile = stem ? compile_line(b->arena, there, shown) : NULL;

    if (compile)
        buf_printf(b, "%s does not exist: %s was not compiled. Compile it first: %s.", shown, there,
                   compile);
    else if (is_source(path))
        buf_printf(
            b,
            "%s does not exist. A file with a similar name is here: %s. Use that name if it is "
            "the right one, or write %s first with the tool write_file.",
            shown, there, shown);
    else
        buf_printf(b,
                   "%s does not exist. A file with a similar name is here: %s. Use that name if it "
                   "is the right one.",
                   shown, there);
}

static bool
say_missing_folder(struct hint *h, struct buf *b)
{
    const char *path = h->word[1], *up = hint_fact(h, h->fact[0], "up"), *rest, *folder, *like;
    size_t n = strcmp(up, "/") == 0 ? 0 : strlen(up);

    if (!up[0] || strncmp(path, up, n) != 0 || path[n] != '/')
        return false;
    rest = path + n + 1;
    folder = arena_strndup(b->arena, path, n + 1 + strcspn(rest, "/"));
    like = hint_similar(folder, hint_facts(h, h->fact[0], "side"));
    buf_printf(b, "The folder %s does not exist.", hint_shown(b->arena, folder));
    if (like)
        buf_printf(b, " There is %s: use that name.", hint_shown(b->arena, like));
    else if (is_written(h))
        buf_printf(b, " Make it first: mkdir -p %s. Then run the command again.",
                   hint_shown(b->arena,
                              arena_strndup(b->arena, path, (size_t)(name_of(path) - path - 1))));
    else
        buf_printf(b, " Look at what is there: ls -la %s.", up);
    return true;
}

/* Paths that some other command makes. */
static bool
say_made_by(const char *path, struct buf *b)
{
    const char *env = strstr(path, "/bin/activate"), *shown = hint_shown(b->arena, path);

    if (env && !env[13]) {
        buf_printf(
            b,
            "There is no virtual environment at %.*s. Make it: python3 -m venv %.*s. Then use "
            "its programs in the same command: %.*s/bin/pip, %.*s/bin/python.",
            (int)(strstr(shown, "/bin/") - shown), shown, (int)(strstr(shown, "/bin/") - shown),
            shown, (int)(strstr(shown, "/bin/") - shown), shown,
            (int)(strstr(shown, "/bin/") - shown), shown);
        return true;
    }
    if (strpbrk(path, "*?")) {
        buf_printf(b, "No file matches %s. Look at what is there: ls -la %.*s.", shown,
                   name_of(path) > path + 1 ? (int)(name_of(path) - path - 1) : 1, path);
        return true;
    }
    return false;
}

bool
hint_say_path(struct hint *h, struct buf *b)
{
    const char *type = hint_fact(h, h->fact[0], "type"), *size = hint_fact(h, h->fact[0], "size");
    const char *path = h->word[1], *shown = hint_shown(b->arena, path), *other;
    const char *const *at = hint_facts(h, h->fact[0], "at");

    if (strcmp(type, "regular empty file") == 0 || (strcmp(size, "0") == 0 && type[0] == 'r')) {
        buf_printf(
            b,
            "%s is there but it is empty (0 bytes). Write its text with the tool write_file, "
            "then run the command again.",
            shown);
        return true;
    }
    if (strcmp(type, "broken") == 0) {
        buf_printf(b, "%s is a link to %s, which does not exist.", shown,
                   hint_fact(h, h->fact[0], "link"));
        return true;
    }
    if (strcmp(type, "none") != 0)
        return false;
    if (say_made_by(path, b))
        return true;
    if (at[0]) {
        bool upper = strcasecmp(at[0], path) == 0;

        buf_printf(b, "%s does not exist. %s is here: %s. Use that path%s.", shown,
                   upper ? "A file whose name differs in case" : "A file of that name",
                   hint_shown(b->arena, at[0]), upper ? "" : "; each call starts in /work");
        return true;
    }
    if (strcmp(hint_fact(h, h->fact[0], "dir"), "no") == 0)
        return say_missing_folder(h, b);
    other = hint_similar(path, hint_facts(h, h->fact[0], "near"));
    if (other)
        say_other(path, other, b);
    else if (is_source(path))
        buf_printf(
            b,
            "%s does not exist. Write it first with the tool write_file, then run the command "
            "again.",
            shown);
    else
        buf_printf(
            b, "%s does not exist. Look at what is there: ls -la %s.", shown,
            arena_strndup(b->arena, path,
                          name_of(path) > path + 1 ? (size_t)(name_of(path) - path - 1) : 1));
    return true;
}

/* ---- a file is not there
 * ------------------------------------------------------------------------- */

/* What programs say of a file they cannot find; group 1 is its path. */
static const char *const missing[] = {
    "can't open file '([^'\n]+)': \\[Errno 2\\]",
    "^(?:FileNotFoundError|IsADirectoryError): \\[Errno 2\\] No such file or directory: "
    "b?'([^'\n]+)'",
    "^Error: Cannot find module '(/[^'\n]+)'",
    "ENOENT: no such file or directory, (?:open|scandir|stat|access|lstat) '([^'\n]+)'",
    "^(?:node:|Error:)?.*Cannot find module '(\\.{1,2}/[^'\n]+)'",
    "^Error \\[ERR_MODULE_NOT_FOUND\\]: Cannot find module '(/[^'\n]+)'",
    "^(?:gcc|g\\+\\+|cc1|cc1plus|cc|c\\+\\+): (?:fatal )?error: ([^:\n]+): No such file or "
    "directory",
    "^clang(?:\\+\\+)?(?:-\\d+)?: error: no such file or directory: '([^'\n]+)'",
    "^error: file not found: ([^\n]+\\.java)$",
    "^error: source file or directory not found: ([^\n]+)$",
    "^error: couldn't read `?([^`:\n]+)`?: No such file or directory",
    "^(?:go: )?(?:open|stat|no such file or directory:) ?([^:\n]+\\.go)(?:: no such file or "
    "directory)?$",
    "^no required module provides package ([^;\\s]+\\.go);",
    "^package ([^\\s]+\\.go) is not in std",
    "No such file or directory -- ([^\\s]+) \\(LoadError\\)",
    "^Can't open perl script \"([^\"\n]+)\": No such file or directory",
    "^Could not open input file: ([^\n]+)$",
    "^(?:\\S*lua[\\d.]*): cannot open '?([^'\n]+?)'?(?: \\(No such file.*)?$",
    "can't find file: ([^\\s]+\\.hs)$",
    "error CS2001: Source file [`']([^'\n]+)' could not be found",
    "^Fatal error: cannot open file '([^'\n]+)': No such file or directory",
    "^Error: Unable to access jarfile ([^\n]+)$",
    "^(?:ba|da)?sh: (?:0: )?(?:cannot open |Can't open )?([^\\s:]+): No such file(?: or "
    "directory)?$",
    "^(?:ba|da)?sh: 0: (?:cannot|Can't) open ([^\\s:]+)(?:: No such file)?$",
    "^[^\\s:]+: (?:line )?\\d+: (?:cd|source|\\.|exec|pushd): ([^:\n]+): (?:No such file or "
    "directory|not "
    "found|file not found)$",
    "^[^\\s:]+: (?:line )?\\d+: cd: can't cd to ([^\n]+)$",
    "^[^\\s:]+: (?:line )?\\d+: (?:cannot (?:open|create) )?([^:\n]+): (?:No such file or "
    "directory|No "
    "such file|Directory nonexistent)$",
    "^(?:rm|mv|cp|ls|ln|cat|head|tail|wc|sort|uniq|cut|du|stat|chmod|chown|chgrp|touch|mkdir|rmdir|"
    "install|grep|egrep|sed|awk|gawk|mawk|find|tar|file|diff|cmp|od|xxd|hexdump|less|more|tee|"
    "split|"
    "paste|join|comm|nl|tac|rev|md5sum|sha1sum|sha256sum|base64|realpath|readlink|strings|objdump|"
    "nm|"
    "ldd|gzip|gunzip|bzip2|xz|zcat|dd|truncate|shuf|fold|tr|column|iconv|patch|rsync|rg|bat|jq|"
    "nginx|"
    "unzip|zip|make)(?::|: \\S*) (?:error: )?(?:cannot |can't |failed to |could not |Could not )?"
    "(?:access|open|stat|create (?:regular file|directory|symbolic link|hard "
    "link)|remove|touch|read|"
    "move|find|exec|opening|chdir to)?(?: file)?(?: input file)? ?['`\"]?([^'\"\n]+?)['\"]?"
    "(?: for reading)?:? (?:\\(?[Nn]o such file or directory\\)?|Cannot (?:open|stat): No such "
    "file)",
    "^tar \\(child\\): ([^:\n]+): Cannot open: No such file",
    "^unzip:  cannot find or open ([^,\n]+),",
    "^ERROR: Could not open requirements file: \\[Errno 2\\] No such file or directory: "
    "'([^'\n]+)'",
    "^Error: (?:cannot open|unable to open(?: database)?) \"([^\"\n]+)\"",
    "^jq: error: Could not open file ([^:\n]+): No such file",
    "^python3?: can't open file '([^'\n]+)'",
    "^([^\\s:]+): No such file or directory$",
    "^error: ([^\\s:]+): No such file or directory",
    "^(?:Error|error): (?:open|stat|lstat) ([^:\n]+): no such file or directory",
    "^PHP Warning: .*\\(([^)\n]+)\\): Failed to open stream: No such file",
    "FileNotFoundException: ([^\n(]+) \\(No such file",
    "Could not find (?:file|a part of the path) ['\"]([^'\"\n]+)['\"]",
    "@ (?:rb_sysopen|dir_initialize|rb_file_s_\\w+) - ([^\n(]+?) \\(Errno::ENOENT\\)",
    "(?:^|[\\s:])(?:open|stat|lstat|chdir|readdir) ([^\\s:]+): no such file or directory",
    "[Cc]an(?:'t|not) (?:open|find|read|load|access|stat|locate) (?:file |the file |input file "
    "|config(?:uration)? "
    "file |script )?['\"`]?([\\w./~-]*[./][\\w./-]+)['\"`]?(?:: No such file|[^\n]{0,20}$)",
    "['\"`]((?:[\\w.~-]*/)?[\\w.-]+\\.\\w{1,5}|[\\w.~-]*/[\\w./-]+)['\"`][^\n]{0,30}(?:[Nn]o such "
    "file|does not "
    "exist|[Nn]ot found|cannot be found)",
    "(?:^|[\\s:(])([\\w.~-]*/[\\w./-]+|[\\w-]+\\.[a-z]{1,5}): (?:\\(os error 2\\)|[Nn]o such file "
    "or "
    "directory|file not found|not found$)",
};

static bool
look_missing(struct hint *h)
{
    for (size_t i = 0; i < COUNT_OF(missing); i++)
        if (hint_match(h, missing[i]))
            return strlen(h->group[1]) < 300 && hint_ask_path(h, h->group[1]);
    return false;
}

/* gcc sum.c -o sum && ./a.out */
static bool
look_other_output(struct hint *h)
{
    const struct hint_look *l = h->look;

    for (size_t i = 0; i < l->script.count; i++) {
        const struct shell_command *c = &l->script.at[i];

        if (!hint_is_one_of(c->program, "gcc g++ cc c++ clang clang++ rustc go ghc"))
            continue;
        for (size_t k = 1; k + 1 < c->count; k++)
            if (strcmp(c->words[k].text, "-o") == 0 && c->words[k + 1].plain &&
                strcmp(name_of(c->words[k + 1].text), name_of(h->group[1])) != 0) {
                h->word[0] = c->words[k + 1].text;
                h->word[1] = h->word[0][0] == '/' || strncmp(h->word[0], "./", 2) == 0 ? "" : "./";
                return true;
            }
    }
    return false;
}

/* ---- a program is given a file with nothing in it
 * -------------------------------------------------- */

static const char interpreters[] =
    "python3 python node bash sh ruby perl php lua lua5.4 Rscript deno "
    "bun tsx ts-node guile swipl java";

static bool
look_silent(struct hint *h)
{
    const struct hint_look *l = h->look;
    const char *path = hint_command_operand(h->command, 0);

    if (l->seen->out.seen > 0 || l->seen->err.seen > 0 || !path || h->command->join != JOIN_END ||
        h->command->out_path || h->command->out_gone || !strchr(path, '.'))
        return false;
    return hint_ask_path(h, path);
}

static bool
say_empty(struct hint *h, struct buf *b)
{
    return strcmp(hint_fact(h, h->fact[0], "type"), "regular empty file") == 0 &&
           hint_say_path(h, b);
}

/* ---- a file that cannot be run
 * ---------------------------------------------------------------------- */

static bool
ask_exec(struct hint *h)
{
    h->word[0] = h->group[1];
    h->word[1] = hint_path(h->look->a, folder_of(h->look, h->group[1]), h->group[1]);
    if (!h->word[1])
        return false;
    h->fact[0] = hint_ask(h, FACT_EXEC, h->word[1]);
    return true;
}

/* The script with Windows line ends: what the message names, or the path that was run. */
static bool
look_crlf(struct hint *h)
{
    const struct shell_script *s = &h->look->script;

    h->word[0] = "FILE";
    if (strchr(h->group[0], ':') && !hint_is_one_of(h->group[1], "bash sh env") &&
        strncmp(h->group[0], "env", 3) != 0)
        h->word[0] = h->group[1];
    for (size_t i = 0; i < s->count && strcmp(h->word[0], "FILE") == 0; i++)
        if (s->at[i].count > 0 && strchr(s->at[i].words[0].text, '/'))
            h->word[0] = s->at[i].words[0].text;
    return true;
}

static bool
say_no_loader(struct hint *h, struct buf *b)
{
    const char *file = h->word[0], *interpreter = hint_fact(h, h->fact[0], "interpreter");
    const char *magic = hint_fact(h, h->fact[0], "magic"), *run;

    if (hint_fact(h, h->fact[0], "crlf")[0]) {
        buf_printf(
            b,
            "%s has Windows line ends (\\r\\n), so its first line names a program that does not "
            "exist. Remove them: sed -i 's/\\r$//' %s. Then run it again.",
            file, file);
        return true;
    }
    if (interpreter[0] && !hint_fact(h, h->fact[0], "interpreter_there")[0]) {
        run = name_of(interpreter);
        if (strcmp(run, "python") == 0)
            run = "python3";
        buf_printf(
            b, "The first line of %s asks for %s, which does not exist here. Run it with: %s %s.",
            file, interpreter, run, file);
        return true;
    }
    if (strstr(magic, "7f 45 4c 46")) {
        buf_printf(
            b,
            "%s is a program made for another kind of Linux: the loader it needs is not here. "
            "Compile it from its source on this machine.",
            file);
        return true;
    }
    return false;
}

static const char *
machine_of(const char *magic)
{
    static const char *const rows[][2] = {
        {"3e 00", "x86-64"},     {"b7 00", "ARM64"},  {"28 00", "32-bit ARM"},
        {"03 00", "32-bit x86"}, {"f3 00", "RISC-V"},
    };
    size_t n = strlen(magic);

    /* " 7f 45 4c 46": bytes 18 and 19 are the machine */
    for (size_t i = 0; n >= 60 && i < COUNT_OF(rows); i++)
        if (strncmp(magic + n - 5, rows[i][0], 5) == 0)
            return rows[i][1];
    return NULL;
}

static bool
say_format(struct hint *h, struct buf *b)
{
    const char *file = h->word[0], *magic = hint_fact(h, h->fact[0], "magic");
    const char *machine = machine_of(magic);
    size_t n = strlen(file), start = file[0] == '.' && file[1] == '/' ? 2 : 0;

    if (strcmp(hint_fact(h, h->fact[0], "size"), "0") == 0) {
        buf_printf(b, "%s is empty (0 bytes). Build it or write it first.", file);
    } else if (strncmp(magic, " 4d 5a", 6) == 0 || (n > 4 && strcmp(file + n - 4, ".exe") == 0)) {
        buf_printf(b, "A .exe file made by mcs is run by mono: mono %s.", file + start);
    } else if (strncmp(magic, " ca fe ba be", 12) == 0) {
        buf_printf(b, "%s is a Java class. Run it with java and the class name: java -cp . %.*s.",
                   file, (int)stem_length(name_of(file)), name_of(file));
    } else if (strncmp(magic, " 50 4b", 6) == 0) {
        buf_printf(b, "%s is a zip or jar file. Run a jar with: java -jar %s.", file, file + start);
    } else if (strstr(magic, "7f 45 4c 46") && n > 2 && strcmp(file + n - 2, ".o") == 0) {
        buf_printf(b, "%s is an object file. Link it first: gcc %s -o program && ./program.", file,
                   file + start);
    } else if (strstr(magic, "7f 45 4c 46") && machine) {
        buf_printf(b,
                   "%s is a program for %s; this machine is %s. Compile it from its source on this "
                   "machine.",
                   file, machine, hint_fact(h, h->fact[0], "machine"));
    } else {
        return false;
    }
    return true;
}

static bool
say_denied(struct hint *h, struct buf *b)
{
    const char *file = h->word[0], *mode = hint_fact(h, h->fact[0], "mode");
    const char *interpreter = hint_fact(h, h->fact[0], "interpreter");
    bool here = strchr(file, '/') != NULL;

    if (strcmp(hint_fact(h, h->fact[0], "type"), "directory") == 0) {
        buf_printf(b, "%s is a folder, not a program. See what is in it: ls -la %s.", file, file);
        return true;
    }
    if (!mode[0])
        return false;
    if (mode[strlen(mode) - 1] & 1) {
        if (!interpreter[0])
            return false;
        buf_printf(b, "%s may be run, but not its interpreter %s.", file, interpreter);
        return true;
    }
    buf_printf(b, "%s is not executable (mode %s). Make it so: chmod +x %s. Then run %s%s.", file,
               mode, file, here ? "" : "./", file);
    return true;
}

/* As another user than root, what the rights of a path do not allow. */
static bool
look_denied(struct hint *h)
{
    static const char pattern[] =
        "(?|PermissionError: \\[Errno 13\\] Permission denied: '([^'\n]+)'|EACCES: permission "
        "denied, \\w+ "
        "'([^'\n]+)'|['\"` ](/[\\w./~-]+|[\\w.~-]+(?:/[\\w.-]+)*)['\"`]?: Permission denied)";
    const struct shell_script *s = &h->look->script;

    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].other_user && hint_match(h, pattern))
            return hint_ask_path(h, h->group[1]);
    return false;
}

static bool
say_refused(struct hint *h, struct buf *b)
{
    const char *mode = hint_fact(h, h->fact[0], "mode"), *path = h->word[1];

    if (!mode[0])
        return false;
    buf_printf(
        b,
        "%s has mode %s, owner %s, group %s, and the command ran as another user than root. Let "
        "others read it: chmod o+rX %s. Or give it to that user: chown USER %s.",
        path, mode, hint_fact(h, h->fact[0], "owner"), hint_fact(h, h->fact[0], "group"), path,
        path);
    return true;
}

static bool
ask_busy(struct hint *h)
{
    h->fact[0] = hint_ask(h, FACT_PROCESS, name_of(h->group[1]));
    return true;
}

static bool
say_busy(struct hint *h, struct buf *b)
{
    const char *pid = hint_fact(h, h->fact[0], "pid");

    buf_printf(b, "%s is running at the moment, so it cannot be written.", h->group[1]);
    if (pid[0])
        buf_printf(b, " Stop it first: kill %.*s. Or write to another name.",
                   (int)strcspn(pid, " "), pid);
    else
        buf_adds(b, " Stop it first, or write to another name.");
    return true;
}

static const struct hint_rule rows[] = {
    {"crlf-script", FAMILY_CAUSE, ON_ERROR,
     .pattern =
         "^([^\\s:]+): (?:line )?\\d+: (?:\\$'[^'\n]*\\\\r': command not found$|syntax error near "
         "unexpected token [`']\\$'[^'\n]*\\\\r')",
     .look = look_crlf,
     .text = "The script has Windows line ends (\\r\\n). Remove them: sed -i 's/\\r$//' {word0}. "
             "Then run "
             "it again."},
    {"crlf-env", FAMILY_CAUSE, ON_FAIL, .pattern = "env: \\$?'?([\\w./-]+)(?:\\\\r|'\\$'\\\\r)",
     .look = look_crlf,
     .text = "The script has Windows line ends (\\r\\n), so it asks for a program \"{1}\\r\". "
             "Remove them: "
             "sed -i 's/\\r$//' {word0}. Then run it again."},
    {"shebang-options", FAMILY_CAUSE, ON_FAIL,
     .pattern = "env: '([\\w.+-]+ -[^'\n]+)': No such file or directory",
     .text = "The first line of the script passes \"{1}\" to env as one name. Write it as: "
             "#!/usr/bin/env -S {1}."},
    {"exec-no-loader", FAMILY_CAUSE, ON_ERROR,
     .pattern =
         "^[^\\s:]+: (?:line )?\\d+: ([^:\n]+): (?:cannot execute: required file not found|.*bad "
         "interpreter: No such file or directory)$",
     .look = ask_exec, .say = say_no_loader},
    {"exec-format", FAMILY_CAUSE, ON_FAIL,
     .pattern =
         "^(?:[^\\s:]+: (?:line )?\\d+: )?([^\\s:]+): (?:cannot execute binary file|Exec format "
         "error)",
     .look = ask_exec, .say = say_format},
    {"exec-denied", FAMILY_CAUSE, ON_FAIL, .exits = {126},
     .pattern = "^[^\\s:]+: (?:line )?\\d+: ([^:\n]+): (?:Permission denied|Is a directory)$",
     .look = ask_exec, .say = say_denied},
    {"file-busy", FAMILY_CAUSE, ON_ERROR,
     .pattern =
         "(?:cannot (?:create regular file|open)|cannot open output file|:)? ?'?([^'\\s:]+)'?: "
         "Text file busy",
     .look = ask_busy, .say = say_busy},
    {"too-many-files", FAMILY_CAUSE, ON_FAIL, .pattern = ": ([^:\n]+): Argument list too long",
     .text = "The pattern stands for more file names than fit on one command line. Let find do it: "
             "find "
             "FOLDER -type f -delete, or find FOLDER -type f -print0 | xargs -0 COMMAND."},
    {"other-output", FAMILY_CAUSE, ON_FAIL, .exits = {127},
     .pattern = "^[^\\s:]+: (?:line )?\\d+: ((?:\\./)?[^:\\s]+): No such file or directory$",
     .look = look_other_output,
     .text = "{1} does not exist: the program was written to {word0} (-o {word0}). Run "
             "{word1}{word0}."},
    {"path-denied", FAMILY_CAUSE, ON_ERROR, .look = look_denied, .say = say_refused},
    {"file-missing", FAMILY_CAUSE, ON_ERROR, .look = look_missing, .say = hint_say_path},
    {"file-empty", FAMILY_CAUSE, ON_OK, .programs = interpreters, .look = look_silent,
     .say = say_empty},
};

const struct hint_table hint_table_files = {rows, COUNT_OF(rows)};
