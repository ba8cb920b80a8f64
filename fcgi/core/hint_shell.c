/* The shell's own grammar, and the tools that read a little language of their own. */
#include "config.h"

#include "core/hint_tables.h"
#include <string.h>

/* sh FILE where the file is written for bash. */
static bool
look_sh(struct hint *h)
{
    const char *file = hint_command_operand(h->command, 0);

    h->word[0] = file ? file : "FILE";
    return true;
}

/* The file an archive program was given. */
static bool
look_archive(struct hint *h)
{
    const struct shell_command *c = h->command;
    const char *file = NULL;

    for (size_t i = 1; i < c->count && !file; i++)
        if (c->words[i].text[0] != '-' && strchr(c->words[i].text, '.'))
            file = c->words[i].text;
    h->word[0] = file ? file : "FILE";
    return true;
}

static bool
look_sed_address(struct hint *h)
{
    const struct shell_command *c = h->command;

    for (size_t i = 1; i < c->count; i++) {
        const char *word = c->words[i].text;

        if (word[0] != 's' || word[1] != '/' || !strstr(word, "//"))
            continue;
        h->word[0] = "s#OLD#NEW#";
        return true;
    }
    return false;
}

/* sed -i '' SCRIPT FILE */
static bool
look_sed_mac(struct hint *h)
{
    const struct shell_command *c = h->command;

    for (size_t i = 1; i + 2 < c->count; i++)
        if (strcmp(c->words[i].text, "-i") == 0 && c->words[i + 1].text[0] == '\0') {
            h->word[0] = c->words[i + 2].text;
            h->word[1] = i + 3 < c->count ? c->words[i + 3].text : "FILE";
            return true;
        }
    return false;
}

/* Program text in double quotes on the command line: -c "..." */
static bool
look_inline_quotes(struct hint *h)
{
    const struct shell_command *c = h->command;
    const char *mark = NULL;

    if (h->look->is_code)
        return false;
    for (size_t i = 1; i + 1 < c->count; i++)
        if (hint_is_one_of(c->words[i].text, "-c -e -r --eval"))
            mark = strstr(h->look->command, arena_printf(h->look->a, "%s \"", c->words[i].text));
    return mark && strchr(strchr(mark, '"') + 1, '"') != NULL;
}

static bool
look_typed_code(struct hint *h)
{
    static const char code[] = "^\\s*(?:def |class |import \\w|from \\w+ import|print\\(|for \\w+ "
                               "in .*:$|if .*:$|#include|int main|"
                               "public (?:static|class)|const \\w+ =|let \\w+ =|function "
                               "\\w+\\(|console\\.log|package main|"
                               "using |fn main|<\\?php|SELECT |CREATE TABLE)";
    const struct hint_rule from = {.from = FROM_COMMAND}, *kept = h->rule;
    bool found;

    if (h->look->is_code)
        return false;
    h->rule = &from;
    found = hint_match(h, code);
    h->rule = kept;
    return found;
}

static bool
look_find_exec(struct hint *h)
{
    h->word[0] = h->command->text;
    return true;
}

/* With Windows line ends the shell finds no fi and no done either: crlf-script says that. */
static bool
look_end(struct hint *h)
{
    return !strstr(h->look->err, "\\r'");
}

/* &amp; for &: the command came through HTML. */
static bool
look_entities(struct hint *h)
{
    static const char pattern[] = "&(?:amp|lt|gt|quot|#39);";
    const struct hint_rule from = {.from = FROM_COMMAND}, *kept = h->rule;
    bool found;

    if (h->look->is_code)
        return false;
    h->rule = &from;
    found = hint_match(h, pattern);
    h->rule = kept;
    return found;
}

static bool
look_folder(struct hint *h)
{
    static const char *const rows[][2] = {
        {"grep", "To search in all its files: grep -r TEXT %s"},
        {"rm", "To remove it with all that is in it: rm -r %s"},
        {"cp", "To copy it with all that is in it: cp -r %s TARGET"},
    };
    const char *form = "List it with: ls -la %s";

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strcmp(h->command->program, rows[i][0]) == 0)
            form = rows[i][1];
    h->word[0] = arena_printf(h->look->a, "%.*s%s%s", (int)(strstr(form, "%s") - form), form,
                              h->group[1], strstr(form, "%s") + 2);
    return true;
}

/* The message has to be of a program of the command. */
static bool
look_option(struct hint *h)
{
    for (size_t i = 0; i < h->look->script.count; i++)
        if (strcmp(h->look->script.at[i].program, h->group[1]) == 0)
            return true;
    return false;
}

static bool
say_option(struct hint *h, struct buf *b)
{
    static const struct {
        const char *program, *option, *text;
    } rows[] = {
        {"date", "v",
         "Dates are reckoned with -d: date -d '1 day ago' +%F, date -d '+3 months' +%F"},
        {"date", "j", "A text is read with -d: date -d '2024-01-31 10:00' +%s"},
        {"stat", "f", "The size of a file: stat -c %s FILE; its time: stat -c %y FILE"},
        {"base64", "D", "Decode with: base64 -d"},
        {"ps", "T", "List the processes with: ps -ef"},
        {"xargs", "J", "Put the name in the middle with: xargs -I NAME COMMAND NAME"},
        {"du", "d_", "A depth is given with: du --max-depth=1"},
        {"sort", "h_", "Sizes are sorted with: sort -h"},
        {"cp", "c", "Copy with: cp -a FROM TO"},
        {"ln", "F", "Replace a link with: ln -sfn TARGET NAME"},
        {"mktemp", "t_", "Make a name with: mktemp /tmp/x.XXXXXX"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strcmp(rows[i].program, h->group[1]) == 0 && strcmp(rows[i].option, h->group[2]) == 0) {
            buf_printf(b, "%s on Linux has no option -%s (it is of macOS). %s.", h->group[1],
                       h->group[2], rows[i].text);
            return true;
        }
    buf_printf(b, "%s on this machine has no option %s%s. See those it has: %s --help.",
               h->group[1], h->group[2][0] == '-' ? "" : "-", h->group[2], h->group[1]);
    return true;
}

#define SHELLS "bash sh dash zsh source . eval"

static const struct hint_rule rows[] = {
    {"shell-is-code", FAMILY_CAUSE, ON_FAIL,
     .pattern = "^\\S*sh: (?:-c: )?(?:line )?\\d+: syntax error", .look = look_typed_code,
     .text = "This is program text, but run gives its command to bash. Use run_code with the "
             "language and the program."},
    {"shell-quote-open", FAMILY_CAUSE, ON_FAIL,
     .pattern = "unexpected EOF while looking for matching|Unterminated quoted string|unterminated "
                "quoted string",
     .text = "A quote is not closed. An apostrophe (it's) ends single quotes: put the text in "
             "double quotes, or write the file with the "
             "tool write_file."},
    {"html-command", FAMILY_CAUSE, ON_FAIL, .look = look_entities,
     .text = "The command holds HTML entities: &amp; stands for &, &lt; for <, &gt; for >. Send it "
             "again with the signs themselves."},
    {"heredoc-end", FAMILY_CAUSE, ON_ANY,
     .pattern = "here-document at line \\d+ delimited by end-of-file \\(wanted [`']([^'\n]+)'",
     .text =
         "The here-document was never closed, so all that follows went into it, the line {1} "
         "too. {1} has to stand alone at the very start of its line, without blanks. Or use the "
         "tool write_file."},
    {"shell-end", FAMILY_CAUSE, ON_FAIL,
     .pattern = "syntax error: unexpected end of file|[Ss]yntax error: end of file unexpected",
     .look = look_end,
     .text = "The shell text ends too early: a fi, done, esac, }, ) or a closing quote is missing. "
             "Write it again whole."},
    {"sh-is-dash", FAMILY_CAUSE, ON_ANY, .programs = "sh dash",
     .pattern = "(?:\\[\\[: not found|Bad substitution|[Ss]yntax error: (?:\"\\(\"|redirection|Bad "
                "(?:for loop|fd)) ?\\S* ?(?:unexpected)?|"
                "(?:declare|source|shopt|mapfile|pushd|let|function|select): not found|Illegal "
                "option -o pipefail|local: .*bad variable)",
     .look = look_sh,
     .text =
         "sh is dash here: it does not know [[ ]], arrays, (( )), source and other things of bash, "
         "so those lines did not work. Run it with bash: bash {word0}."},
    {"shell-keyword", FAMILY_CAUSE, ON_FAIL,
     .pattern = "[Ss]yntax error(?: near unexpected token [`']|: "
                "\")(do|done|then|fi|else|elif|esac|\\})['\"]",
     .text = "The shell did not expect {1} there. Before then and do there has to be a ; or a new "
             "line, "
             "and if, for and while need their fi and done: if [ \"$x\" = 3 ]; then echo a; fi."},
    {"shell-parenthesis", FAMILY_CAUSE, ON_FAIL,
     .pattern = "syntax error near unexpected token [`']([(){}|&;<>]+|newline)'",
     .text = "The shell took {1} for its own sign. Put names and texts with blanks, ( ) & ; < > in "
             "single quotes."},
    {"test-unquoted", FAMILY_CAUSE, ON_ANY,
     .pattern = "\\[: (?:=|==|!=|-\\w+|<|>): (?:unary|binary) operator expected|\\[: too many "
                "arguments|\\[: \\w*: unexpected operator",
     .text = "A variable in [ ] is empty or has several words, so the test went wrong. Put it in "
             "double quotes: [ \"$x\" = \"a\" ]."},
    {"test-integer", FAMILY_CAUSE, ON_ANY,
     .pattern = "\\[: ([^:\n]*): integer (?:expression )?expected",
     .text = "-eq, -gt and -lt compare whole numbers only, and this is none: \"{1}\". Compare "
             "texts with =, fractions with awk or bc."},
    {"test-bracket", FAMILY_CAUSE, ON_ANY,
     .pattern = "\\[: missing [`']\\]'|: \\[[\\w\"$-][^:\n]*: (?:command )?not found",
     .text = "There has to be a blank after [ and before ]: [ \"$x\" = \"a\" ]."},
    {"shell-arithmetic", FAMILY_CAUSE, ON_ANY,
     .pattern = "syntax error: invalid arithmetic operator \\(error token is \"\\\\r\"|: "
                "arithmetic syntax error: invalid arithmetic operator \\(error "
                "token is \"\\\\r|error token is \"\\s*\"\\)",
     .text = "The value ends with a carriage return (\\r): the input has Windows line ends. Remove "
             "it: x=${x%$'\\r'}."},
    {"shell-fraction", FAMILY_CAUSE, ON_ANY,
     .pattern = "invalid arithmetic operator \\(error token is \"(\\.\\d+)",
     .text = "bash counts in whole numbers only. For fractions use awk: awk 'BEGIN { print 1.5 * 2 "
             "}'."},
    {"shell-octal", FAMILY_CAUSE, ON_ANY, .pattern = "(\\d+): value too great for base",
     .text = "A number with 0 in front is octal to bash. Write 10# before it: $((10#{1} + 1))."},
    {"inline-quotes", FAMILY_CAUSE, ON_FAIL, .programs = "python3 python node perl ruby php",
     .pattern =
         "SyntaxError|NameError|ReferenceError|unexpected EOF|syntax error|Parse error|Bareword",
     .look = look_inline_quotes,
     .text = "The program stands in double quotes, so the shell took the inner double quotes and $ "
             "away. Put it into a file with write_file "
             "and run that, or use run_code."},
    {"sed-mac", FAMILY_CAUSE, ON_FAIL, .programs = "sed", .look = look_sed_mac,
     .text =
         "sed -i '' is for macOS; sed on Linux takes '' for the script. Leave the '' out: sed -i "
         "'{word0}' {word1}."},
    {"sed-slash", FAMILY_CAUSE, ON_FAIL, .programs = "sed",
     .pattern = "unknown option to [`']s'|unterminated [`']s' command", .look = look_sed_address,
     .text = "The slashes in the text end the sed pattern. Use another delimiter: sed '{word0}'."},
    {"sed-script", FAMILY_CAUSE, ON_FAIL, .programs = "sed",
     .pattern = "^sed: -e expression #\\d+, char \\d+: ([^\n]+)",
     .text = "sed does not understand its script ({1}). The simple form is: sed -i 's/OLD/NEW/g' "
             "FILE. With / in the text: sed -i 's#OLD#NEW#g' "
             "FILE."},
    {"find-exec", FAMILY_CAUSE, ON_FAIL, .programs = "find",
     .pattern = "missing argument to [`']-exec'", .look = look_find_exec,
     .text =
         "-exec has to end with + (or \\;), a blank before it: {word0} + is the whole command."},
    {"find-order", FAMILY_CAUSE, ON_ERROR, .programs = "find",
     .pattern = "paths must precede expression|possible unquoted pattern",
     .text = "The shell replaced the * before find saw it. Put the pattern in quotes: find . -name "
             "'*.txt'."},
    {"tar-format", FAMILY_CAUSE, ON_ERROR, .from = 0,
     .programs = "tar gzip gunzip unzip bzip2 xz zcat", .look = look_archive,
     .pattern =
         "not in gzip format|not a (?:bzip2|zip) file|does not look like a tar "
         "archive|End-of-central-directory signature not "
         "found|(?:xz|File) format not recognized|unexpected end of file|Unexpected EOF in archive",
     .text = "The file is not what its name says, or it was not downloaded whole. See what it is: "
             "file {word0}; head -c 200 {word0}."},
    {"xargs-quote", FAMILY_CAUSE, ON_ERROR, .programs = "xargs",
     .pattern = "unmatched (?:single|double) quote",
     .text = "A name in the list has a quotation mark, which xargs reads as its own sign. End the "
             "names "
             "with zero bytes: find . -type f -print0 | xargs -0 COMMAND. Or with lines: xargs -d "
             "'\\n'."},
    {"kill-gone", FAMILY_CAUSE, ON_ERROR, .programs = "kill",
     .pattern = "kill: \\((\\d+)\\) - No such process",
     .text = "Process {1} does not run any more, so there is nothing to stop."},
    {"kernel-setting", FAMILY_CAUSE, ON_ERROR,
     .pattern = "(/(?:proc/sys|sys)/[\\w/.-]+)'?: (?:Read-only file system|Permission "
                "denied|Operation not "
                "permitted)",
     .text =
         "{1} is a setting of the host's kernel: a container cannot change it. Do it without that "
         "setting."},
    {"ping-denied", FAMILY_CAUSE, ON_ERROR, .programs = "ping traceroute tcpdump nmap arping",
     .pattern = "Operation not permitted|[Pp]ermission denied|missing cap_net_raw|requires root",
     .text =
         "This machine may not send raw packets, so {program} does not work here. Whether a server "
         "answers: curl -sI http://HOST/, or: nc -zv HOST PORT."},
    {"stat-format", FAMILY_CAUSE, ON_ERROR, .programs = "stat",
     .pattern = "cannot read file system information for '%",
     .text = "stat -f is for file systems on Linux. The size of a file: stat -c %s FILE; its time: "
             "stat -c %y "
             "FILE."},
    {"jq-input", FAMILY_CAUSE, ON_ERROR, .programs = "jq",
     .pattern = "^jq: (?:parse )?error[^\n]*(?:Invalid (?:numeric )?literal|Unfinished|Expected)",
     .text = "The input of jq is no JSON. Look at it first: send the same input to head -c 300 in "
             "place of jq."},
    {"grep-option", FAMILY_CAUSE, ON_FAIL, .programs = "grep egrep rg",
     .pattern = "^(?:grep|rg): (?:invalid option|unrecognized option|Unmatched|Invalid "
                "preceding|unknown)",
     .text = "grep took a part of the text for an option or a pattern sign. Search for a plain "
             "text with: grep -F -- 'TEXT' FILE."},
    {"option-unknown", FAMILY_CAUSE, ON_FAIL,
     .pattern = "(?|^([\\w.-]+): (?:invalid|illegal|unknown) option -- '?(\\w)'?|^([\\w.-]+): "
                "(?:unrecognized|unknown) option '?(--?[\\w-]+)'?)",
     .look = look_option, .say = say_option},
    {"is-directory", FAMILY_CAUSE, ON_ERROR,
     .programs = "cat rm cp grep head tail sed sort wc less",
     .pattern = "(?|^rm: cannot remove '([^'\n]+)': Is a directory|omitting directory "
                "'([^'\n]+)'|^\\w+: (?:error reading )?'?([^':\n]+)'?: Is a "
                "directory)",
     .look = look_folder, .text = "{1} is a folder. {word0}."},
    {"not-empty", FAMILY_CAUSE, ON_ERROR, .programs = "rmdir rm mv",
     .pattern = "'([^'\n]+)'?[^\n]*: Directory not empty",
     .text = "The folder {1} is not empty. See what is in it: ls -la {1}. To remove it with all "
             "that: rm -r {1}."},
    {"exists-already", FAMILY_CAUSE, ON_ERROR,
     .programs = "mkdir ln git cargo npm npx python3 django-admin rails",
     .pattern = "(?|cannot create directory '([^'\n]+)': File exists|failed to create symbolic "
                "link '([^'\n]+)': File exists|destination path "
                "'([^'\n]+)' already exists|destination [`']([^`'\n]+)' already exists)",
     .text = "{1} exists already. Look at it: ls -la {1}. Use it as it is, or take another name."},
    {"read-only-name", FAMILY_CAUSE, ON_FAIL,
     .pattern = "^\\S+: (?:line )?\\d+: (\\w+): readonly variable",
     .text = "{1} belongs to the shell and cannot be set. Use another name."},
    {"mount-denied", FAMILY_CAUSE, ON_ERROR,
     .programs = "mount umount swapon losetup modprobe insmod iptables nft sysctl ip ifconfig "
                 "chroot unshare nsenter setcap "
                 "dmesg ufw tc mknod fdisk mkfs hostname renice nice chrt swapoff umount",
     .pattern = "[Pp]ermission denied|Operation not permitted|must be superuser|Read-only file "
                "system|cannot open .* for writing|you must be "
                "root",
     .text = "This machine is a container: even root may not do this here, and it cannot be "
             "changed from inside. Do it without {program}."},
    {"clock-denied", FAMILY_CAUSE, ON_ANY, .programs = "date hwclock timedatectl",
     .pattern = "cannot set date|Operation not permitted",
     .text = "A container cannot set the clock: the time is as it was. For another zone: "
             "TZ=Europe/Paris COMMAND. For a test with another date: faketime, "
             "from apt-get install -y faketime."},
};

const struct hint_table hint_table_shell = {rows, COUNT_OF(rows)};
