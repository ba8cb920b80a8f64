/* Headers and libraries that a program asks for and that are not there, and modules whose package
 * is named after them. */
#include "config.h"

#include "core/hint_tables.h"
#include "core/hint_text.h"
#include <string.h>

/* ---- C and C++
 * ------------------------------------------------------------------------------------- */

static bool
ask_header(struct hint *h)
{
    struct hint_look *l = h->look;

    h->word[0] = h->group[1];
    h->fact[0] = hint_ask(h, FACT_INDEX, arena_printf(l->a, "headers %s", h->group[1]));
    h->fact[1] = hint_ask(h, FACT_PATH, hint_path(l->a, "/work", h->group[1]));
    return true;
}

/* #include "NAME", not <NAME>: the compiler shows the line. */
static bool
is_included_as_own(const struct hint *h)
{
    const char *line = strstr(h->look->err, arena_printf(h->look->a, "\"%s\"", h->word[0]));

    return line || strstr(h->look->out, arena_printf(h->look->a, "\"%s\"", h->word[0]));
}

static bool
say_header(struct hint *h, struct buf *b)
{
    static const char standard_cpp[] =
        "iostream vector string map set algorithm queue stack deque list bitset sstream fstream "
        "memory "
        "functional utility numeric cmath cstdio cstdlib cstring unordered_map unordered_set "
        "iomanip "
        "climits bits/stdc++.h thread mutex chrono tuple array optional variant string_view ranges";
    static const char windows[] =
        "windows.h conio.h winsock2.h dos.h graphics.h tchar.h process.h direct.h "
        "io.h malloc/malloc.h mach/mach.h";
    const char *name = h->word[0], *at = hint_fact(h, h->fact[1], "at"), *slash = strrchr(at, '/');
    const char *package = hint_pick_package(name, hint_facts(h, h->fact[0], "package"));

    if (hint_is_one_of(name, standard_cpp)) {
        buf_printf(b,
                   "<%s> is a header of C++, but the file was compiled as C. Name the file .cpp "
                   "and compile "
                   "it with g++.",
                   name);
    } else if (hint_is_one_of(name, windows)) {
        buf_printf(b, "The header %s does not exist on Linux. Write the program without it.", name);
    } else if (slash) {
        buf_printf(b, "%s is in the folder %.*s. Add that folder: -I%.*s.", name, (int)(slash - at),
                   at, (int)(slash - at), at);
    } else if (package) {
        buf_printf(
            b,
            "The header %s is in a package that is not installed. Install it: apt-get update && "
            "apt-get install -y %s. Then compile again.",
            name, package);
    } else if (is_included_as_own(h)) {
        buf_printf(
            b,
            "Your header %s does not exist yet. Write it first with the tool write_file, then "
            "compile again.",
            name);
    } else {
        buf_printf(b,
                   "The header %s is not on this machine. Search for its package, whose name ends "
                   "with -dev: apt-get update && apt-cache search %s.",
                   name, arena_strndup(b->arena, name, strcspn(name, "./")));
    }
    return true;
}

static bool
ask_library(struct hint *h)
{
    h->word[0] = h->group[1];
    h->fact[0] = hint_ask(h, FACT_INDEX, arena_printf(h->look->a, "libraries %s", h->group[1]));
    return true;
}

static bool
say_library(struct hint *h, struct buf *b)
{
    const char *name = h->word[0];
    const char *package = hint_pick_package(arena_printf(b->arena, "lib%s-dev", name),
                                            hint_facts(h, h->fact[0], "package"));

    if (!hint_known(h, h->fact[0]))
        return false;
    if (package)
        buf_printf(
            b,
            "The library %s is in a package that is not installed. Install it: apt-get update && "
            "apt-get install -y %s. Then compile again.",
            name, package);
    else
        buf_printf(b, "No Debian package has a library %s to link with. Check the name after -l.",
                   name);
    return true;
}

/* A library by its pkg-config or cmake name: gtk+-3.0, OpenSSL. */
static bool
look_pkg(struct hint *h)
{
    struct arena *a = h->look->a;
    const char *name = arena_strndup(a, h->group[1], strlen(h->group[1]));
    char *plain = arena_strndup(a, name, strcspn(name, "+"));

    for (char *c = plain; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + ('a' - 'A')) : *c;
    if (strncmp(plain, "lib", 3) == 0)
        plain += 3;
    plain[strcspn(plain, "0123456789")] = '\0';
    if (plain[0] && plain[strlen(plain) - 1] == '-')
        plain[strlen(plain) - 1] = '\0';
    h->word[0] = h->group[1];
    h->word[1] = strcmp(plain, "openssl") == 0 ? "ssl" : plain;
    h->fact[0] = hint_ask(h, FACT_INDEX, arena_printf(a, "packages lib%s-dev", h->word[1]));
    return plain[0] != '\0';
}

static bool
say_pkg(struct hint *h, struct buf *b)
{
    const char *package = hint_fact(h, h->fact[0], "package");

    if (package[0])
        buf_printf(b,
                   "The development files of %s are not installed. Install them: apt-get update && "
                   "apt-get install -y %s pkg-config. Then run the command again.",
                   h->word[0], package);
    else
        buf_printf(
            b,
            "The development files of %s are not installed. Search for their package, whose name "
            "ends with -dev: apt-get update && apt-cache search %s | grep dev.",
            h->word[0], h->word[1]);
    return true;
}

/* Which library has a function the linker misses. */
static const struct {
    const char *pattern, *options;
} linked[] = {
    {"^(sqrt|pow|sin|cos|tan|exp|log|log10|log2|floor|ceil|fmod|atan2?|fabs|round|cbrt|hypot)[fl]?"
     "$",
     "-lm"},
    {"^curl_", "-lcurl"},
    {"^sqlite3_", "-lsqlite3"},
    {"^(SSL|TLS)_", "-lssl -lcrypto"},
    {"^(EVP|SHA|MD5|RSA|BIO|AES|RAND)_|^(SHA|MD5)\\d*_?", "-lcrypto"},
    {"^(deflate|inflate|compress|uncompress|crc32|gz(open|read|write|close))", "-lz"},
    {"^(initscr|endwin|printw|wprintw|mvprintw|refresh|getch|stdscr|wgetch|noecho|cbreak|keypad)$",
     "-lncurses"},
    {"^(readline|add_history)$", "-lreadline"},
    {"^SDL_", "-lSDL2"},
    {"^png_", "-lpng"},
    {"^jpeg_", "-ljpeg"},
    {"^(omp_|GOMP_)", "-fopenmp"},
    {"^__?gmp", "-lgmp"},
    {"^xml", "-lxml2"},
    {"^PQ", "-lpq"},
    {"^mysql_", "-lmariadb"},
    {"^pthread_", "-pthread"},
    {"^(dlopen|dlsym|dlclose)$", "-ldl"},
    {"^json_object_", "-ljson-c"},
    {"^cJSON_", "-lcjson"},
    {"^pcre2_", "-lpcre2-8"},
    {"^(boost::|_ZN5boost)", "-lboost_system"},
};

static bool
look_undefined(struct hint *h)
{
    const char *group[HINT_GROUPS];

    for (size_t i = 0; i < COUNT_OF(linked); i++)
        if (hint_text_match(h->look->a, h->group[1], linked[i].pattern, group)) {
            h->word[0] = h->group[1];
            h->word[1] = linked[i].options;
            return true;
        }
    return false;
}

/* ---- a package whose name follows from the module's
 * -------------------------------------------------- */

static bool
ask_named(struct hint *h, const char *package)
{
    h->word[0] = h->group[1];
    h->word[1] = package;
    h->fact[0] = hint_ask(h, FACT_INDEX, arena_printf(h->look->a, "packages %s", package));
    return true;
}

static const char *
small_with(struct arena *a, const char *name, char from, char to)
{
    char *out = arena_strndup(a, name, strlen(name));

    for (char *c = out; *c; c++)
        *c = *c == from ? to : *c >= 'A' && *c <= 'Z' ? (char)(*c + ('a' - 'A')) : *c;
    return out;
}

/* Foo/Bar.pm -> libfoo-bar-perl */
static bool
ask_perl(struct hint *h)
{
    struct arena *a = h->look->a;
    const char *name = arena_strndup(a, h->group[1], strcspn(h->group[1], "."));

    h->group[1] = "";
    for (const char *part = name; *part; part += strcspn(part, "/") + (strchr(part, '/') != NULL))
        h->group[1] = arena_printf(a, "%s%s%.*s", h->group[1], h->group[1][0] ? "::" : "",
                                   (int)strcspn(part, "/"), part);
    return ask_named(h, arena_printf(a, "lib%s-perl", small_with(a, name, '/', '-')));
}

static const char *
top_of(struct arena *a, const char *module)
{
    return arena_strndup(a, module, strcspn(module, "./"));
}

static bool
ask_ruby(struct hint *h)
{
    struct arena *a = h->look->a;

    h->group[1] = top_of(a, h->group[1]);
    return ask_named(h, arena_printf(a, "ruby-%s", small_with(a, h->group[1], '_', '-')));
}

static bool
ask_r(struct hint *h)
{
    return ask_named(
        h, arena_printf(h->look->a, "r-cran-%s", small_with(h->look->a, h->group[1], '_', '-')));
}

static bool
ask_lua(struct hint *h)
{
    return ask_named(
        h, arena_printf(h->look->a, "lua-%s",
                        small_with(h->look->a, top_of(h->look->a, h->group[1]), '_', '-')));
}

/* Data.List.Split -> split, ... */
static bool
ask_haskell(struct hint *h)
{
    static const char *const rows[][2] = {
        {"Data.List.Split", "split"},
        {"System.Random", "random"},
        {"Data.Vector", "vector"},
        {"Test.QuickCheck", "quickcheck2"},
        {"Data.Aeson", "aeson"},
        {"Control.Monad.State", "mtl"},
        {"Data.Text", "text"},
        {"Network.HTTP", "http"},
        {"Data.HashMap.Strict", "unordered-containers"},
        {"Data.Hashable", "hashable"},
        {"Test.Hspec", "hspec"},
        {"Text.Regex.Posix", "regex-posix"},
        {"Control.Lens", "lens"},
        {"Data.Scientific", "scientific"},
    };
    const char *package = NULL;

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strncmp(h->group[1], rows[i][0], strlen(rows[i][0])) == 0)
            package = rows[i][1];
    if (!package) {
        const char *dot = strrchr(h->group[1], '.');

        package = small_with(h->look->a, dot ? dot + 1 : h->group[1], '_', '-');
    }
    return ask_named(h, arena_printf(h->look->a, "libghc-%s-dev", package));
}

/* mb_strtoupper -> php-mbstring */
static bool
ask_php(struct hint *h)
{
    static const char *const rows[][2] = {
        {"mb_", "mbstring"},
        {"curl_", "curl"},
        {"simplexml_", "xml"},
        {"xml_", "xml"},
        {"DOMDocument", "xml"},
        {"SimpleXMLElement", "xml"},
        {"image", "gd"},
        {"gd_", "gd"},
        {"mysqli", "mysql"},
        {"sqlite", "sqlite3"},
        {"SQLite3", "sqlite3"},
        {"pg_", "pgsql"},
        {"ZipArchive", "zip"},
        {"bc", "bcmath"},
        {"gmp_", "gmp"},
        {"intl", "intl"},
        {"NumberFormatter", "intl"},
        {"Redis", "redis"},
        {"Memcached", "memcached"},
        {"ldap_", "ldap"},
        {"SoapClient", "soap"},
        {"XMLWriter", "xml"},
        {"XMLReader", "xml"},
        {"utf8_", "xml"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strncmp(h->group[1], rows[i][0], strlen(rows[i][0])) == 0)
            return ask_named(h, arena_printf(h->look->a, "php-%s", rows[i][1]));
    return false;
}

static bool
say_named(struct hint *h, struct buf *b)
{
    const char *package = hint_fact(h, h->fact[0], "package");

    if (!package[0])
        return false;
    buf_printf(
        b,
        "%s is in a package that is not installed. Install it: apt-get update && apt-get install "
        "-y %s. Then run the same again.",
        h->word[0], package);
    return true;
}

static bool
say_perl(struct hint *h, struct buf *b)
{
    if (say_named(h, b))
        return true;
    if (hint_fact(h, h->fact[0], "index")[0])
        return false;
    buf_printf(
        b,
        "The Perl module %s is not installed. Debian names packages of Perl modules after them: "
        "apt-get update && apt-get install -y %s.",
        h->word[0], h->word[1]);
    return true;
}

static bool
say_ruby(struct hint *h, struct buf *b)
{
    if (say_named(h, b))
        return true;
    buf_printf(
        b,
        "The Ruby library %s is not installed. Install it: gem install %s. Then run the command "
        "again.",
        h->word[0], h->word[0]);
    return true;
}

static bool
say_haskell(struct hint *h, struct buf *b)
{
    if (say_named(h, b))
        return true;
    if (!hint_known(h, h->fact[0]))
        return false;
    buf_printf(b,
               "The module %s is not installed; only the packages of GHC itself are. Write what is "
               "needed of it yourself.",
               h->word[0]);
    return true;
}

static const struct hint_rule rows[] = {
    {"c-header", FAMILY_CAUSE, ON_ERROR,
     .pattern = "^[^\\s:]+:\\d+:\\d+: fatal error: '?([\\w./+-]+)'?(?:: No such file or directory| "
                "file not found)$",
     .look = ask_header, .say = say_header},
    {"c-library", FAMILY_CAUSE, ON_ERROR,
     .pattern = "ld(?:\\.\\w+)?: (?:error: )?(?:cannot find|unable to find library) -l([\\w.+-]+)",
     .look = ask_library, .say = say_library},
    {"pkg-config", FAMILY_CAUSE, ON_ERROR,
     .pattern = "(?|Package '([\\w.+-]+)'[^\n]*not found|No package '([\\w.+-]+)' found|Package "
                "([\\w.+-]+) was not found in the pkg-config search path)",
     .look = look_pkg, .say = say_pkg},
    {"cmake-package", FAMILY_CAUSE, ON_ERROR, .programs = "cmake",
     .pattern = "Could (?:NOT|not) find (?:a package configuration file provided by \")?(\\w+)",
     .look = look_pkg, .say = say_pkg},
    {"c-link-option", FAMILY_CAUSE, ON_ERROR, .pattern = "undefined reference to [`']([\\w:]+)",
     .look = look_undefined,
     .text = "{word0} is in a library that has to be named at the end of the command: put {word1} "
             "after "
             "the source files, then compile again."},
    {"perl-module", FAMILY_CAUSE, ON_ERROR, .pattern = "^Can't locate ([\\w/]+\\.pm) in @INC",
     .look = ask_perl, .say = say_perl},
    {"ruby-library", FAMILY_CAUSE, ON_FAIL,
     .pattern = "cannot load such file -- ([\\w-]+(?:/[\\w/-]+)?) \\(LoadError\\)",
     .look = ask_ruby, .say = say_ruby},
    {"r-package", FAMILY_CAUSE, ON_FAIL, .pattern = "there is no package called '(\\w+)'",
     .look = ask_r, .say = say_named},
    {"lua-module", FAMILY_CAUSE, ON_FAIL,
     .pattern = "module '([\\w.]+)' not found:", .look = ask_lua, .say = say_named},
    {"haskell-module", FAMILY_CAUSE, ON_FAIL, .from = FROM_OUT,
     .pattern = "Could not (?:find module|load module) [`']([\\w.]+)'", .look = ask_haskell,
     .say = say_haskell},
    {"php-extension", FAMILY_CAUSE, ON_FAIL, .from = FROM_OUT,
     .pattern = "(?:Call to undefined function |Class \"|Call to undefined method )\\\\?(\\w+)",
     .look = ask_php, .say = say_named},
    {"php-driver", FAMILY_CAUSE, ON_FAIL, .from = FROM_OUT,
     .pattern = "PDOException: could not find driver",
     .text = "The database driver of PHP is a package of its own. Install the one you need: "
             "apt-get update "
             "&& apt-get install -y php-sqlite3 php-mysql php-pgsql."},
    {"go-module", FAMILY_CAUSE, ON_FAIL,
     .pattern = "no required module provides package ([\\w./-]+)[;:]",
     .text = "The Go package {1} has to be fetched: go get {1}. Where there is no go.mod yet: go "
             "mod init app "
             "&& go get {1}."},
    {"rust-crate", FAMILY_CAUSE, ON_FAIL,
     .pattern =
         "(?:unresolved import [`']|can't find crate for [`']|use of undeclared crate or module "
         "[`']|use of unresolved module or unlinked crate [`'])(\\w+)",
     .text = "The crate {1} is not known here. rustc alone has only the standard library; with "
             "cargo: cargo "
             "init --name app, then cargo add {1}, and put the program into src/main.rs."},
    {"java-package", FAMILY_CAUSE, ON_FAIL,
     .pattern = "error: package ((?!java\\.)[\\w.]+) does not exist",
     .text = "The Java package {1} is not part of the JDK. Do it with java.util and java.io, or "
             "put its jar "
             "on the class path: javac -cp LIB.jar FILE.java."},
};

const struct hint_table hint_table_libraries = {rows, COUNT_OF(rows)};
