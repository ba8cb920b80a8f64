/* Modules of Python and of Node that a program asks for and that are not there. */
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

/* python3 app/main.py where main.py says: from .util import ... */
static bool
look_relative(struct hint *h)
{
    const char *file = hint_command_operand(h->command, 0), *dot = file ? strrchr(file, '.') : NULL;
    char *module;

    if (!dot || strcmp(dot, ".py") != 0 || file[0] == '/')
        return false;
    if (strncmp(file, "./", 2) == 0)
        file += 2;
    module = arena_strndup(h->look->a, file, (size_t)(dot - file));
    for (char *c = module; *c; c++)
        *c = *c == '/' ? '.' : *c;
    h->word[0] = file;
    h->word[1] = module;
    return true;
}

static bool
say_relative(struct hint *h, struct buf *b)
{
    buf_printf(b, "%s is part of a package (from . import ...), but was started as a single file. ",
               h->word[0]);
    if (strchr(h->word[1], '.'))
        buf_printf(b, "Start it as a module: python3 -m %s.", h->word[1]);
    else
        buf_adds(
            b, "Import without the dot (from util import ...), or start it from the folder above: "
               "cd .. && python3 -m FOLDER.FILE.");
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

static const struct hint_rule rows[] = {
    {"python-relative", FAMILY_CAUSE, ON_FAIL, .programs = "python3 python",
     .pattern = "ImportError: attempted relative import with no known parent package",
     .look = look_relative, .say = say_relative},
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
};

const struct hint_table hint_table_modules = {rows, COUNT_OF(rows)};
