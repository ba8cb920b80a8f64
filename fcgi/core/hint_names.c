/* Commands that are not there: what to type instead, or which package has them. */
#include "config.h"

#include "core/hint_tables.h"
#include <string.h>

static bool
is_program(const struct hint_look *l, const char *name)
{
    for (size_t i = 0; i < l->script.count; i++)
        if (strcmp(l->script.at[i].program, name) == 0)
            return true;
    return false;
}

/* Is the message's first part ("x.sh: line 3: ...") a script the command runs? */
static bool
is_own_script(const struct hint_look *l, const char *message)
{
    size_t len = strcspn(message, ":");
    const char *slash = memrchr(message, '/', len);
    const char *name = slash ? slash + 1 : message;

    len -= (size_t)(name - message);
    for (size_t i = 0; i < l->script.count; i++)
        for (size_t k = 0; k < l->script.at[i].count; k++) {
            const char *word = l->script.at[i].words[k].text, *last = strrchr(word, '/');

            word = last ? last + 1 : word;
            if (strlen(word) == len && memcmp(word, name, len) == 0)
                return true;
        }
    return false;
}

bool
hint_look_not_found(struct hint *h)
{
    static const char by_shell[] =
        "^(?:[^\\s:]+: (?:line )?\\d+: |(?:/usr/bin/|/bin/)?(?:ba|da)?sh: |sudo: )(?:exec: )?"
        "([^\\s:/'][^\\s:/']*): (?:command )?not found$";
    static const char by_program[] =
        "^(?:/usr/bin/)?(?:env|nohup|timeout|nice|xargs|make(?:\\[\\d+\\])?|setsid|time|stdbuf|"
        "ionice|watch|entr): (?:failed to (?:run command|execute) |cannot run )?'?"
        "([\\w.+-]+)'?: No such file or directory";
    static const char by_python[] =
        "_execute_child[\\s\\S]{1,400}FileNotFoundError: \\[Errno 2\\] No "
        "such file or directory: '([\\w.+-]+)'$";
    static const char by_node[] = "^Error: spawn ([\\w.+-]+) ENOENT";
    struct hint_look *l = h->look;

    if (hint_match(h, by_shell))
        return l->exit == 127 || is_program(l, h->group[1]) || is_own_script(l, h->group[0]) ||
               (l->is_code && l->failed);
    if (l->failed)
        return hint_match(h, by_program) || hint_match(h, by_python) || hint_match(h, by_node);
    return false;
}

/* ---- the package of a command ---------------------------------------------------------------- */

/* Where several packages have a command, or where Debian makes it with alternatives. */
static const struct {
    const char *name, *package;
} preferred[] = {
    {"ping", "iputils-ping"},
    {"nc", "netcat-openbsd"},
    {"netcat", "netcat-openbsd"},
    {"ncat", "ncat"},
    {"go", "golang-go"},
    {"gofmt", "golang-go"},
    {"gcc", "build-essential"},
    {"g++", "build-essential"},
    {"cc", "build-essential"},
    {"c++", "build-essential"},
    {"java", "default-jre-headless"},
    {"javac", "default-jdk-headless"},
    {"jar", "default-jdk-headless"},
    {"jshell", "default-jdk-headless"},
    {"convert", "imagemagick"},
    {"magick", "imagemagick"},
    {"identify", "imagemagick"},
    {"mysql", "mariadb-client"},
    {"mysqldump", "mariadb-client"},
    {"mysqld", "mariadb-server"},
    {"psql", "postgresql-client"},
    {"pg_dump", "postgresql-client"},
    {"createdb", "postgresql-client"},
    {"redis-server", "redis-server"},
    {"redis-cli", "redis-tools"},
    {"Rscript", "r-base-core"},
    {"R", "r-base-core"},
    {"lua", "lua5.4"},
    {"luac", "lua5.4"},
    {"awk", "gawk"},
    {"telnet", "telnet"},
    {"ftp", "ftp"},
    {"traceroute", "traceroute"},
    {"sendmail", "msmtp-mta"},
    {"mail", "mailutils"},
    {"pip", "python3-pip"},
    {"pip3", "python3-pip"},
    {"php", "php-cli"},
    {"node", "nodejs"},
    {"rename", "rename"},
    {"ex", "vim-tiny"},
    {"mcs", "mono-mcs"},
    {"mono", "mono-runtime"},
    {"clang", "clang"},
    {"clang++", "clang"},
    {"scheme", "guile-3.0"},
    {"guile", "guile-3.0"},
    {"prolog", "swi-prolog-nox"},
    {"swipl", "swi-prolog-nox"},
    {"octave", "octave"},
    {"killall", "psmisc"},
    {"pstree", "psmisc"},
    {"crontab", "cron"},
    {"sshd", "openssh-server"},
    {"ssh", "openssh-client"},
    {"httpd", "apache2"},
    {"apachectl", "apache2"},
    {"phpunit", "phpunit"},
    {"gradle", "gradle"},
    {"exiftool", "libimage-exiftool-perl"},
    {"locate", "plocate"},
    {"xmllint", "libxml2-utils"},
    {"svn", "subversion"},
    {"7z", "7zip"},
    {"rar", "unrar-free"},
    {"unrar", "unrar-free"},
    {"vimdiff", "vim-tiny"},
    {"envsubst", "gettext-base"},
    {"pytest", "python3-pytest"},
    {"cargo", "cargo"},
    {"rustc", "rustc"},
    {"ghc", "ghc"},
    {"kotlinc", "kotlin"},
    {"kotlin", "kotlin"},
    {"mvn", "maven"},
    {"ruby", "ruby"},
    {"gem", "ruby"},
    {"irb", "ruby"},
    {"bundle", "bundler"},
    {"cmake", "cmake"},
    {"gdb", "gdb"},
    {"valgrind", "valgrind"},
    {"strace", "strace"},
    {"gpg", "gnupg"},
    {"nginx", "nginx"},
    {"flake8", "flake8"},
    {"black", "black"},
    {"mypy", "mypy"},
    {"pandoc", "pandoc"},
    {"ffmpeg", "ffmpeg"},
    {"tmux", "tmux"},
    {"screen", "screen"},
    {"nmap", "nmap"},
    {"htpasswd", "apache2-utils"},
    {"ab", "apache2-utils"},
    {"iostat", "sysstat"},
    {"mpstat", "sysstat"},
    {"nslookup", "bind9-dnsutils"},
    {"whois", "whois"},
    {"curl/curl.h", "libcurl4-openssl-dev"},
    {"ncurses.h", "libncurses-dev"},
    {"curses.h", "libncurses-dev"},
    {"readline/readline.h", "libreadline-dev"},
    {"openssl/ssl.h", "libssl-dev"},
    {"zlib.h", "zlib1g-dev"},
    {"sqlite3.h", "libsqlite3-dev"},
    {"gmp.h", "libgmp-dev"},
    {"jpeglib.h", "libjpeg-dev"},
    {"png.h", "libpng-dev"},
    {"GL/glut.h", "freeglut3-dev"},
    {"mysql.h", "libmariadb-dev"},
    {"libpq-fe.h", "libpq-dev"},
    {"libcurl-dev", "libcurl4-openssl-dev"},
    {"SDL2/SDL.h", "libsdl2-dev"},
};

const char *
hint_pick_package(const char *name, const char *const *values)
{
    const char *best = NULL;
    unsigned least = ~0u;

    for (size_t i = 0; i < COUNT_OF(preferred); i++)
        if (strcmp(preferred[i].name, name) == 0)
            return preferred[i].package;
    for (; *values; values++) {
        unsigned unlike = hint_distance(name, *values);

        if (strstr(*values, name))
            unlike = unlike > 8 ? 8 : unlike;
        if (unlike < least) {
            least = unlike;
            best = *values;
        }
    }
    return best;
}

const char *
hint_interpreter(const char *file)
{
    static const char *const rows[][2] = {
        {".py", "python3"}, {".sh", "bash"},   {".js", "node"},       {".mjs", "node"},
        {".rb", "ruby"},    {".pl", "perl"},   {".php", "php"},       {".lua", "lua5.4"},
        {".exe", "mono"},   {".r", "Rscript"}, {".jar", "java -jar"},
    };
    const char *dot = strrchr(file, '.');

    for (size_t i = 0; dot && i < COUNT_OF(rows); i++)
        if (strcasecmp(dot, rows[i][0]) == 0)
            return rows[i][1];
    return NULL;
}

/* A file of /work by that name. */
static bool
say_own_file(const char *name, const char *const *files, struct buf *b)
{
    for (; *files; files++) {
        const char *with = hint_interpreter(*files);

        if (with) {
            buf_printf(b, "%s is a file in /work, not a command. Run it with: %s %s.", *files, with,
                       *files);
            return true;
        }
        if (strcmp(*files, name) == 0) {
            buf_printf(b, "%s is a file in /work, not a command. Run it with ./ in front: ./%s.",
                       name, name);
            return true;
        }
    }
    return false;
}

static const char *
like(const char *name, const char *const *values)
{
    const char *best = NULL;
    unsigned least = strlen(name) > 2 ? 2 : 1; /* 1 edit at most, none for a short name */

    for (; *values; values++) {
        unsigned unlike = hint_distance(name, *values);

        if (unlike < least) {
            least = unlike;
            best = *values;
        }
    }
    return best;
}

static bool
ask_command(struct hint *h)
{
    if (!hint_look_not_found(h))
        return false;
    h->word[0] = h->group[1];
    h->fact[0] = hint_ask(h, FACT_COMMAND, h->word[0]);
    return true;
}

static bool
say_command(struct hint *h, struct buf *b)
{
    const char *name = h->word[0], *outside = hint_fact(h, h->fact[0], "outside");
    const char *venv = hint_fact(h, h->fact[0], "venv"), *near;
    const char *package = hint_pick_package(name, hint_facts(h, h->fact[0], "package"));

    if (!hint_known(h, h->fact[0]))
        return false;
    if (hint_fact(h, h->fact[0], "is")[0])
        return false;
    if (outside[0]) {
        buf_printf(b, "%s is installed, but its folder is not in PATH. Use the whole path: %s.",
                   name, outside);
        return true;
    }
    if (say_own_file(name, hint_facts(h, h->fact[0], "file"), b))
        return true;
    if (venv[0]) {
        buf_printf(b,
                   "%s is installed in a virtual environment, and each call starts without it. Use "
                   "the whole path: /work/%s.",
                   name, venv);
        return true;
    }
    if (hint_fact(h, h->fact[0], "npx")[0]) {
        buf_printf(b, "%s is installed in node_modules. Run it with: npx %s.", name, name);
        return true;
    }
    if (package) {
        buf_printf(b,
                   "%s is not installed. Install it: apt-get update && apt-get install -y %s. Then "
                   "run the command again.",
                   name, package);
        return true;
    }
    if (hint_fact(h, h->fact[0], "named")[0]) {
        buf_printf(
            b,
            "%s is not installed, but Debian has a package of that name. Install it: apt-get "
            "update && apt-get install -y %s.",
            name, name);
        return true;
    }
    near = like(name, hint_facts(h, h->fact[0], "near"));
    if (near)
        buf_printf(b,
                   "There is no command %s. A command with a similar name is here: %s. Use that "
                   "name if it is the right one.",
                   name, near);
    else if (hint_fact(h, h->fact[0], "index")[0])
        buf_printf(b,
                   "The package index of this machine has no command named %s. Check the name, or "
                   "do it with a command that is here.",
                   name);
    else
        buf_printf(
            b,
            "%s is not installed. Search for its package: apt-get update && apt-cache search "
            "%s.",
            name, name);
    return true;
}

/* ---- words that are no commands ----------------------------------------------------------------
 */

/* count = 5 */
static bool
look_assignment(struct hint *h)
{
    if (!hint_look_not_found(h))
        return false;
    for (size_t i = 0; i < h->look->script.count; i++) {
        const struct shell_command *c = &h->look->script.at[i];

        if (strcmp(c->program, h->group[1]) == 0 && c->count >= 2 && c->words[1].text[0] == '=') {
            h->word[0] = c->count > 2 ? c->words[2].text : "VALUE";
            return true;
        }
    }
    return false;
}

/* Programs of npm; the package where it has another name. */
static bool
look_npm(struct hint *h)
{
    static const char *const rows[][2] = {
        {"tsc", "typescript"},
        {"ng", "@angular/cli"},
        {"vue", "@vue/cli"},
        {"nest", "@nestjs/cli"},
        {"webpack", "webpack-cli"},
        {"gulp", "gulp-cli"},
        {"grunt", "grunt-cli"},
        {"babel", "@babel/cli"},
        {"create-react-app", "create-react-app"},
    };
    static const char same[] =
        "ts-node tsx yarn pnpm nodemon jest vite vitest eslint prettier rollup esbuild mocha next "
        "pm2 "
        "serve http-server json-server live-server create-vite parcel sass lerna bun";
    const char *name;

    if (!hint_look_not_found(h) || !(name = h->group[1]))
        return false;
    h->word[0] = hint_is_one_of(name, same) ? name : NULL;
    for (size_t i = 0; !h->word[0] && i < COUNT_OF(rows); i++)
        if (strcmp(rows[i][0], name) == 0)
            h->word[0] = rows[i][1];
    return h->word[0] != NULL;
}

static bool
look_windows(struct hint *h)
{
    static const char *const rows[][2] = {
        {"copy", "cp FROM TO"},
        {"xcopy", "cp -r FROM TO"},
        {"move", "mv FROM TO"},
        {"ren", "mv OLD NEW"},
        {"del", "rm FILE"},
        {"erase", "rm FILE"},
        {"md", "mkdir FOLDER"},
        {"rd", "rm -r FOLDER"},
        {"cls", "nothing in its place: there is no screen to clear"},
        {"ipconfig", "ip addr"},
        {"tasklist", "ps -ef"},
        {"taskkill", "kill PID"},
        {"findstr", "grep TEXT FILE"},
        {"where", "command -v NAME"},
        {"systeminfo", "uname -a"},
        {"cmd", "the command itself, in bash"},
        {"cmd.exe", "the command itself, in bash"},
        {"powershell", "the same in bash"},
        {"pwsh", "the same in bash"},
    };

    if (!hint_look_not_found(h))
        return false;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strcmp(rows[i][0], h->group[1]) == 0) {
            h->word[0] = rows[i][1];
            return true;
        }
    return false;
}

/* Curly quotes, non-breaking blanks, long dashes in a word that should be a command. */
static bool
look_odd_letters(struct hint *h)
{
    static const char odd[] =
        "^[^\\n:]+: (?:line )?\\d+: ([^\\n:]*(?:\xe2\x80[\x90-\xaf]|\xc2\xa0|['\"])[^\\n:]*): "
        "(?:command )?not found$";

    return hint_match(h, odd) && !strchr(h->group[1], '\\');
}

static const struct hint_rule rows[] = {
    {"tool-as-command", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names = "run run_code write_file reset",
     .text = "{1} is a tool, not a shell command. Call the tool {1} itself, not run."},
    {"prompt-sign", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found, .names = "$ # >",
     .text = "The {1} at the beginning is a prompt sign, not part of the command. Send the command "
             "without it."},
    {"assign-spaces", FAMILY_CAUSE, ON_ANY, .look = look_assignment,
     .text = "In the shell there is no space before and after =. Write {1}={word0}."},
    {"odd-letters", FAMILY_CAUSE, ON_ANY, .look = look_odd_letters,
     .text = "The command has typographic quotes, dashes or blanks in it. Type it with plain \" ' "
             "- and "
             "a plain space."},
    {"alias-missing", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found, .names = "ll la l vdir",
     .text = "{1} is an alias that other machines have. Use: ls -la."},
    {"screen-monitor", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names = "htop btop atop glances iotop nmon bashtop",
     .text = "{1} draws on a terminal, and there is none here. Use: top -b -n 1 | head -n 20."},
    {"reboot-missing", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names = "reboot shutdown poweroff halt init telinit",
     .text = "This machine cannot be restarted from inside. To start a program anew, stop it and "
             "start it again."},
    {"code-as-command", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names =
         "import def from class print println const var let function public private package using "
         "namespace console.log require int void include func fn use SELECT CREATE INSERT UPDATE",
     .text =
         "This is program text, but run gives its command to bash. Use run_code with the language "
         "and the program."},
    {"sudo-missing", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found, .names = "sudo doas",
     .text = "There is no {1} here and none is needed: every command already runs as root. Run the "
             "same "
             "command without {1}."},
    {"python-name", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names = "python python2 python2.7 python3.8 python3.9 python3.10 python3.11 python3.12 py",
     .text =
         "The command is named python3 here. Run the same command with python3 in place of {1}."},
    {"ppa-ubuntu", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names = "add-apt-repository apt-add-repository",
     .text = "PPAs are made for Ubuntu and do not work here: this is Debian 13. Use Debian's own "
             "packages: apt-get update && apt-cache search NAME."},
    {"apt-key-gone", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found, .names = "apt-key",
     .text =
         "apt-key was removed from Debian 13. Write the key to /etc/apt/keyrings/NAME.asc and put "
         "[signed-by=/etc/apt/keyrings/NAME.asc] into the source line."},
    {"other-packager", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names = "yum dnf apk pacman zypper brew snap flatpak choco winget port emerge",
     .text = "This machine is Debian 13, it has no {1}. Install packages with: apt-get update && "
             "apt-get "
             "install -y NAME."},
    {"docker-missing", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names = "docker docker-compose podman containerd kubectl minikube helm vagrant virtualbox",
     .text = "No containers or virtual machines can be started inside this machine, so there is no "
             "{1}. "
             "Run the program itself here: install it with apt-get, pip or npm and start it."},
    {"systemd-missing", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names =
         "systemctl journalctl systemd-run hostnamectl timedatectl loginctl initctl rc-service",
     .text =
         "No systemd runs on this machine, so there is no {1}. Start a service with: service NAME "
         "start. Its log is in /var/log."},
    {"dotnet-missing", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names = "dotnet csc msbuild nuget",
     .text =
         "There is no {1} here, and Debian has no package of it. Compile C# with mcs and run it "
         "with "
         "mono: mcs Program.cs && mono Program.exe. If mcs is missing: apt-get update && apt-get "
         "install -y mono-mcs."},
    {"conda-missing", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names = "conda mamba pyenv activate workon",
     .text = "There is no {1} here. Install Python packages with: pip install NAME."},
    {"nvm-missing", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found, .names = "nvm n fnm volta",
     .text = "There is no {1} here. Use the installed node; node --version shows which one it is."},
    {"editor-missing", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names = "vi vim nvim nano emacs pico ed joe gedit code subl notepad micro",
     .text = "Nobody types here, so an editor is of no use. Write a file with the tool write_file; "
             "change one line with: sed -i 's/OLD/NEW/' FILE."},
    {"desktop-missing", FAMILY_CAUSE, ON_ANY, .look = hint_look_not_found,
     .names = "open xdg-open start explorer pbcopy pbpaste firefox google-chrome chrome safari "
              "gnome-open",
     .text = "This machine has no screen, so there is no {1}. Look at a page with: curl -s URL. "
             "Look at a "
             "file with: cat FILE."},
    {"windows-command", FAMILY_CAUSE, ON_ANY, .look = look_windows,
     .text = "{1} is a command of Windows; this is Linux. Use {word0}."},
    {"npm-command", FAMILY_CAUSE, ON_ANY, .look = look_npm,
     .text = "{1} is a program of the npm package {word0} and is not installed. Run it with npx: "
             "npx --yes "
             "-p {word0} {1}, or install it: npm install -g {word0}."},
    {"command-missing", FAMILY_CAUSE, ON_ANY, .look = ask_command, .say = say_command},
};

const struct hint_table hint_table_names = {rows, COUNT_OF(rows)};
