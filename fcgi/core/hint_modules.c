/* Modules, headers and libraries that a program asks for and that are not there. */
#include "config.h"

#include "core/hint_tables.h"
#include "core/hint_text.h"
#include <string.h>

/* ---- Python
 * --------------------------------------------------------------------------------------- */

/* Where the name to import is not the name to install. */
static const struct {
    const char *module, *package;
} pip_names[] = {
    {"yaml", "pyyaml"},
    {"cv2", "opencv-python-headless"},
    {"PIL", "pillow"},
    {"bs4", "beautifulsoup4"},
    {"sklearn", "scikit-learn"},
    {"skimage", "scikit-image"},
    {"dotenv", "python-dotenv"},
    {"Crypto", "pycryptodome"},
    {"serial", "pyserial"},
    {"dateutil", "python-dateutil"},
    {"git", "GitPython"},
    {"jwt", "PyJWT"},
    {"MySQLdb", "mysqlclient"},
    {"psycopg2", "psycopg2-binary"},
    {"docx", "python-docx"},
    {"pptx", "python-pptx"},
    {"fitz", "pymupdf"},
    {"OpenSSL", "pyOpenSSL"},
    {"magic", "python-magic"},
    {"attr", "attrs"},
    {"telegram", "python-telegram-bot"},
    {"discord", "discord.py"},
    {"google", "protobuf"},
    {"googleapiclient", "google-api-python-client"},
    {"zmq", "pyzmq"},
    {"websocket", "websocket-client"},
    {"nacl", "pynacl"},
    {"jose", "python-jose"},
    {"slugify", "python-slugify"},
    {"mpl_toolkits", "matplotlib"},
    {"pkg_resources", "setuptools"},
    {"distutils", "setuptools"},
    {"faiss", "faiss-cpu"},
    {"multipart", "python-multipart"},
    {"socks", "pysocks"},
    {"Levenshtein", "levenshtein"},
    {"usb", "pyusb"},
    {"ruamel", "ruamel.yaml"},
    {"flask_cors", "flask-cors"},
    {"rest_framework", "djangorestframework"},
    {"corsheaders", "django-cors-headers"},
    {"markdown", "Markdown"},
    {"speech_recognition", "SpeechRecognition"},
    {"win32api", NULL},
    {"win32com", NULL},
    {"winreg", NULL},
    {"msvcrt", NULL},
    {"winsound", NULL},
};

/* What left the language, and what to use; or what Debian ships apart. */
static const struct {
    const char *module, *text;
} python_texts[] = {
    {"tkinter",
     "tkinter is a package of its own: apt-get update && apt-get install -y python3-tk. A "
     "window cannot be shown on this machine: it has no screen."},
    {"Tkinter", "In Python 3 the module is named tkinter, and this machine has no screen to show a "
                "window. Write the program for the command line."},
    {"venv",
     "Install it: apt-get update && apt-get install -y python3-venv. Then run the command again."},
    {"ensurepip",
     "Install it: apt-get update && apt-get install -y python3-venv. Then run the command "
     "again."},
    {"pip",
     "Install it: apt-get update && apt-get install -y python3-pip. Then run the command again."},
    {"imp", "The module imp was removed in Python 3.12. Use importlib."},
    {"asyncore", "The module asyncore was removed in Python 3.12. Use asyncio."},
    {"asynchat", "The module asynchat was removed in Python 3.12. Use asyncio."},
    {"smtpd",
     "The module smtpd was removed in Python 3.12. Install aiosmtpd: pip install aiosmtpd."},
    {"cgi", "The module cgi was removed in Python 3.13. Use urllib.parse and email.message."},
    {"cgitb", "The module cgitb was removed in Python 3.13. Use traceback."},
    {"crypt",
     "The module crypt was removed in Python 3.13. Use hashlib.scrypt, or pip install passlib."},
    {"imghdr", "The module imghdr was removed in Python 3.13. Use: pip install filetype."},
    {"telnetlib", "The module telnetlib was removed in Python 3.13. Use socket."},
    {"pipes", "The module pipes was removed in Python 3.13. Use subprocess and shlex."},
    {"audioop",
     "The module audioop was removed in Python 3.13. Install it: pip install audioop-lts."},
    {"lib2to3", "The module lib2to3 was removed in Python 3.13. Do without it."},
    {"urllib2", "urllib2 is Python 2. In Python 3 write: import urllib.request."},
    {"urlparse", "urlparse is Python 2. In Python 3 write: from urllib.parse import urlparse."},
    {"ConfigParser", "In Python 3 the module is named configparser."},
    {"Queue", "In Python 3 the module is named queue."},
    {"StringIO", "In Python 3 write: from io import StringIO."},
    {"cStringIO", "In Python 3 write: from io import StringIO."},
    {"cPickle", "In Python 3 write: import pickle."},
    {"httplib", "In Python 3 the module is named http.client."},
    {"HTMLParser", "In Python 3 write: from html.parser import HTMLParser."},
    {"commands", "The module commands is Python 2. Use subprocess."},
    {"__builtin__", "In Python 3 the module is named builtins."},
};

static const char *
top_of(struct arena *a, const char *module)
{
    return arena_strndup(a, module, strcspn(module, "./"));
}

static bool
look_python(struct hint *h)
{
    static const char imported[] =
        "^(?:ModuleNotFoundError|ImportError): No module named '?([\\w.]+)'?$";
    static const char started[] =
        "^\\S*python[\\d.]*: (?:Error while finding module specification for '[^'\n]*' "
        "\\(ModuleNotFoundError: )?No module named '?([\\w.]+)";
    struct hint_look *l = h->look;

    if (!hint_match(h, imported) && !hint_match(h, started))
        return false;
    h->word[0] = top_of(l->a, h->group[1]);
    h->word[1] = h->group[1];
    h->fact[0] = hint_ask(h, FACT_PYTHON, h->word[0]);
    h->fact[1] = hint_ask(h, FACT_INDEX, arena_printf(l->a, "modules %s", h->word[0]));
    return true;
}

/* The pip of a virtual environment whose python the command runs. */
static const char *
pip_of(const struct hint_look *l)
{
    const struct shell_command *c = hint_command_find(&l->script, "python python3");
    const char *word = c && c->count > 0 ? c->words[0].text : "",
               *bin = strstr(word, "/bin/python");

    if (bin && strncmp(word, "/usr/", 5) != 0)
        return arena_printf(l->a, "%.*s/bin/pip", (int)(bin - word), word);
    return "pip";
}

static bool
say_own_module(struct hint *h, struct buf *b)
{
    const char *at = hint_fact(h, h->fact[0], "at"), *slash = strrchr(at, '/');
    const char *shown;

    if (!slash || slash == at)
        return false;
    shown = hint_shown(b->arena, arena_strndup(b->arena, at, (size_t)(slash - at)));
    if (strcmp(shown, "/work") == 0)
        shown = ".";
    buf_printf(b,
               "%s is a module of your own, in the folder %s. Tell Python where: PYTHONPATH=%s in "
               "front of "
               "the command.",
               h->word[0], shown, shown);
    return true;
}

static bool
say_python(struct hint *h, struct buf *b)
{
    const char *module = h->word[0], *venv = hint_fact(h, h->fact[0], "venv");
    const char *deb = hint_fact(h, h->fact[1], "package"), *pip = pip_of(h->look), *name = module;

    for (size_t i = 0; i < COUNT_OF(python_texts); i++)
        if (strcmp(python_texts[i].module, module) == 0) {
            buf_adds(b, python_texts[i].text);
            return true;
        }
    if (venv[0] && strcmp(pip, "pip") == 0) {
        buf_printf(
            b,
            "%s is installed in the virtual environment %s, and each call starts without it. Run "
            "its python: /work/%s/bin/python.",
            module, venv, venv);
        return true;
    }
    if (say_own_module(h, b))
        return true;
    for (size_t i = 0; i < COUNT_OF(pip_names); i++)
        if (strcmp(pip_names[i].module, module) == 0) {
            name = pip_names[i].package;
            if (!name) {
                buf_printf(b, "The module %s exists on Windows only. Do it without that module.",
                           module);
                return true;
            }
        }
    if (hint_known(h, h->fact[0]) && !hint_fact(h, h->fact[0], "pip")[0] && deb[0])
        buf_printf(b,
                   "The Python module %s is not installed. Install it: apt-get update && apt-get "
                   "install -y %s. Then run the command again.",
                   module, deb);
    else if (hint_known(h, h->fact[0]) && !hint_fact(h, h->fact[0], "open")[0] && deb[0] &&
             strcmp(pip, "pip") == 0)
        buf_printf(b,
                   "The Python module %s is not installed. Install it: apt-get update && apt-get "
                   "install -y %s. Or: pip install --break-system-packages %s.",
                   module, deb, name);
    else
        buf_printf(b,
                   "The Python module %s is not installed. Install it: %s install %s. Then run the "
                   "command again.",
                   module, pip, name);
    return true;
}

static bool
ask_shadow(struct hint *h)
{
    h->word[0] = h->group[1];
    h->fact[0] = hint_ask(h, FACT_PATH, arena_printf(h->look->a, "/work/%s.py", h->group[1]));
    return true;
}

static bool
say_shadow(struct hint *h, struct buf *b)
{
    const char *name = h->word[0];

    if (!strstr(h->group[0], "consider renaming") &&
        strcmp(hint_fact(h, h->fact[0], "type"), "regular file") != 0)
        return false;
    buf_printf(
        b,
        "Your file %s.py has the name of the module %s and is imported in its place. Rename it: mv "
        "%s.py my_%s.py. Then run the command again.",
        name, name, name, name);
    return true;
}

/* ---- Node
 * ------------------------------------------------------------------------------------------ */

static bool
look_node(struct hint *h)
{
    static const char pattern[] =
        "(?:Error: |Error \\[ERR_MODULE_NOT_FOUND\\]: )Cannot find (?:module|package) "
        "'((?:@[\\w.-]+/)?[\\w][\\w.-]*)(?:/[^'\n]*)?'";

    if (!hint_match(h, pattern))
        return false;
    h->word[0] = h->group[1];
    h->fact[0] = hint_ask(h, FACT_NODE, h->word[0]);
    return true;
}

static bool
say_node(struct hint *h, struct buf *b)
{
    const char *module = h->word[0], *has = hint_fact(h, h->fact[0], "has");
    const char *cwd = h->command && h->command->cwd ? h->command->cwd : "/work", *end;

    if (hint_fact(h, h->fact[0], "global")[0]) {
        buf_printf(
            b,
            "%s is installed globally, where a program does not look for it. Install it in this "
            "folder: npm install %s.",
            module, module);
        return true;
    }
    end = strstr(has, "/node_modules/");
    if (end && strncmp(has, cwd, strlen(cwd)) != 0) {
        buf_printf(b, "%s is installed in %.*s only. Install it in this folder: npm install %s.",
                   module, (int)(end - has), has, module);
        return true;
    }
    buf_printf(
        b,
        "The npm package %s is not installed in this folder. Install it: npm install %s. Then run "
        "the command again.",
        module, module);
    return true;
}

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
    } else if (hint_known(h, h->fact[1]) && strchr(h->group[0], '"') == NULL) {
        buf_printf(b,
                   "%s does not exist on this machine. If it is yours, write it with the tool "
                   "write_file.",
                   name);
    } else {
        return false;
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

    h->group[1] = name;
    return ask_named(h, arena_printf(a, "lib%s-perl", small_with(a, name, '/', '-')));
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
    {"python-shadow", FAMILY_CAUSE, ON_FAIL,
     .pattern =
         "(?|module '(\\w+)' has no attribute '\\w+' \\(consider renaming|partially initialized "
         "module '(\\w+)' has no attribute '\\w+' \\((?:most likely|consider)|cannot import name "
         "'\\w+' from '(\\w+)' \\(consider renaming|No module named '\\w+\\.[\\w.]+'; '(\\w+)' is "
         "not "
         "a package)",
     .look = ask_shadow, .say = say_shadow},
    {"python-module", FAMILY_CAUSE, ON_ERROR,
     .programs = "python python3 python3.13 pytest pip pip3 flask uvicorn gunicorn django-admin "
                 "celery ipython "
                 "bash sh make xvfb-run coverage tox mypy",
     .look = look_python, .say = say_python},
    {"node-module", FAMILY_CAUSE, ON_ERROR,
     .programs = "node nodejs npm npx yarn nodemon ts-node tsx jest mocha bash sh make",
     .look = look_node, .say = say_node},
    {"c-header", FAMILY_CAUSE, ON_ERROR,
     .pattern = "^[^\\s:]+:\\d+:\\d+: fatal error: '?([\\w./+-]+)'?(?:: No such file or directory| "
                "file not found)$",
     .look = ask_header, .say = say_header},
    {"c-library", FAMILY_CAUSE, ON_ERROR,
     .pattern = "ld(?:\\.\\w+)?: (?:error: )?(?:cannot find|unable to find library) -l([\\w.+-]+)",
     .look = ask_library, .say = say_library},
    {"c-link-option", FAMILY_CAUSE, ON_ERROR, .pattern = "undefined reference to [`']([\\w:]+)",
     .look = look_undefined,
     .text = "{word0} is in a library that has to be named at the end of the command: put {word1} "
             "after "
             "the source files, then compile again."},
    {"perl-module", FAMILY_CAUSE, ON_ERROR, .pattern = "^Can't locate ([\\w/]+\\.pm) in @INC",
     .look = ask_perl, .say = say_named},
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

const struct hint_table hint_table_modules = {rows, COUNT_OF(rows)};
