/* Programs that stop while they run: what the message means and what to change. */
#include "config.h"

#include "core/hint_tables.h"
#include "core/hint_text.h"
#include <string.h>

/* ValueError: invalid literal for int(): '5 1 2 3' */
static bool
look_whole_line(struct hint *h)
{
    return strpbrk(h->group[1], " \t,[") != NULL;
}

static bool
look_bracket_input(struct hint *h)
{
    const char *input = h->look->step->input;

    return input && h->look->step->input_len > 0 && strchr("[{(\"", input[0]) != NULL;
}

static bool
look_carriage(struct hint *h)
{
    const char *input = h->look->step->input;

    return input && memchr(input, '\r', h->look->step->input_len) != NULL;
}

/* word0: the compiler; word1: the source file. */
static void
name_source(struct hint *h)
{
    h->word[0] =
        h->look->plan->language && strcmp(h->look->plan->language, "c") == 0 ? "gcc" : "g++";
    h->word[1] =
        h->look->is_code ? h->look->plan->code_path ? h->look->plan->code_path : "FILE" : "FILE";
    for (size_t i = 0; i < h->look->script.count; i++)
        for (size_t k = 1; k < h->look->script.at[i].count; k++) {
            const char *word = h->look->script.at[i].words[k].text, *dot = strrchr(word, '.');

            if (dot && hint_is_one_of(dot, ".c .cpp .cc")) {
                h->word[0] = strcmp(dot, ".c") == 0 ? "gcc" : "g++";
                h->word[1] = word;
            }
        }
}

static bool
look_crash(struct hint *h)
{
    name_source(h);
    return true;
}

static bool
look_exception(struct hint *h)
{
    static const char *const rows[][2] = {
        {"out_of_range",
         "at(), substr() or stoi() was given an index or a number outside its range"},
        {"invalid_argument", "stoi() or stod() was given a text that is no number"},
        {"bad_alloc", "more memory was asked for than there is"},
        {"length_error", "a size is negative or far too large"},
        {"bad_cast", "a value is of another class than it was cast to"},
        {"bad_optional_access", "an empty optional was read"},
        {"regex_error", "the regular expression is wrong"},
        {"filesystem", "a file or folder is not there"},
    };

    h->word[0] = "catch it with try and catch, or see what() for its reason";
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strstr(h->group[1], rows[i][0]))
            h->word[0] = rows[i][1];
    return true;
}

static bool
look_own_program(struct hint *h)
{
    return h->look->is_code ||
           hint_command_find(&h->look->script, "node python3 python ruby java php") != NULL;
}

/* npm test, go test ./..., cargo test, npx jest */
static bool
look_test_run(struct hint *h)
{
    const struct shell_command *c = h->command;

    h->word[0] =
        hint_is_one_of(c->program, "go")
            ? "A Go test is func TestX(t *testing.T) in a file NAME_test.go"
        : hint_is_one_of(c->program, "cargo") ? "A Rust test is a function with #[test] above"
        : hint_is_one_of(c->program, "mvn")
            ? "A Java test is a method with @Test in src/test/java/NAMETest.java"
            : "A test file is named NAME.test.js, and package.json has a script \"test\" that "
              "runs it: \"node --test\"";

    for (size_t i = 0; i < c->count; i++)
        if (hint_is_one_of(c->words[i].text, "test t tst run-tests jest vitest mocha"))
            return true;
    return false;
}

/* Names that moved or were removed, and what to write. */
static const struct {
    const char *where, *names, *text;
} moved[] = {
    {"'collections'",
     "Mapping MutableMapping Sequence MutableSequence Iterable Iterator Callable Set MutableSet "
     "Hashable "
     "Sized Container Generator",
     "It is in collections.abc now: from collections.abc import Mapping, Iterable, Callable."},
    {"'fractions'", "gcd", "gcd is in math now: from math import gcd."},
    {"'math'", "prod_ mean", "mean is in statistics: from statistics import mean."},
    {"'time'", "clock", "time.clock was removed. Use time.perf_counter()."},
    {"'inspect'", "getargspec", "inspect.getargspec was removed. Use inspect.getfullargspec."},
    {"'asyncio'", "coroutine async get_event_loop_",
     "asyncio.coroutine was removed. Write: async def NAME(): and await."},
    {"'numpy'", "float int bool object str complex long unicode",
     "NumPy has no such name any more. Use Python's own float, int, bool, or np.float64, "
     "np.int64."},
    {"'datetime'", "now today utcnow strptime fromtimestamp",
     "datetime is also the name of the module. Write: from datetime import datetime, then "
     "datetime.now()."},
    {"'string'", "letters lowercase uppercase maketrans join split replace",
     "That name is Python 2. Use string.ascii_letters, or the methods of str: ','.join(list)."},
    {"'os'", "getcwdu errno",
     "That name is Python 2. Use os.getcwd(); errno is a module of its own."},
    {"'jinja2'", "Markup escape",
     "It is in markupsafe now: from markupsafe import Markup, escape."},
    {"'flask'", "Markup escape", "It is in markupsafe now: from markupsafe import Markup, escape."},
    {"'distutils'", "util version", "distutils was removed. Use setuptools or packaging."},
    {"'base64'", "encodestring decodestring", "Use base64.encodebytes and base64.decodebytes."},
    {"'random'", "randomint rand",
     "Write random.randint(1, 6), random.random() or random.choice(list)."},
};

static bool
look_moved(struct hint *h)
{
    for (size_t i = 0; i < COUNT_OF(moved); i++)
        if (strstr(h->group[0], moved[i].where) && hint_is_one_of(h->group[1], moved[i].names)) {
            h->word[0] = moved[i].text;
            return true;
        }
    return false;
}

static bool
look_fetch(struct hint *h)
{
    return !strstr(h->look->err, "ECONNREFUSED") && !strstr(h->look->err, "ENOTFOUND");
}

static bool
look_latin(struct hint *h)
{
    return strstr(h->look->err, "UnicodeDecodeError") != NULL;
}

static const struct hint_rule rows[] = {
    {"python-argv", FAMILY_CAUSE, ON_FAIL,
     .pattern = "sys\\.argv\\[\\d\\][\\s\\S]{0,120}IndexError: list index out of range",
     .text = "The program takes its input from the command line (sys.argv), but it comes on stdin. "
             "Read it with input(), or with "
             "sys.stdin.read()."},
    {"input-carriage", FAMILY_CAUSE, ON_FAIL, .look = look_carriage,
     .text = "The lines of the input end with \\r\\n (Windows). Strip each line: in Python "
             "line.strip(), in bash x=${x%$'\\r'}."},
    {"input-one-line", FAMILY_CAUSE, ON_FAIL,
     .pattern = "ValueError: invalid literal for int\\(\\) with base 10: '([^'\n]*)'|could not "
                "convert string to float: '([^'\n]*)'",
     .look = look_whole_line,
     .text = "The whole line \"{1}{2}\" was read as one number. The input has several values in "
             "one line: read all of them with sys.stdin.read().split()."},
    {"input-no-number", FAMILY_CAUSE, ON_FAIL,
     .pattern = "ValueError: invalid literal for int\\(\\) with base 10: '([^'\n]*)'",
     .text = "int() was given \"{1}\", which is no whole number. Look at the line of the input it "
             "comes from, and read the input in its real order."},
    {"input-unpack", FAMILY_CAUSE, ON_FAIL,
     .pattern = "ValueError: (?:not enough|too many) values to unpack \\(expected (\\d+)",
     .text = "A line of the input does not have {1} values. Read all values first: data = "
             "sys.stdin.read().split()."},
    {"input-brackets", FAMILY_CAUSE, ON_FAIL,
     .pattern = "ValueError|NumberFormatException|InputMismatchException|ParseIntError|"
                "NoSuchElement|no parse|JSON|NaN",
     .look = look_bracket_input,
     .text = "The input is written with brackets or quotes, as in a program. Read the whole text "
             "and parse it: in Python json.loads(sys.stdin.read()) or "
             "ast.literal_eval."},
    {"haskell-no-parse", FAMILY_CAUSE, ON_FAIL, .pattern = "Prelude\\.read(?:IO)?: no parse",
     .text = "read got a line that is more than one value. Read everything and split it: "
             "getContents, then words, then map read."},
    {"java-mismatch", FAMILY_CAUSE, ON_FAIL,
     .pattern = "java\\.util\\.InputMismatchException|java\\.lang\\.NumberFormatException: For "
                "input string",
     .text = "The program wanted a number, and the input has something else there: a comma, a "
             "bracket, a word, or a fraction. Read the input in the form it really has."},
    {"js-prompt", FAMILY_CAUSE, ON_FAIL,
     .pattern = "ReferenceError: (prompt|alert|confirm) is not defined",
     .text =
         "{1}() exists in browsers only. Read stdin: require(\"fs\").readFileSync(0, \"utf8\")."},
    {"js-browser", FAMILY_CAUSE, ON_FAIL,
     .pattern = "ReferenceError: "
                "(document|window|localStorage|sessionStorage|navigator|XMLHttpRequest|HTMLElement|"
                "FileReader) is not defined",
     .text = "{1} exists in a browser only; this is node. Test the logic without it here; a page "
             "needs an .html file and a browser."},
    {"js-import", FAMILY_CAUSE, ON_FAIL,
     .pattern = "Cannot use import statement outside a module|Unexpected token 'export'|await is "
                "only valid in async functions and the top level",
     .look = look_own_program,
     .text = "node takes the file as CommonJS, where import is not known. Name it .mjs, or use "
             "require: const fs = require('fs')."},
    {"js-require", FAMILY_CAUSE, ON_FAIL,
     .pattern = "ReferenceError: (require|module|exports|__dirname) is not defined in ES module "
                "scope|require is not defined",
     .text = "node takes the file as an ES module, where require is not known. Use import: import "
             "fs from 'fs'; or name the file .cjs."},
    {"python-two", FAMILY_CAUSE, ON_FAIL,
     .pattern = "Missing parentheses in call to 'print'|NameError: name "
                "'(raw_input|xrange|unicode|unichr|basestring|long)' is not defined|multiple "
                "exception types must be parenthesized|'dict' object has no attribute "
                "'(iteritems|has_key)'",
     .text =
         "The program is written for Python 2; this is Python 3. Write print(x), input(), range(), "
         "str, d.items(), except A as e."},
    {"python-encoding", FAMILY_CAUSE, ON_FAIL,
     .pattern = "UnicodeDecodeError: 'utf-8' codec can't decode byte (0x\\w+)", .look = look_latin,
     .text = "The file is not UTF-8. Say its encoding: open(name, encoding=\"latin-1\")."},
    {"python-recursion", FAMILY_CAUSE, ON_FAIL,
     .pattern = "RecursionError: maximum recursion depth exceeded",
     .text = "The function calls itself too deep, or for ever. Check when it ends; for deep but "
             "right recursion write it as a loop."},
    {"stack-overflow", FAMILY_CAUSE, ON_FAIL,
     .pattern = "java\\.lang\\.StackOverflowError|Maximum call stack size exceeded|stack level too "
                "deep|has overflowed its stack|goroutine stack exceeds|"
                "Stack overflow",
     .text = "The function calls itself too deep, or for ever. Check when it ends; for deep but "
             "right recursion write it as a loop."},
    {"python-indent", FAMILY_CAUSE, ON_FAIL, .pattern = "^(?:IndentationError|TabError): ([^\n]+)",
     .text = "The indentation is not right ({1}). Use four spaces for each level and no tabs, and "
             "write the whole file again."},
    {"python-no-table", FAMILY_CAUSE, ON_FAIL, .pattern = "OperationalError: no such table: (\\w+)",
     .text = "The database file has no table {1}. Make it first: CREATE TABLE {1} (...). The file "
             "is a path relative to the folder the program runs in."},
    {"mpl-display", FAMILY_CAUSE, ON_ANY,
     .pattern = "FigureCanvasAgg is non-interactive, and thus cannot be shown",
     .text = "This machine has no screen, so plt.show() shows nothing. Write a file: "
             "plt.savefig('plot.png')."},
    {"segfault", FAMILY_CAUSE, ON_FAIL, .exits = {139}, .look = look_crash,
     .text =
         "It crashed (segmentation fault): an index outside an array, a null pointer, or more "
         "than 8 MB on the stack (a large local array, recursion that is too deep). Make large "
         "arrays static or use malloc or vector. To see the line: {word0} -g -fsanitize=address "
         "{word1} -o check && ./check."},
    {"python-text-number", FAMILY_CAUSE, ON_FAIL,
     .pattern =
         "TypeError: (?:can only concatenate str \\(not \"\\w+\"\\) to str|unsupported operand "
         "type\\(s\\) for \\S+: '(?:int|float|str)' and '(?:str|int|float)'|'[<>]=?' not supported "
         "between instances of '(?:int|float|str)' and '(?:str|int|float)')",
     .text =
         "One of the two values is a text (str), as input(), sys.argv and files give it. To count "
         "with it: int(x) or float(x). To join texts: str(x)."},
    {"json-empty", FAMILY_CAUSE, ON_FAIL,
     .pattern =
         "JSONDecodeError: Expecting value: line 1 column 1 \\(char 0\\)|Unexpected end of JSON "
         "input|SyntaxError: Unexpected token '?<'?[^\n]*JSON",
     .text =
         "What was parsed is empty or is no JSON (an error page, for example). Print its beginning "
         "before it is parsed: print(repr(text[:200])) or console.log(text.slice(0, 200))."},
    {"json-lines", FAMILY_CAUSE, ON_FAIL,
     .pattern = "JSONDecodeError: Extra data: line (\\d+) column",
     .text =
         "The text holds more than one JSON value: a second one begins in line {1}. One value a "
         "line is read with: [json.loads(line) for line in f]."},
    {"json-quotes", FAMILY_CAUSE, ON_FAIL,
     .pattern =
         "JSONDecodeError: (?:Expecting property name enclosed in double quotes|Illegal trailing "
         "comma)[^\n]*line (\\d+)",
     .text =
         "Line {1} is no JSON: names and texts need double quotes, and there is no comma after the "
         "last entry. A Python dict printed with print() is read with ast.literal_eval."},
    {"python-moved", FAMILY_CAUSE, ON_FAIL,
     .pattern =
         "(?|cannot import name '(\\w+)' from '\\w+'|module '\\w+' has no attribute '(\\w+)')",
     .look = look_moved, .text = "{word0}"},
    {"js-es-module", FAMILY_CAUSE, ON_FAIL, .pattern = "ERR_REQUIRE_ESM|require\\(\\) of ES Module",
     .text =
         "That package can only be imported, not required. Name the file .mjs and write: import x "
         "from 'NAME'. Or take an older major version: npm install NAME@2."},
    {"js-openssl", FAMILY_CAUSE, ON_FAIL,
     .pattern = "ERR_OSSL_EVP_UNSUPPORTED|digital envelope routines::unsupported",
     .text = "The build tool is older than this node's OpenSSL. Run it with: "
             "NODE_OPTIONS=--openssl-legacy-provider in front of the command."},
    {"js-fetch", FAMILY_CAUSE, ON_FAIL, .look = look_fetch,
     .pattern = "TypeError: fetch failed|^(?:Error: |error: )?fetch failed$",
     .text =
         "\"fetch failed\" says nothing of the reason: print error.cause. A server of your own has "
         "to be started first, in the background with a log."},
    {"locale-missing", FAMILY_CAUSE, ON_FAIL,
     .pattern = "locale\\.Error: unsupported locale setting",
     .text =
         "This machine has the locales C.UTF-8 and en_US.UTF-8. Use one of them, or make another: "
         "sed -i 's/^# *de_DE.UTF-8/de_DE.UTF-8/' /etc/locale.gen && locale-gen."},
    {"zone-missing", FAMILY_CAUSE, ON_FAIL,
     .pattern = "ZoneInfoNotFoundError: '?No time zone found with key ([^\\s'\"]+)",
     .text = "Python finds no time zone {1}. Check the name (Europe/Paris has this form), or "
             "install the "
             "list: pip install tzdata."},
    {"divided-by-zero", FAMILY_CAUSE, ON_FAIL, .exits = {136},
     .text = "It divided a whole number by zero. Check the divisor before each / and %."},
    {"illegal-instruction", FAMILY_CAUSE, ON_FAIL, .exits = {132}, .look = look_crash,
     .text = "It ran into something that C and C++ leave undefined: a division by zero, a function "
             "without its return, an index outside its array. To see the line: {word0} -g "
             "-fsanitize=undefined,address {word1} -o check && ./check."},
    {"cpp-exception", FAMILY_CAUSE, ON_FAIL, .exits = {134},
     .pattern = "terminate called after throwing an instance of '([^'\n]+)'",
     .look = look_exception, .text = "The program ended itself with {1}: {word0}."},
    {"aborted", FAMILY_CAUSE, ON_FAIL, .exits = {134},
     .pattern =
         "Assertion [`']([^\n]+?)' failed|(free\\(\\): [^\n]+|double free[^\n]*|malloc\\(\\): "
         "[^\n]+|munmap_chunk[^\n]*|corrupted [^\n]*|stack smashing[^\n]*)",
     .look = look_crash,
     .text = "The program ended itself: {1}{2}. An index outside its array, or memory used after "
             "it was "
             "freed, is the usual cause. To see the line: {word0} -g -fsanitize=address {word1} -o "
             "check "
             "&& ./check."},
    {"no-tests", FAMILY_CAUSE, ON_FAIL | ON_OK, .programs = "python3 python pytest nose2",
     .from = FROM_OUT, .exits = {5},
     .pattern = "NO TESTS RAN|Ran 0 tests|no tests ran|collected 0 items",
     .text = "No test was found, so nothing was tested. Name the file test_NAME.py, with methods "
             "test_... in a class of unittest.TestCase (unittest) or functions "
             "test_... (pytest)."},
    {"no-tests-other", FAMILY_CAUSE, ON_ANY, .programs = "go npm npx jest cargo mvn",
     .from = FROM_OUT, .look = look_test_run,
     .pattern =
         "no test files\\]|No tests found|Error: no test specified|no tests to run|running 0 tests",
     .text = "No test was found, so nothing was tested. {word0}."},
};

const struct hint_table hint_table_runtime = {rows, COUNT_OF(rows)};
