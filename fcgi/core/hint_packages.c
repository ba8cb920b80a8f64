/* Packages of apt, pip, npm and their like: names that do not exist, installations that stopped. */
#include "config.h"

#include "core/hint_tables.h"
#include <string.h>

/* ---- apt ----------------------------------------------------------------------------------------
 */

/* Names people know from elsewhere; NULL: Debian 13 has nothing of the kind. */
static const struct {
    const char *name, *package;
} renamed[] = {
    {"python", "python3"},
    {"python-pip", "python3-pip"},
    {"pip", "python3-pip"},
    {"pip3", "python3-pip"},
    {"python-dev", "python3-dev"},
    {"python3-distutils", "python3-setuptools"},
    {"node", "nodejs"},
    {"java", "default-jdk-headless"},
    {"jdk", "default-jdk-headless"},
    {"openjdk", "default-jdk-headless"},
    {"go", "golang-go"},
    {"rust", "rustc"},
    {"mono", "mono-devel"},
    {"c++", "g++"},
    {"netcat", "netcat-openbsd"},
    {"ping", "iputils-ping"},
    {"ifconfig", "net-tools"},
    {"netstat", "net-tools"},
    {"nslookup", "bind9-dnsutils"},
    {"dig", "bind9-dnsutils"},
    {"dnsutils", "bind9-dnsutils"},
    {"mysql", "mariadb-client"},
    {"mysql-server", "mariadb-server"},
    {"mysql-client", "mariadb-client"},
    {"postgres", "postgresql"},
    {"postgresql-server", "postgresql"},
    {"sqlite", "sqlite3"},
    {"chromium-browser", "chromium"},
    {"google-chrome-stable", "chromium"},
    {"chromium-chromedriver", "chromium-driver"},
    {"yarn", "yarnpkg"},
    {"typescript", "node-typescript"},
    {"gnupg2", "gnupg"},
    {"libncurses5-dev", "libncurses-dev"},
    {"libncursesw5-dev", "libncurses-dev"},
    {"libgl1-mesa-glx", "libgl1"},
    {"libpcre3-dev", "libpcre2-dev"},
    {"p7zip-full", "7zip"},
    {"p7zip", "7zip"},
    {"exa", "eza"},
    {"neofetch", "fastfetch"},
    {"youtube-dl", "yt-dlp"},
    {"tesseract", "tesseract-ocr"},
    {"opencv", "python3-opencv"},
    {"docker", "docker.io"},
    {"docker-ce", "docker.io"},
    {"ttf-mscorefonts-installer", "fonts-liberation"},
    {"httpd", "apache2"},
    {"openssh", "openssh-server"},
    {"vim-gnome", "vim-tiny"},
    {"cron-daemon", "cron"},
    {"awk", "gawk"},
    {"ssl-dev", "libssl-dev"},
    {"openssl-dev", "libssl-dev"},
    {"openssl-devel", "libssl-dev"},
    {"python3-devel", "python3-dev"},
    {"zlib-devel", "zlib1g-dev"},
    {"zlib-dev", "zlib1g-dev"},
    {"libcurl-dev", "libcurl4-openssl-dev"},
    {"libmysqlclient-dev", "default-libmysqlclient-dev"},
    {"bs4", "python3-bs4"},
    {"software-properties-common", NULL},
    {"dotnet-sdk-6.0", NULL},
    {"dotnet-sdk-7.0", NULL},
    {"dotnet-sdk-8.0", NULL},
    {"dotnet-sdk-9.0", NULL},
    {"mongodb", NULL},
    {"mongodb-org", NULL},
    {"kubectl", NULL},
    {"terraform", NULL},
    {"julia", NULL},
    {"zig", NULL},
    {"powershell", NULL},
    {"elasticsearch", NULL},
    {"nodesource", NULL},
};

/* A name without its digits, dots between them, and Debian's t64 at the end. */
static const char *
without_version(struct arena *a, const char *name)
{
    size_t len = strlen(name), n = 0;
    char *out = arena_alloc(a, len + 1);

    if (len > 3 && strcmp(name + len - 3, "t64") == 0)
        len -= 3;
    for (size_t i = 0; i < len; i++)
        if (!(name[i] >= '0' && name[i] <= '9') && name[i] != '.')
            out[n++] = name[i];
    while (n > 0 && out[n - 1] == '-')
        n--;
    out[n] = '\0';
    return out;
}

/* The same name with the next higher version, or with the highest one. */
static const char *
other_version(struct arena *a, const char *name, const char *const *values)
{
    const char *plain = without_version(a, name), *next = NULL, *last = NULL;

    if (!strpbrk(name, "0123456789"))
        return NULL;
    for (; *values; values++) {
        if (strcmp(without_version(a, *values), plain) != 0)
            continue;
        if (!last || strverscmp(*values, last) > 0)
            last = *values;
        if (strverscmp(*values, name) > 0 && (!next || strverscmp(*values, next) < 0))
            next = *values;
    }
    return next ? next : last;
}

static const char *
closest(const char *name, const char *const *values)
{
    const char *best = NULL;
    unsigned least = strlen(name) > 5 ? 3 : 2;

    for (; *values; values++) {
        unsigned unlike = hint_distance(name, *values);

        if (unlike < least) {
            least = unlike;
            best = *values;
        }
    }
    return best;
}

/* "a, b and c"; at most three. */
static const char *
listed(struct arena *a, const char *const *values)
{
    const char *text = values[0];

    for (size_t i = 1; values[i] && i < 3; i++)
        text = arena_printf(a, "%s%s%s", text, values[i + 1] && i < 2 ? ", " : " or ", values[i]);
    return text;
}

static bool
ask_package(struct hint *h)
{
    h->word[0] = h->group[1];
    h->fact[0] = hint_ask(h, FACT_PACKAGE, h->word[0]);
    h->fact[1] = hint_ask(h, FACT_PROVIDER, h->word[0]);
    return true;
}

/* What is so on every Debian 13. */
static bool
say_known_name(const char *name, struct buf *b)
{
    if (strncmp(name, "python3.", 8) == 0 && strncmp(name, "python3.13", 10) != 0) {
        buf_adds(b, "Debian 13 has Python 3.13 only, named python3. Install what you need of it: "
                    "apt-get install -y python3 python3-venv python3-dev.");
        return true;
    }
    for (size_t i = 0; i < COUNT_OF(renamed); i++) {
        if (strcmp(renamed[i].name, name) != 0)
            continue;
        if (renamed[i].package)
            buf_printf(b,
                       "In Debian 13 the package is named %s. Install that: apt-get install -y %s.",
                       renamed[i].package, renamed[i].package);
        else
            buf_printf(b,
                       "Debian 13 has no package %s. Do it with what Debian has: apt-cache search "
                       "WORD.",
                       name);
        return true;
    }
    return false;
}

/* "libssl": the library's package has a number behind the name, its headers' one -dev. */
static bool
say_library(const char *name, const char *const *near, const char *const *also, struct buf *b)
{
    const char *library = NULL, *headers = NULL;
    size_t n = strlen(name);

    for (size_t i = 0; near[i]; i++) {
        const char *rest = near[i] + n;

        if (strncmp(near[i], name, n) != 0)
            continue;
        if (*rest >= '0' && *rest <= '9' && !library && !strchr(rest, '-'))
            library = near[i];
    }
    for (size_t i = 0; also[i]; i++)
        if (strncmp(also[i], name, n) == 0 && strcmp(also[i] + n, "-dev") == 0)
            headers = also[i];
    if (!library || !headers)
        return false;
    buf_printf(b,
               "Debian 13 has no package %s: the library is %s, its headers are %s. To run "
               "programs: apt-get install -y %s. To compile: apt-get install -y %s.",
               name, library, headers, library, headers);
    return true;
}

static bool
say_package(struct hint *h, struct buf *b)
{
    const char *name = h->word[0], *other;
    const char *const *near = hint_facts(h, h->fact[0], "near");
    const char *const *provider = hint_facts(h, h->fact[1], "provider");
    bool known = hint_fact(h, h->fact[0], "known")[0], lists = hint_fact(h, h->fact[0], "lists")[0];

    if (!provider[0] && say_known_name(name, b))
        return true;
    if (!hint_known(h, h->fact[0])) {
        buf_printf(
            b,
            "apt knows no package %s in Debian 13. Update the lists and search: apt-get update "
            "&& apt-cache search %s.",
            name, arena_strndup(b->arena, name, strcspn(name, "0123456789.")));
        return true;
    }
    if (known || (!lists && !near[0])) {
        buf_printf(b,
                   "The package lists of this machine are %s. Update them first: apt-get update && "
                   "apt-get install -y %s.",
                   lists ? "old" : "empty", name);
        return true;
    }
    if (provider[0]) {
        buf_printf(
            b,
            "%s is only a virtual name in Debian 13; the real packages are %s. Install one of "
            "them: apt-get install -y %s.",
            name, listed(b->arena, provider), provider[0]);
        return true;
    }
    other = other_version(b->arena, name, near);
    if (other) {
        buf_printf(b, "Debian 13 has another version: %s. Install that: apt-get install -y %s.",
                   other, other);
        return true;
    }
    if (say_library(name, near, hint_facts(h, h->fact[0], "also"), b))
        return true;
    other = closest(name, near);
    if (!other)
        other = hint_fact(h, h->fact[0], "also");
    if (other[0])
        buf_printf(b, "Debian 13 has no package %s. A package with a similar name: %s.", name,
                   other);
    else
        buf_printf(b, "Debian 13 has no package %s. Search by a word: apt-cache search %s.", name,
                   arena_strndup(b->arena, name, strcspn(name, "0123456789-")));
    return true;
}

static bool
ask_net(struct hint *h)
{
    h->fact[0] = hint_ask(h, FACT_NET, "");
    return true;
}

static bool
say_net(struct hint *h, struct buf *b)
{
    const char *resolves = hint_fact(h, h->fact[0], "resolves");

    if (strcmp(resolves, "no") == 0)
        buf_adds(b,
                 "No host name can be looked up on this machine at the moment, so nothing can be "
                 "downloaded. Go on with what is installed, or run the command again later.");
    else if (resolves[0])
        buf_adds(b, "Host names can be looked up again now. Run the command again.");
    else
        return false;
    return true;
}

/* The network works; the name is wrong. */
static bool
say_host(struct hint *h, struct buf *b)
{
    const char *resolves = hint_fact(h, h->fact[0], "resolves");

    if (strcmp(resolves, "yes") != 0)
        return say_net(h, b);
    buf_printf(
        b,
        "The host name %s cannot be looked up (DNS) on this machine, though other names can. Check "
        "its "
        "spelling; if it is right, this network does not reach it: go on without that download.",
        h->group[1]);
    return true;
}

/* ---- pip, npm, ...
 * ------------------------------------------------------------------------------- */

static const char standard_modules[] =
    "os sys re json math random time datetime string collections itertools functools subprocess "
    "threading socket sqlite3 csv pathlib shutil urllib http typing abc argparse logging unittest "
    "io "
    "copy glob pickle hashlib base64 struct heapq bisect queue asyncio decimal fractions "
    "statistics "
    "enum dataclasses contextlib traceback tempfile zipfile tarfile gzip uuid secrets ssl email "
    "html "
    "xml inspect operator platform signal select ctypes getpass getopt pprint textwrap calendar "
    "array "
    "cmath configparser fileinput fnmatch locale mimetypes multiprocessing numbers selectors "
    "shelve "
    "smtplib socketserver sched symtable timeit types warnings weakref zlib ast dis curses "
    "readline";

static bool
look_pip_name(struct hint *h)
{
    h->word[0] = h->group[1];
    h->fact[0] = hint_ask(h, FACT_NET, "");
    return true;
}

static bool
say_pip_name(struct hint *h, struct buf *b)
{
    const char *name = arena_strndup(b->arena, h->word[0], strcspn(h->word[0], "=<>!~[ ;"));
    const char *resolves = hint_fact(h, h->fact[0], "resolves");

    if (strstr(h->look->err, "require a different python version"))
        buf_printf(b,
                   "No version of %s is made for the Python of this machine (3.13). Use another "
                   "package, or one of its releases whose page names Python 3.13.",
                   name);
    else if (strpbrk(h->word[0], "=<>~"))
        buf_printf(
            b,
            "There is no such version of %s for this Python. Install it without a version: pip "
            "install %s.",
            name, name);
    else if (strcmp(resolves, "yes") == 0)
        buf_printf(
            b,
            "The package index has no package named %s. Check the name: the import name and the "
            "package name may differ.",
            name);
    else if (resolves[0])
        return say_net(h, b);
    else
        return false;
    return true;
}

static bool
look_wheel(struct hint *h)
{
    h->word[0] = h->group[1][0] ? h->group[1] : h->group[2];
    h->fact[0] =
        hint_ask(h, FACT_INDEX, arena_printf(h->look->a, "packages python3-%s", h->word[0]));
    return !strstr(h->look->err, "Python.h") && !strstr(h->look->out, "Python.h");
}

static bool
say_wheel(struct hint *h, struct buf *b)
{
    const char *deb = hint_fact(h, h->fact[0], "package");

    if (!deb[0])
        return false;
    buf_printf(
        b,
        "%s could not be compiled. Debian has it ready to use: apt-get update && apt-get install "
        "-y %s. Then run your program with python3.",
        h->word[0], deb);
    return true;
}

/* The index did not answer: pip's last line, "No matching distribution found", says nothing. */
static bool
look_pip_index(struct hint *h)
{
    static const char last[] = "No matching distribution found for ([\\w.-]+)";
    static const char named[] = "(?:host='|located at |https?://)([\\w.-]+)";
    struct arena *a = h->look->a;

    h->word[0] = hint_match(h, named) ? h->group[1] : "";
    if (!hint_match(h, last))
        return false;
    h->word[1] = h->group[1];
    h->fact[0] = hint_ask(h, FACT_INDEX, arena_printf(a, "packages python3-%s", h->word[1]));
    return true;
}

static bool
say_pip_index(struct hint *h, struct buf *b)
{
    const char *deb = hint_fact(h, h->fact[0], "package");

    buf_printf(b,
               "pip could not reach its package index%s%s, so \"No matching distribution\" says "
               "nothing about %s.",
               h->word[0][0] ? " " : "", h->word[0], h->word[1]);
    if (deb[0])
        buf_printf(b, " Debian has it too: apt-get update && apt-get install -y %s.", deb);
    else
        buf_printf(b, " %s",
                   h->word[0][0] ? "Check the address of the index, or run the command again later."
                                 : "Run the command again later.");
    return true;
}

static bool
say_npm_script(struct hint *h, struct buf *b)
{
    const char *const *scripts = hint_facts(h, h->fact[0], "script");

    if (strcmp(hint_fact(h, h->fact[0], "type"), "none") == 0)
        buf_adds(b, "There is no package.json in this folder. Make one: npm init -y.");
    else if (scripts[0])
        buf_printf(b, "package.json has no script %s. It has: %s. Run one of them: npm run %s.",
                   h->group[1], listed(b->arena, scripts), scripts[0]);
    else if (hint_known(h, h->fact[0]))
        buf_printf(b, "package.json has no scripts. Run the program itself: node FILE.js.");
    else
        return false;
    return true;
}

static bool
ask_scripts(struct hint *h)
{
    const char *cwd = h->command ? h->command->cwd : NULL;

    h->fact[0] =
        hint_ask(h, FACT_SCRIPTS, arena_printf(h->look->a, "%s/package.json", cwd ? cwd : "/work"));
    return true;
}

#define APT "apt apt-get aptitude"
#define PIP "pip pip3 python python3 uv"
#define NPM "npm npx yarn pnpm"

static const struct hint_rule rows[] = {
    {"dpkg-interrupted", FAMILY_CAUSE, ON_ERROR,
     .pattern = "dpkg was interrupted, you must manually run",
     .text =
         "An earlier installation was stopped in the middle. Finish it first: dpkg --configure -a. "
         "Then run the same command again."},
    {"apt-lock", FAMILY_CAUSE, ON_ERROR,
     .pattern =
         "(?:Could not get lock \\S+?\\.? It is held by process|locked by another process with "
         "pid|Waiting for cache lock: Could not get lock \\S+ It is held by process) (\\d+)",
     .text =
         "Another installation is still running (process {1}). Wait for its end: tail --pid={1} -f "
         "/dev/null. Then run the same command again."},
    {"apt-network", FAMILY_CAUSE, ON_ERROR, .programs = APT,
     .pattern =
         "Temporary failure resolving|Could not resolve '|Unable to connect to [^\n]*:|Could not "
         "connect to [^\n]*\\(\\d",
     .look = ask_net, .say = say_net},
    {"apt-missing", FAMILY_CAUSE, ON_ERROR, .programs = APT,
     .pattern = "^(?:E|Error): (?:Unable to locate package |Package '?)([^\\s']+)(?:$|'? has no "
                "installation "
                "candidate)",
     .look = ask_package, .say = say_package},
    {"apt-old-lists", FAMILY_CAUSE, ON_ERROR, .programs = APT,
     .pattern = "^(?:E|Error): Failed to fetch \\S+\\.deb +404 ",
     .text = "The package lists of this machine are old: they name a file that is gone. Update "
             "them, then "
             "install: apt-get update && apt-get install -y NAME."},
    {"apt-source-bad", FAMILY_CAUSE, ON_ERROR, .programs = APT " add-apt-repository",
     .pattern =
         "^(?:E|Error): The repository '([^'\n]+)' (?:does not have a Release file|is not "
         "signed)|^(?:E|Error): "
         "(?:Malformed|Type '[^'\n]*' is not known)[^\n]* in (?:source list|list file|sources "
         "file) (\\S+)",
     .text = "A package source that was added does not fit Debian 13 ({1}{2}). Delete its file in "
             "/etc/apt/sources.list.d, then: apt-get update."},
    {"apt-broken", FAMILY_CAUSE, ON_ERROR, .programs = APT " dpkg",
     .pattern = "Unmet dependencies\\. Try|dependency problems - leaving unconfigured|you have "
                "held broken "
                "packages",
     .text = "Packages that this one needs are missing. Let apt install them: apt-get update && "
             "apt-get "
             "install -y -f."},
    {"apt-verb", FAMILY_CAUSE, ON_ERROR, .programs = APT,
     .pattern = "^(?:E|Error): Invalid operation (\\S+)",
     .text = "{program} has no operation {1}. Install with: apt-get install -y NAME. Search with: "
             "apt-cache search WORD."},
    {"host-unknown", FAMILY_CAUSE, ON_ERROR,
     .programs =
         "curl wget git ssh scp ping nc ncat telnet nslookup host python3 python node npm pip pip3",
     .pattern =
         "(?:Could not resolve host: |unable to resolve host address '|Could not resolve hostname "
         "|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) |^ping: |can't find )([\\w.-]+)(?:$|'|[:\n\\s])(?!.*"
         "unreachable)",
     .look = ask_net, .say = say_host},
    {"pip-managed", FAMILY_CAUSE, ON_ERROR, .programs = PIP,
     .pattern = "^error: externally-managed-"
                "environment",
     .text = "pip refuses to change Debian's own Python. This machine is yours alone, so allow it: "
             "run the "
             "same command with --break-system-packages after pip install."},
    {"pip-standard", FAMILY_CAUSE, ON_ERROR, .programs = PIP,
     .pattern = "No matching distribution found for ([\\w.-]+)", .names = standard_modules,
     .text = "{1} is part of Python: there is nothing to install. Only import it."},
    {"pip-headers", FAMILY_CAUSE, ON_ERROR, .from = FROM_OUT, .programs = PIP,
     .pattern = "fatal error: Python\\.h: No such file",
     .text =
         "The C headers of Python are missing (Python.h). Install them: apt-get update && apt-get "
         "install -y python3-dev gcc. Then run the same command again."},
    {"pip-compiler", FAMILY_CAUSE, ON_ERROR, .from = FROM_OUT, .programs = PIP,
     .pattern = "error: command '[^'\n]*(?:gcc|cc|g\\+\\+)' failed: No such file|unable to execute "
                "'[^'\n]*gcc'|Unknown compiler\\(s\\)",
     .text =
         "The package has to be compiled and there is no compiler. Install one: apt-get update && "
         "apt-get install -y build-essential python3-dev. Then run the same command again."},
    {"pip-wheel", FAMILY_CAUSE, ON_ERROR, .from = FROM_OUT, .programs = PIP,
     .pattern =
         "Failed building wheel for ([\\w.-]+)|Failed to build (?:installable wheels for some "
         "pyproject.toml based projects \\()?'?([\\w.-]+)",
     .look = look_wheel, .say = say_wheel},
    {"pip-config-tool", FAMILY_CAUSE, ON_ERROR, .from = FROM_OUT, .programs = PIP,
     .pattern =
         "(pg_config|mysql_config|curl-config) (?:executable )?(?:is )?(?:not found|is required)|"
         "Please install (?:the )?(libpq)",
     .text =
         "The package has to be compiled and needs a client library. Install it: apt-get update && "
         "apt-get install -y libpq-dev default-libmysqlclient-dev libcurl4-openssl-dev pkg-config "
         "gcc. "
         "Then run the same command again."},
    {"pip-index", FAMILY_CAUSE, ON_ERROR, .from = FROM_OUT, .programs = PIP,
     .pattern =
         "(?:NewConnectionError|Name or service not known|Temporary failure in name "
         "resolution|Max retries exceeded|ConnectTimeoutError|Read timed out|is not a trusted "
         "or secure host|SSLError|ProxyError|Connection refused)",
     .look = look_pip_index, .say = say_pip_index},
    {"pip-name", FAMILY_CAUSE, ON_ERROR, .programs = PIP,
     .pattern = "^ERROR: No matching distribution found for ([^\n]+)$", .look = look_pip_name,
     .say = say_pip_name},
    {"npm-no-json", FAMILY_CAUSE, ON_ERROR, .programs = NPM,
     .pattern = "ENOENT[^\n]*(?:open|read) '[^'\n]*/package\\.json'|Could not read package\\.json",
     .text = "There is no package.json in this folder. Make one: npm init -y. Or go to the "
             "project's folder "
             "in the same command: cd FOLDER && {command}."},
    {"npm-script", FAMILY_CAUSE, ON_ERROR, .programs = NPM,
     .pattern = "Missing script: \"?([\\w:.-]+)", .look = ask_scripts, .say = say_npm_script},
    {"npm-name", FAMILY_CAUSE, ON_ERROR, .programs = NPM,
     .pattern =
         "404 +'?((?:@[\\w.-]+/)?[\\w.-]+)(?:@[^'\\s]*)?'? is not in th(?:e|is) (?:npm )?registry",
     .text = "The npm registry has no package named {1}. Check the name: npm search WORD."},
    {"npx-tsc", FAMILY_CAUSE, ON_FAIL, .from = FROM_OUT, .programs = "npx tsc npm",
     .pattern = "This is not the tsc command you are looking for",
     .text = "The npm package named tsc is another one. The compiler is in the package typescript: "
             "npx --yes "
             "-p typescript tsc FILE.ts."},
    {"npm-bad-json", FAMILY_CAUSE, ON_ERROR, .programs = NPM " node",
     .pattern = "(?:EJSONPARSE|JSON\\.parse (?:Failed|Invalid)|Invalid package\\.json)",
     .text =
         "package.json is no valid JSON: no comments, no comma after the last entry, double quotes "
         "only. Write it again with the tool write_file."},
    {"npm-ci", FAMILY_CAUSE, ON_ERROR, .programs = NPM,
     .pattern = "can only install (?:packages when|with an existing)|clean-install, ic",
     .text = "npm ci needs a package-lock.json that fits. Use this in its place: npm install."},
    {"npm-peer", FAMILY_CAUSE, ON_ERROR, .programs = NPM, .pattern = "(?:code|error) ERESOLVE",
     .text = "Two packages ask for different versions of a third one. Install in spite of that: "
             "npm install "
             "--legacy-peer-deps."},
    {"gem-name", FAMILY_CAUSE, ON_ERROR, .programs = "gem bundle",
     .pattern = "Could not find a valid gem '([^'\n]+)'",
     .text = "There is no gem named {1}. Check the name: gem search WORD."},
    {"bundle-no-gemfile", FAMILY_CAUSE, ON_ERROR, .programs = "bundle bundler",
     .pattern = "Could not locate Gemfile",
     .text = "There is no Gemfile in this folder. Go to the project's folder in the same command: "
             "cd FOLDER "
             "&& {command}."},
};

const struct hint_table hint_table_packages = {rows, COUNT_OF(rows)};
