/* Compilers and build tools: messages that are true and name no next step. */
#include "config.h"

#include "core/hint_tables.h"
#include <string.h>

/* The go, java, ... files of the command's folder. */
static bool
ask_files(struct hint *h, const char *suffix)
{
    const char *cwd = h->command && h->command->cwd ? h->command->cwd : "/work";

    if (strchr(cwd, ' '))
        return false;
    h->fact[0] = hint_ask(h, FACT_FILES, arena_printf(h->look->a, "%s %s", cwd, suffix));
    return true;
}

static bool
look_go(struct hint *h)
{
    return ask_files(h, ".go");
}

static bool
say_go_mod(struct hint *h, struct buf *b)
{
    const char *const *files = hint_facts(h, h->fact[0], "file");
    const char *file = files[0] ? files[0] : "FILE.go";

    if (hint_known(h, h->fact[0]) && !files[0])
        buf_adds(b, "There is no go.mod and no .go file in this folder. Write the program first, "
                    "or go to its folder in the same command: cd "
                    "FOLDER && go build.");
    else
        buf_printf(b,
                   "There is no go.mod in this folder. Build the file itself: go build -o app %s. "
                   "Or make a module first: go mod init app.",
                   file);
    return true;
}

static bool
look_rust(struct hint *h)
{
    return ask_files(h, ".rs");
}

static bool
say_cargo(struct hint *h, struct buf *b)
{
    const char *const *files = hint_facts(h, h->fact[0], "file");

    if (files[0])
        buf_printf(b,
                   "This folder is no cargo project. Compile the file itself: rustc --edition 2021 "
                   "%s -o app && ./app. Or make a project: "
                   "cargo init.",
                   files[0]);
    else
        buf_adds(b, "This folder is no cargo project. Make one: cargo init --name app. Or go to "
                    "the project in the same command: cd FOLDER && "
                    "cargo run.");
    return true;
}

static bool
look_make(struct hint *h)
{
    return ask_files(h, "akefile");
}

static bool
say_make(struct hint *h, struct buf *b)
{
    if (hint_facts(h, h->fact[0], "file")[0] || !hint_known(h, h->fact[0]))
        return false;
    buf_adds(b, "There is no Makefile in this folder. Write one with write_file, or go to the "
                "project in the same command: cd FOLDER && make.");
    return true;
}

static bool
look_java_class(struct hint *h)
{
    const char *name = h->group[1], *dot = strrchr(name, '.');

    if (dot && (strcmp(dot, ".class") == 0 || strcmp(dot, ".java") == 0)) {
        h->word[0] = arena_strndup(h->look->a, name, (size_t)(dot - name));
        h->word[1] = dot;
        return true;
    }
    h->word[0] = name;
    h->word[1] = "";
    h->fact[0] = hint_ask(h, FACT_FILES,
                          arena_printf(h->look->a, "%s .class",
                                       h->command && h->command->cwd ? h->command->cwd : "/work"));
    return true;
}

static bool
say_java_class(struct hint *h, struct buf *b)
{
    const char *const *files = hint_facts(h, h->fact[0], "file");
    const char *like = hint_similar(arena_printf(b->arena, "%s.class", h->word[0]), files);

    if (h->word[1][0])
        buf_printf(b, "java wants the name of the class, without %s: java -cp . %s.", h->word[1],
                   h->word[0]);
    else if (like)
        buf_printf(b, "There is no class %s here, but %s. Run: java -cp . %.*s.", h->word[0], like,
                   (int)(strlen(like) - 6), like);
    else if (hint_known(h, h->fact[0]) && !files[0])
        buf_printf(b,
                   "There is no compiled class in this folder. Compile first: javac %s.java && "
                   "java -cp . %s.",
                   h->word[0], h->word[0]);
    else
        return false;
    return true;
}

static bool
look_jar(struct hint *h)
{
    h->word[0] = h->group[1];
    return true;
}

static bool
look_public_class(struct hint *h)
{
    h->word[0] = h->group[1];
    return true;
}

/* The source file of a compile command. */
static const char *
source_of(const struct shell_command *c)
{
    for (size_t i = 1; c && i < c->count; i++) {
        const char *dot = strrchr(c->words[i].text, '.');

        if (dot && c->words[i].text[0] != '-' &&
            hint_is_one_of(dot, ".c .cpp .cc .cxx .C .rs .go .java .cs .hs"))
            return c->words[i].text;
    }
    return "FILE";
}

static bool
look_source(struct hint *h)
{
    h->word[0] = source_of(h->command);
    return true;
}

/* The .ts file node was given. */
static bool
look_typescript(struct hint *h)
{
    const char *file = hint_command_operand(h->command, 0);
    size_t n = file ? strlen(file) : 0;

    if (n < 4 || (strcmp(file + n - 3, ".ts") != 0 && strcmp(file + n - 4, ".tsx") != 0))
        return false;
    h->word[0] = file;
    h->word[1] = arena_printf(h->look->a, "%.*s.js", (int)(strrchr(file, '.') - file), file);
    return true;
}

static bool
look_c_as_cpp(struct hint *h)
{
    h->word[0] = arena_printf(h->look->a, "g++ %s",
                              h->command->count > 0
                                  ? h->command->text + strlen(h->command->words[0].text) + 1
                                  : "FILE.cpp");
    return strncmp(h->command->text, h->command->words[0].text,
                   strlen(h->command->words[0].text)) == 0;
}

#define CC "gcc cc clang g++ c++ clang++ make cmake"

static const struct hint_rule rows[] = {
    {"go-no-mod", FAMILY_CAUSE, ON_ERROR, .programs = "go",
     .pattern = "go\\.mod file not found|cannot find main module|does not contain main module|no "
                "required module provides package \\.",
     .look = look_go, .say = say_go_mod},
    {"go-two-mains", FAMILY_CAUSE, ON_FAIL, .programs = "go",
     .pattern = "^\\S*?([\\w.-]+\\.go):\\d+:\\d+: main redeclared in this block",
     .text = "Two programs with a main are in the same folder, and go takes all of them. Run one "
             "file: go run {1}. Or give each program its own folder."},
    {"go-unused", FAMILY_CAUSE, ON_FAIL,
     .pattern = "declared and not used: (\\w+)|(\"[\\w/]+\") imported and not used",
     .text = "Go refuses what is unused. Delete {1}{2}, or use it, then compile again."},
    {"go-not-main", FAMILY_CAUSE, ON_FAIL, .programs = "go",
     .pattern = "is not a main package|function main is undeclared in the main package|package "
                "command-line-arguments is not",
     .text = "A Go program begins with: package main, and has a function: func main() { ... }."},
    {"cargo-no-project", FAMILY_CAUSE, ON_ERROR, .programs = "cargo",
     .pattern = "could not find `?Cargo\\.toml", .look = look_rust, .say = say_cargo},
    {"rust-edition", FAMILY_CAUSE, ON_FAIL, .programs = "rustc",
     .pattern = "use std::convert::Try(?:Into|From)|is a keyword in the 2018 edition|only "
                "(?:available|allowed) in (?:the )?(?:Rust )?edition|pass "
                "`--edition|maybe a missing crate `?core|async fn` is not permitted in Rust 2015",
     .look = look_source,
     .text = "rustc without --edition is Rust of 2015. Use: rustc --edition 2021 {word0}."},
    {"make-no-file", FAMILY_CAUSE, ON_FAIL, .programs = "make",
     .pattern =
         "No targets specified and no makefile found|No rule to make target '[^'\n]*'\\.  ?Stop",
     .look = look_make, .say = say_make},
    {"make-tab", FAMILY_CAUSE, ON_FAIL, .programs = "make",
     .pattern = "^(\\S+):(\\d+): \\*\\*\\* missing separator",
     .text = "A command line of a Makefile has to begin with a tab, not with spaces ({1}, line "
             "{2}). Change them: sed -i 's/^ \\+/\\t/' {1}."},
    {"make-no-rule", FAMILY_CAUSE, ON_FAIL, .programs = "make",
     .pattern = "No rule to make target '([^'\n]+)', needed by '([^'\n]+)'",
     .text = "{2} needs the file {1}, which does not exist and which no rule makes. Write it, or "
             "correct its name in the Makefile."},
    {"cmake-no-lists", FAMILY_CAUSE, ON_FAIL, .programs = "cmake",
     .pattern = "does not appear to contain CMakeLists\\.txt",
     .text = "There is no CMakeLists.txt in the folder that cmake was given. Write it, or name the "
             "project's folder: cmake -S FOLDER -B build && cmake --build build."},
    {"cmake-compiler", FAMILY_CAUSE, ON_FAIL, .programs = "cmake",
     .pattern = "No CMAKE_(?:C|CXX)_COMPILER could be found|Could not find compiler set in|"
                "CMAKE_(?:C|CXX)_COMPILER not set",
     .text = "cmake found no compiler. Install one: apt-get update && apt-get install -y "
             "build-essential. Then run cmake again in an empty build folder."},
    {"no-main", FAMILY_CAUSE, ON_FAIL,
     .pattern = "undefined reference to [`']main'|`?main`? function not found in crate|[`']main' "
                "is not defined in module|no `main` function|does not contain a "
                "static 'main' method|Main method not found|CS5001|undefined symbol: "
                "main$|function main is undeclared",
     .text = "The program has no main, so there is nothing to start. Add a main that reads the "
             "input from stdin, calls the function and prints the result."},
    {"cpp-as-c", FAMILY_CAUSE, ON_FAIL, .programs = "gcc cc clang",
     .pattern =
         "undefined reference to [`']std::|undefined reference to [`']__gxx_personality|undefined "
         "reference to [`']operator (?:new|delete)",
     .look = look_c_as_cpp, .text = "C++ is linked with g++, not with gcc: {word0}."},
    {"implicit-declaration", FAMILY_CAUSE, ON_FAIL,
     .pattern = "error: implicit declaration of function '(\\w+)'",
     .text = "GCC 14 makes an undeclared function an error. Add the #include that declares {1} "
             "(stdio.h: printf, string.h: strlen, stdlib.h: malloc), or write its "
             "prototype above."},
    {"other-undefined", FAMILY_CAUSE, ON_FAIL, .programs = CC,
     .pattern = "undefined reference to [`'](\\w[\\w:]*)",
     .text = "{1} is declared but defined nowhere in what is linked. Name all source files in one "
             "command (gcc a.c b.c -o app), or write the function."},
    {"multiple-definition", FAMILY_CAUSE, ON_FAIL, .programs = CC,
     .pattern = "multiple definition of [`'](\\w[\\w:]*)",
     .text = "{1} is defined in two files, or in a header that two files include. Keep one "
             "definition in a .c file and only its declaration in the header."},
    {"cpp-standard", FAMILY_CAUSE, ON_FAIL, .programs = "g++ c++ clang++ make",
     .pattern = "only available (?:with|from) "
                "'?-?-?(?:std=)?'?(?:-std=)?(?:c\\+\\+|gnu\\+\\+|C\\+\\+)(\\d\\d)|is a "
                "C\\+\\+(\\d\\d) (?:extension|feature)",
     .text = "This needs a newer C++. Add -std=c++20 to the command."},
    {"java-class-name", FAMILY_CAUSE, ON_FAIL, .programs = "java",
     .pattern = "Could not find or load main class (\\S+)", .look = look_java_class,
     .say = say_java_class},
    {"java-manifest", FAMILY_CAUSE, ON_FAIL, .programs = "java",
     .pattern = "no main manifest attribute, in (\\S+)", .look = look_jar,
     .text = "The jar does not say which class is the main class. Name it: java -cp {word0} Main. "
             "Or make the jar again: jar cfe {word0} Main *.class."},
    {"java-public-class", FAMILY_CAUSE, ON_FAIL,
     .pattern = "class (\\w+) is public, should be declared in a file named",
     .look = look_public_class,
     .text = "The file has to be named after its public class: {word0}.java. Rename the file, or "
             "take the word public away."},
    {"java-version", FAMILY_CAUSE, ON_FAIL, .pattern = "UnsupportedClassVersionError",
     .text = "The class was made by a newer Java than the one here. Compile it on this machine: "
             "javac FILE.java. See the version with: java -version."},
    {"java-release", FAMILY_CAUSE, ON_FAIL,
     .pattern =
         "invalid (?:target|source) release: ([^\\s]+)|release version ([^\\s]+) not supported",
     .text = "The Java here does not know release {1}{2}. See which it is: javac -version. Ask for "
             "that release, or leave the option out."},
    {"typescript-node", FAMILY_CAUSE, ON_FAIL, .programs = "node",
     .pattern = "Unknown file extension \"\\.tsx?\"|SyntaxError", .look = look_typescript,
     .text =
         "node cannot run TypeScript: its types are no JavaScript. Translate the file first: npx "
         "--yes -p typescript tsc {word0} && node {word1}."},
    {"kotlin-old", FAMILY_CAUSE, ON_FAIL, .programs = "kotlinc kotlin",
     .pattern = "unresolved reference: (readln|readlnOrNull|buildList|firstNotNullOf)",
     .text = "This Kotlin is 1.3 and has no {1}. Use readLine()!! in place of readln()."},
    {"csharp-old", FAMILY_CAUSE, ON_FAIL, .programs = "mcs csc",
     .pattern = "error "
                "CS(?:1525|1514|8025|1644|1041|0246)[^\n]*(?:record|=>|\\bglobal\\b|top-level|init|"
                "`var'|is not)|Unexpected "
                "symbol `(?:=|new|record|=>)",
     .text = "mcs knows C# up to version 7: no records, no top-level statements, no new(). Write "
             "class P { static void Main() { ... } }."},
    {"php-open", FAMILY_CAUSE, ON_FAIL, .from = FROM_OUT, .programs = "php",
     .pattern = "Parse error: +(?:syntax error, unexpected end of file|Unclosed '[{(\\[]')",
     .text =
         "A bracket or a quote is not closed, or a ; is missing. Count the { and } of the file."},
    {"fenced-code", FAMILY_CAUSE, ON_FAIL, .pattern = "^\\s*(?:\\d+ \\|\\s*)?```",
     .text = "The file still has the lines of the Markdown fence (```). Write it again without the "
             "``` lines."},
    {"html-escaped", FAMILY_CAUSE, ON_FAIL, .pattern = "^.{0,120}(&(?:lt|gt|amp|quot);)",
     .text = "The file holds {1} where the sign itself should stand. Write it again with < > & and "
             "\" as they are."},
    {"code-typographic", FAMILY_CAUSE, ON_FAIL,
     .pattern =
         "SyntaxError: invalid (?:non-printable )?character [^\n]*U\\+(?:20|00A0|FF|30)|error: "
         "stray '\\\\(?:342|302|357)'|extended character \\S+ is not valid|illegal character: "
         "'(?:\\\\u20|\\\\u00a0|[\"'])|invalid character U\\+(?:20|00A0)|unknown start of "
         "token: \\\\u\\{20",
     .text =
         "The program holds typographic signs: curly quotation marks, a long dash or a special "
         "blank. Write it again with straight quotation marks (\" and '), the plain - and plain "
         "blanks."},
    {"code-ends-early", FAMILY_CAUSE, ON_FAIL,
     .pattern =
         "reached end of file while parsing|expected '\\}' at end of input|SyntaxError: '[\\[({]' "
         "was "
         "never closed|SyntaxError: Unexpected end of input|SyntaxError: unterminated "
         "(?:triple-quoted )?(?:f-)?string|expected declaration or statement at end of input|this "
         "file contains an unclosed delimiter|syntax error: unexpected EOF|Missing right curly|"
         "unexpected end-of-input",
     .text = "The program is not whole: a bracket or a quotation mark is opened and never closed. "
             "Write "
             "the whole program again, to its last line."},
    {"java-outside", FAMILY_CAUSE, ON_FAIL,
     .pattern =
         "error: (?:class, interface, enum, or record expected|unnamed classes are a preview "
         "feature)",
     .text = "In Java all code stands inside of a class: public class Main { public static void "
             "main(String[] args) { ... } }. A } too many also ends the class too early."},
    {"name-of-library", FAMILY_CAUSE, ON_FAIL,
     .pattern = "error: (?:conflicting types for|static declaration of) '(\\w+)'",
     .text = "{1} is declared twice, and differently; or the C library has a function of that name "
             "already. Give yours another name, or make the declarations the same."},
    {"no-linker", FAMILY_CAUSE, ON_ERROR,
     .pattern =
         "linker [`'\"]?cc[`'\"]? not found|cgo: C compiler \"gcc\" not found|exec: \"gcc\": "
         "executable file not found|C compiler cannot create executables|no acceptable C compiler",
     .text = "A C compiler is needed for this and is not installed. Install it: apt-get update && "
             "apt-get install -y build-essential. Then run the command again."},
    {"literal-newline", FAMILY_CAUSE, ON_FAIL,
     .pattern = "unexpected character after line continuation character|stray '\\\\' in "
                "program|Invalid or unexpected token\\n",
     .text = "The file holds the two characters \\n where a line break should be. Write it again "
             "with the tool write_file, with real line breaks."},
};

const struct hint_table hint_table_compile = {rows, COUNT_OF(rows)};
