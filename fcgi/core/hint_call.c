/* What was put into the wrong place: a tool call into the command, a program under another
 * language's name, line numbers or a placeholder into the code; and programs that print an object
 * in place of its value. */
#include "config.h"

#include "core/hint_tables.h"
#include "core/hint_text.h"
#include <string.h>

/* ---- the language ---------------------------------------------------------------------------- */

/* Signs of a language that no other has; the first row that matches counts. */
static const struct {
    const char *language, *title, *sign;
} signs[] = {
    {"cpp", "c++",
     "^\\s*#include\\s*<(?:iostream|vector|string|map|algorithm|bits/stdc\\+\\+\\.h)>|\\bstd::"
     "(?:cout|vector|string)|^using namespace std"},
    {"c", "c", "^\\s*#include\\s*[<\"]"},
    {"java", "java", "^\\s*public (?:static void main|class \\w+)|System\\.out\\.print"},
    {"go", "go", "^package main$"},
    {"rust", "rust", "^fn main\\(\\)|println!\\("},
    {"php", "php", "^<\\?php"},
    {"csharp", "c#", "^using System;|Console\\.Write"},
    {"javascript", "javascript",
     "^(?:const|let|var) \\w+ = |console\\.log\\(|^function \\w+\\([^)\n]*\\) ?\\{"},
    {"python", "python",
     "^(?:def \\w+\\([^\n]*:$|import \\w+$|from \\w[\\w.]* import |if __name__ == )"},
    {"bash", "bash", "^#!/(?:usr/)?bin/(?:env )?(?:ba)?sh"},
};

/* What is said of a text in another language. */
static const struct {
    const char *language, *text;
} messages[] = {
    {"python", "^(?:SyntaxError|NameError|IndentationError)"},
    {"javascript", "^(?:SyntaxError|ReferenceError)"},
    {"c", ": error: |: fatal error: "},
    {"cpp", ": error: |: fatal error: "},
    {"bash", "syntax error|command not found"},
    {"perl", "syntax error|Bareword"},
    {"java", ": error: "},
    {"go", "syntax error|expected '"},
};

static bool
look_language(struct hint *h)
{
    const struct hint_look *l = h->look;
    const char *group[HINT_GROUPS], *message = NULL;

    for (size_t i = 0; l->plan->language && i < COUNT_OF(messages); i++)
        if (strcmp(messages[i].language, l->plan->language) == 0)
            message = messages[i].text;
    if (!l->is_code || !message || !hint_text_match(l->a, l->err, message, group))
        return false;
    for (size_t i = 0; i < COUNT_OF(signs); i++) {
        if (!hint_text_match(l->a, l->code, signs[i].sign, group))
            continue;
        if (strcmp(signs[i].language, l->plan->language) == 0 ||
            (strcmp(signs[i].language, "c") == 0 && strcmp(l->plan->language, "cpp") == 0))
            return false;
        h->word[0] = signs[i].title;
        h->word[1] = l->plan->language;
        return true;
    }
    return false;
}

/* ---- the text -------------------------------------------------------------------------------- */

static bool
look_run(struct hint *h)
{
    return !h->look->is_code;
}

static bool
look_code(struct hint *h)
{
    return h->look->is_code;
}

/* Code that was not accepted: it failed, or printed something else. */
static bool
look_refused_code(struct hint *h)
{
    return h->look->is_code && (h->look->failed || h->look->judgement->verdict == VERDICT_FAIL);
}

/* ---- the interpreter ---------------------------------------------------------------------------
 */

/* ./a.py without #!, or sh a.py */
static bool
look_as_shell(struct hint *h)
{
    h->word[0] = hint_interpreter(h->group[1]);
    return h->word[0] != NULL && !h->look->is_code;
}

/* python3 run.sh, node a.py: the file's name says another language. */
static bool
look_interpreter(struct hint *h)
{
    static const struct {
        const char *suffix, *programs, *run;
    } rows[] = {
        {".py", "python3 python", "python3 %s"},
        {".js", "node", "node %s"},
        {".sh", "bash sh", "bash %s"},
        {".rb", "ruby", "ruby %s"},
        {".pl", "perl", "perl %s"},
        {".php", "php", "php %s"},
        {".c", "", "gcc %s -o program && ./program"},
        {".cpp", "", "g++ %s -o program && ./program"},
        {".java", "", "java %s"},
        {".go", "", "go run %s"},
        {".rs", "", "rustc --edition 2021 %s -o program && ./program"},
    };
    const struct hint_look *l = h->look;
    const char *file = hint_command_operand(h->command, 0), *dot = file ? strrchr(file, '.') : NULL;

    if (!dot || l->is_code || hint_command_has(h->command, "-m") ||
        hint_command_has(h->command, "-c") || hint_command_has(h->command, "-e") ||
        strstr(l->err, "No such file") || strstr(l->err, "can't open") ||
        strstr(l->err, "MODULE_NOT_FOUND"))
        return false;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *mark = strstr(rows[i].run, "%s");

        if (strcmp(dot, rows[i].suffix) != 0)
            continue;
        h->word[0] = file;
        h->word[1] =
            arena_printf(l->a, "%.*s%s%s", (int)(mark - rows[i].run), rows[i].run, file, mark + 2);
        return !hint_is_one_of(h->command->program, rows[i].programs);
    }
    return false;
}

/* ---- an object in place of its value -----------------------------------------------------------
 */

static const struct {
    const char *pattern, *text;
} objects[] = {
    {"Promise \\{ [^}\n]* \\}",
     "It printed a Promise, not its value. Put await before the call, inside an async function."},
    {"\\[object Object\\]", "It printed an object as a text. Use JSON.stringify(x)."},
    {"\\[Function(?:: \\w+)?\\]|<(?:function|bound method|built-in function) [^>\n]*>",
     "It printed the function itself, not its result. Call it: put ( ) and its arguments behind "
     "the "
     "name."},
    {"<(?:generator|map|filter|zip|enumerate|reversed|range_iterator|list_reverseiterator)"
     "(?: object)?[^\n]{0,60} at 0x\\w+>",
     "It printed a generator, not its values. Make a list of it: list(x)."},
    {"<coroutine object [^>\n]*>",
     "It printed a coroutine, not its value. Run it: asyncio.run(main()), and put await before "
     "calls inside of it."},
    {"<(?:__main__\\.)?[\\w.]+ object at 0x\\w+>",
     "It printed an object, not its value. Print one of its fields, or give the class a __str__."},
    {"(?:^|\\s)\\[[IJDCZLB]?[\\w.;]*@[0-9a-f]{5,8}|(?:^|\\s)\\w+@[0-9a-f]{6,8}$",
     "It printed the name of an object, not its value. For an array: Arrays.toString(a); for a "
     "class "
     "of your own: write a toString()."},
    {"dict_(?:keys|values|items)\\(|^range\\(\\d+, \\d+\\)$",
     "It printed a view, not a list. Make a list of it: list(x)."},
    {"^None$\\s*\\z",
     "The last line is None: print() was given a function that returns nothing. Let the function "
     "return its result, or call it without print."},
    {"^undefined$\\s*\\z",
     "The last line is undefined: console.log() was given a function that returns nothing. Let the "
     "function return its result."},
    {"^NaN$\\s*\\z",
     "The last line is NaN: a text was taken for a number. Read the whole input and split it: "
     "require('fs').readFileSync(0, 'utf8').trim().split(/\\s+/).map(Number)."},
};

static bool
look_object(struct hint *h)
{
    const struct hint_look *l = h->look;
    const char *expected = l->plan->expected ? l->plan->expected : "";

    if (l->judgement->verdict != VERDICT_FAIL)
        return false;
    for (size_t i = 0; i < COUNT_OF(objects); i++)
        if (hint_text_match(l->a, l->out, objects[i].pattern, h->group) &&
            !memmem(expected, l->plan->expected_len, h->group[0], strcspn(h->group[0], "\n"))) {
            h->word[0] = objects[i].text;
            return true;
        }
    return false;
}

static const struct hint_rule rows[] = {
    {"wrong-language", FAMILY_CAUSE, ON_FAIL, .look = look_language,
     .text = "The program is written in {word0}, but the argument language says {word1}. Call "
             "run_code again with language \"{word0}\"."},
    {"call-in-command", FAMILY_CAUSE, ON_FAIL, .from = FROM_COMMAND, .look = look_run,
     .pattern =
         "^\\s*(?:\\{\\s*\"(?:command|cmd|tool|name|arguments|language|code|path|content)\"\\s*"
         ":|(?:run|run_code|write_file)\\s*\\(|<tool_call>|<function)",
     .text = "The command is a whole tool call. Put only the shell text itself into the argument "
             "command, without {, quotes or run( around it."},
    {"line-numbers", FAMILY_CAUSE, ON_FAIL, .from = FROM_CODE, .look = look_code,
     .pattern = "\\A\\s*1\\s*[|:.\\t].*\\n\\s*2\\s*[|:.\\t]",
     .text = "The code has a number in front of each line. Send it again without the numbers."},
    {"line-numbers-file", FAMILY_CAUSE, ON_FAIL,
     .pattern = "File \"([^\"\n]+)\", line (\\d+)\n\\s+\\2\\s*[|:]",
     .text = "{1} has a number in front of each line. Write it again without the numbers."},
    {"placeholder", FAMILY_CAUSE, ON_FAIL | ON_OK, .from = FROM_CODE, .look = look_refused_code,
     .pattern =
         "^\\s*((?:#|//|/\\*|--)\\s*(?:\\.\\.\\.\\s*)?(?:(?:the )?rest of|existing|remaining|"
         "your|same|implement|insert|previous|other)\\b[^\n]{0,60}?(?:code|here|"
         "implementation|logic|as before|above|unchanged|functions)[^\n]{0,20})",
     .text =
         "The code has a placeholder: \"{1}\". run_code runs exactly what it is given: send the "
         "whole program."},
    {"script-as-shell", FAMILY_CAUSE, ON_ANY,
     .pattern = "^([\\w./-]+\\.(?:py|js|mjs|rb|pl|php|lua)): (?:line )?\\d+: ",
     .look = look_as_shell,
     .text = "The shell ran {1} as a shell script. Run it with: {word0} {1}."},
    {"wrong-interpreter", FAMILY_CAUSE, ON_FAIL,
     .programs = "python3 python node ruby perl php bash sh", .look = look_interpreter,
     .text = "{word0} is not a program for {program}, as its name says. Run it with: {word1}."},
    {"printed-object", FAMILY_CAUSE, ON_OK, .look = look_object, .text = "{word0}"},
    {"windows-path", FAMILY_CAUSE, ON_FAIL, .from = FROM_COMMAND,
     .pattern = "(?:^|[\\s'\"=(])([A-Za-z]:\\\\\\w{3,}[\\w\\\\.-]*)",
     .text = "{1} is a path of Windows. Here files are under /work, and / stands between folders."},
};

const struct hint_table hint_table_call = {rows, COUNT_OF(rows)};
