/* Programs that want a terminal: nobody types here. What was not done, and the same thing as one
 * command. */
#include "config.h"

#include "core/hint_tables.h"
#include <string.h>

static bool
gets_nothing(const struct hint *h)
{
    return !h->command->has_input && (!h->look->step->input || h->look->step->input_len == 0);
}

/* word0: the first operand, or the text that stands for it. */
static bool
name_operand(struct hint *h, const char *otherwise)
{
    const char *word = hint_command_operand(h->command, 0);

    h->word[0] = word ? word : otherwise;
    return true;
}

static bool
look_user(struct hint *h)
{
    return name_operand(h, "USER");
}

static bool
look_file(struct hint *h)
{
    return name_operand(h, "FILE");
}

/* ---- one look() a program whose options decide
 * ---------------------------------------------------- */

static bool
look_gpg_key(struct hint *h)
{
    return !hint_command_has(h->command, "--batch") &&
           (hint_command_has(h->command, "--gen-key") ||
            hint_command_has(h->command, "--full-gen-key") ||
            hint_command_has(h->command, "--full-generate-key") ||
            hint_command_has(h->command, "--generate-key") ||
            hint_command_has(h->command, "--quick-gen-key") ||
            hint_command_has(h->command, "--quick-generate-key"));
}

static bool
look_gpg_secret(struct hint *h)
{
    bool decrypts = hint_command_has(h->command, "-d") || hint_command_has(h->command, "--decrypt");

    if (hint_command_has(h->command, "--passphrase") ||
        !(decrypts || hint_command_has(h->command, "-c") ||
          hint_command_has(h->command, "--symmetric")))
        return false;
    h->word[1] = decrypts ? "-d" : "-c";
    for (size_t i = h->command->count; i > 1; i--)
        if (h->command->words[i - 1].text[0] != '-') {
            h->word[0] = h->command->words[i - 1].text;
            return true;
        }
    return name_operand(h, "FILE");
}

static bool
look_ssh_keygen(struct hint *h)
{
    const struct shell_command *c = h->command;

    h->word[0] = "ed25519";
    h->word[1] = "~/.ssh/id_ed25519";
    if ((hint_command_has(c, "-N") && hint_command_has(c, "-f")) ||
        strstr(h->look->out, "has been saved"))
        return false;
    for (size_t i = 1; i < c->count; i++) {
        const char *word = c->words[i].text;

        if (strchr("lyRFqpDeiAH", word[0] == '-' && word[1] ? word[1] : ' ') && word[1] != 'q')
            return false;
        if (strcmp(word, "-t") == 0 && i + 1 < c->count) {
            h->word[0] = c->words[i + 1].text;
            h->word[1] = arena_printf(h->look->a, "~/.ssh/id_%s", h->word[0]);
        }
        if (strcmp(word, "-f") == 0 && i + 1 < c->count)
            h->word[1] = c->words[i + 1].text;
    }
    return true;
}

/* An editor that is not told what to do by its options. */
static bool
look_editor(struct hint *h)
{
    static const char *const scripted[] = {"-es", "-s",        "-c", "-E",    "--batch",
                                           "-e",  "--version", "-h", "--help"};

    for (size_t i = 0; i < COUNT_OF(scripted); i++)
        for (size_t k = 1; k < h->command->count; k++)
            if (strcmp(h->command->words[k].text, scripted[i]) == 0 ||
                h->command->words[k].text[0] == '+')
                return false;
    return h->look->exit != 127 && !h->command->has_input && name_operand(h, "FILE");
}

static bool
look_crontab(struct hint *h)
{
    return hint_command_has(h->command, "-e");
}

static bool
look_top(struct hint *h)
{
    return !hint_command_has(h->command, "-b") && !hint_command_has(h->command, "-h");
}

/* An interpreter or a client alone: it reads commands from stdin, where nothing is. */
static bool
look_alone(struct hint *h)
{
    const struct shell_command *c = h->command;

    for (size_t i = 1; i < c->count; i++) {
        const char *word = c->words[i].text;

        if (strcmp(word, "-i") != 0 && strcmp(word, "-a") != 0 && strcmp(word, "-q") != 0)
            return false;
    }
    return gets_nothing(h) && h->look->seen->out.seen < 2000;
}

/* A database client without a statement. */
static bool
look_client(struct hint *h)
{
    const struct shell_command *c = h->command;
    size_t operands = 0;

    for (size_t i = 1; i < c->count; i++) {
        const char *word = c->words[i].text;

        if (word[0] != '-') {
            operands++;
        } else if (strncmp(word, "-e", 2) == 0 || strncmp(word, "--e", 3) == 0 ||
                   strncmp(word, "-c", 2) == 0 || strncmp(word, "--c", 3) == 0 ||
                   strcmp(word, "-f") == 0 || strcmp(word, "-l") == 0 ||
                   strncmp(word, "--v", 3) == 0 || strcmp(word, "-V") == 0 ||
                   strncmp(word, "--h", 3) == 0 || strncmp(word, "-init", 5) == 0 ||
                   strncmp(word, "--f", 3) == 0 || strncmp(word, "--l", 3) == 0) {
            return false;
        }
    }
    if (operands > (strcmp(c->program, "sqlite3") == 0 ? 1 : 2) || c->join == JOIN_PIPE)
        return false;
    return gets_nothing(h) && name_operand(h, "NAME");
}

/* su USER, bash, sudo -i: a shell that ends at once. What comes after runs as before. */
static bool
look_su(struct hint *h)
{
    const struct shell_command *c = h->command;

    for (size_t i = 1; i < c->count; i++)
        if (strcmp(c->words[i].text, "-c") == 0 || strncmp(c->words[i].text, "--command", 9) == 0 ||
            strcmp(c->words[i].text, "--help") == 0)
            return false;
    h->word[1] =
        c->join == JOIN_END ? "Nothing was run in it" : "The commands after it ran as root";
    return gets_nothing(h) && name_operand(h, "root");
}

static bool
look_asked_files(struct hint *h)
{
    const struct shell_command *c = h->command;
    const char *text = c->program;

    for (size_t i = 1; i < c->count; i++) {
        const char *word = c->words[i].text;
        size_t len = strlen(word);

        if (strcmp(word, "-i") == 0 || strcmp(word, "-I") == 0 ||
            strncmp(word, "--interactive", 13) == 0)
            continue;
        if (word[0] == '-' && word[1] != '-' && len < 8 && strchr(word, 'i')) {
            const char *at = strchr(word, 'i');

            word = arena_printf(h->look->a, "%.*s%s", (int)(at - word), word, at + 1);
        }
        text = arena_printf(h->look->a, strchr(word, ' ') ? "%s '%s'" : "%s %s", text, word);
    }
    h->word[0] = text;
    return true;
}

static bool
look_apt(struct hint *h)
{
    const struct shell_command *c = h->command;
    const char *text = c->program;
    bool found = false;

    if (hint_command_has(c, "-y"))
        return false;
    for (size_t i = 1; i < c->count; i++) {
        text = arena_printf(h->look->a, "%s %s", text, c->words[i].text);
        if (!found && c->words[i].text[0] != '-') {
            text = arena_printf(h->look->a, "%s -y", text);
            found = true;
        }
    }
    h->word[0] = text;
    return true;
}

/* The program of one's own that asked, as its command. */
static bool
look_own_program(struct hint *h)
{
    const struct shell_script *s = &h->look->script;
    const struct shell_command *last = NULL;

    if (h->look->is_code)
        return false; /* the verdict speaks of its input */
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].level == 0 && s->at[i].count > 0 &&
            !hint_is_one_of(s->at[i].program,
                            "cd echo export set javac gcc g++ mcs rustc tail head tee "
                            "sleep mkdir printf cat grep go2"))
            last = &s->at[i];
    if (!last)
        return false;
    h->command = last;
    h->word[0] = last->text;
    return true;
}

static bool
say_own_program(struct hint *h, struct buf *b)
{
    if (h->command->has_input)
        buf_adds(
            b,
            "The program read past the end of its input: it wants more lines or values than it was "
            "given. Give it all of them, or stop reading at the end of the input.");
    else
        buf_printf(b,
                   "The program asked for input, and nobody types here. Give it the values on "
                   "stdin: printf "
                   "'VALUE\\n' | %s. Or use run_code with input.",
                   arena_strndup(b->arena, h->word[0], strcspn(h->word[0], "|>&;")));
    return true;
}

static bool
look_read(struct hint *h)
{
    return gets_nothing(h) && hint_command_has(h->command, "-p");
}

static bool
look_npm_init(struct hint *h)
{
    const char *verb = hint_command_operand(h->command, 0);

    if (!verb || !hint_is_one_of(verb, "init create") || hint_command_has(h->command, "-y") ||
        hint_command_has(h->command, "--yes") || hint_command_operand(h->command, 1) ||
        !gets_nothing(h) || !h->command->cwd)
        return false;
    h->fact[0] =
        hint_ask(h, FACT_PATH, arena_printf(h->look->a, "%s/package.json", h->command->cwd));
    return true;
}

static bool
say_npm_init(struct hint *h, struct buf *b)
{
    if (strcmp(hint_fact(h, h->fact[0], "type"), "none") != 0)
        return false;
    buf_printf(
        b,
        "%s init asks questions and nobody can answer: no package.json was written. Use: npm "
        "init -y.",
        h->command->program);
    return true;
}

static bool
look_npm_login(struct hint *h)
{
    const char *verb = hint_command_operand(h->command, 0);

    return verb && hint_is_one_of(verb, "login adduser publish");
}

static bool
look_verb_editor(struct hint *h, const char *verbs)
{
    for (size_t i = 0; i < h->look->script.count; i++) {
        const struct shell_command *c = &h->look->script.at[i];

        if (strcmp(c->program, "git") != 0)
            continue;
        for (size_t k = 1; k < c->count; k++)
            if (hint_is_one_of(c->words[k].text, verbs)) {
                h->command = c;
                return true;
            }
    }
    return false;
}

static bool
look_git_rebase(struct hint *h)
{
    return look_verb_editor(h, "rebase");
}

static bool
look_git_merge(struct hint *h)
{
    return look_verb_editor(h, "merge pull revert cherry-pick") ||
           (look_verb_editor(h, "commit") && hint_command_has(h->command, "--amend"));
}

static bool
look_git_commit(struct hint *h)
{
    return look_verb_editor(h, "commit tag notes");
}

static bool
look_git_add(struct hint *h)
{
    return look_verb_editor(h, "add checkout stash reset") && !h->command->has_input &&
           (hint_command_has(h->command, "-p") || hint_command_has(h->command, "-i") ||
            hint_command_has(h->command, "--patch") ||
            hint_command_has(h->command, "--interactive"));
}

#define EDITOR_FAILED                                                                              \
    "Terminal is dumb, but EDITOR unset|problem with the editor|Please supply the message|No "     \
    "interactive "                                                                                 \
    "editor here|Aborting commit due to empty commit message"
#define END_OF_INPUT                                                                               \
    "^EOFError(?:: EOF when reading a line)?$|java\\.util\\.NoSuchElementException|undefined "     \
    "method "                                                                                      \
    "[`'](?:chomp|strip|to_i|split|to_f|chop|gsub|downcase|upcase)' for "                          \
    "nil|(?:getLine|hGetLine|hGetChar|readLn|"                                                     \
    "getContents): end of file|Unhandled "                                                         \
    "Exception:\n?.*System\\.(?:ArgumentNullException|NullReferenceException)|"                    \
    "kind: Empty \\}|ERR_USE_AFTER_CLOSE|return value of "                                         \
    "\"java\\.(?:lang\\.System\\.console\\(\\)|"                                                   \
    "io\\.BufferedReader\\.readLine\\(\\))\" is null|Cannot parse null string|End_of_file|"        \
    "unexpected newline$|kotlin\\.KotlinNullPointerException"

static const struct hint_rule rows[] = {
    {"tty-passwd", FAMILY_CAUSE, ON_ANY, .programs = "passwd",
     .pattern = "password unchanged|Authentication token manipulation|aborted", .look = look_user,
     .text = "passwd asked for a password and nobody can type: the password is as it was. Set it "
             "with: echo "
             "'{word0}:PASSWORD' | chpasswd."},
    {"tty-adduser", FAMILY_CAUSE, ON_ANY, .from = FROM_OUT, .programs = "adduser",
     .pattern = "Is the information correct|New password:|Enter the new value|Retype new|password "
                "unchanged|"
                "Authentication token",
     .look = look_user,
     .text =
         "adduser asked questions that nobody could answer, so {word0} has no password. Set it "
         "with: echo "
         "'{word0}:PASSWORD' | chpasswd. Next time: adduser --disabled-password --gecos '' NAME."},
    {"tty-gpg-key", FAMILY_CAUSE, ON_ANY, .programs = "gpg gpg2", .look = look_gpg_key,
     .text = "gpg wants a terminal for this, so no key was made. Use: gpg --batch --pinentry-mode "
             "loopback "
             "--passphrase '' --quick-gen-key 'NAME <NAME@example.org>' default default never."},
    {"tty-gpg-secret", FAMILY_CAUSE, ON_FAIL | ON_TIMEOUT, .programs = "gpg gpg2",
     .look = look_gpg_secret,
     .text = "gpg asked for a passphrase and nobody can type. Give it: gpg --batch --yes "
             "--pinentry-mode "
             "loopback --passphrase 'SECRET' {word1} {word0}."},
    {"tty-ssh-overwrite", FAMILY_CAUSE, ON_ANY, .from = FROM_OUT, .programs = "ssh-keygen",
     .pattern = "^(\\S+) already exists\\.\n?Overwrite \\(y/n\\)\\?",
     .text = "The key {1} exists already and was kept. Use it as it is, or choose another name "
             "with -f."},
    {"tty-ssh-keygen", FAMILY_CAUSE, ON_ANY, .from = FROM_OUT, .programs = "ssh-keygen",
     .pattern = "Enter file in which to save the key", .look = look_ssh_keygen,
     .text = "ssh-keygen asked for a file name and nobody can type: no key was made. Use: mkdir -p "
             "~/.ssh && "
             "ssh-keygen -q -t {word0} -N '' -f {word1}."},
    {"tty-ssh-password", FAMILY_CAUSE, ON_FAIL, .programs = "ssh scp sftp rsync ssh-copy-id",
     .pattern = "Permission denied(?:, please try "
                "again|\\s*\\([^)\n]*(?:password|publickey)[^)\n]*\\))|Host key "
                "verification failed",
     .text = "The other machine asks for a password or a key, and nobody can type here. It needs a "
             "key of this "
             "machine in its authorized_keys; make one: mkdir -p ~/.ssh && ssh-keygen -q -t "
             "ed25519 -N '' -f "
             "~/.ssh/id_ed25519."},
    {"tty-openssl", FAMILY_CAUSE, ON_FAIL, .programs = "openssl",
     .pattern = "UI routines|problems? getting password|bad password read|unable to get "
                "passphrase|Can't open "
                "/dev/tty|Country Name \\(2 letter",
     .text = "openssl asked a question and nobody can type. Give the answers as options: openssl "
             "req ... -nodes "
             "-subj '/CN=localhost'; openssl enc ... -pbkdf2 -pass pass:SECRET; for a key: -passin "
             "or -passout "
             "pass:SECRET."},
    {"tty-crontab", FAMILY_CAUSE, ON_FAIL | ON_TIMEOUT, .programs = "crontab", .look = look_crontab,
     .text = "crontab -e wants an editor and nobody types here. Add a line with: (crontab -l "
             "2>/dev/null; echo "
             "'0 3 * * * COMMAND') | crontab -."},
    {"tty-editor", FAMILY_CAUSE, ON_ANY,
     .programs = "vi vim nvim nano pico emacs ed joe mcedit view vimdiff vim.tiny",
     .look = look_editor,
     .text = "{program} is an editor and nobody types here: {word0} is as it was. Write a file "
             "with the tool "
             "write_file; change a line with: sed -i 's/OLD/NEW/' {word0}."},
    {"tty-visudo", FAMILY_CAUSE, ON_FAIL | ON_TIMEOUT, .programs = "visudo vipw vigr",
     .text = "{program} wants an editor and nobody types here. Write the line with a command: echo "
             "'LINE' > "
             "/etc/sudoers.d/NAME. Everything here runs as root already."},
    {"tty-top", FAMILY_CAUSE, ON_FAIL | ON_TIMEOUT,
     .programs = "top htop btop atop iotop glances nmon", .look = look_top,
     .text = "{program} wants a terminal. Use: top -b -n 1 | head -n 20."},
    {"tty-watch", FAMILY_CAUSE, ON_FAIL | ON_TIMEOUT, .programs = "watch",
     .text = "watch repeats for ever and wants a terminal. Run the command itself once, without "
             "watch."},
    {"tty-reconfigure", FAMILY_CAUSE, ON_ANY, .programs = "dpkg-reconfigure", .look = look_file,
     .text = "dpkg-reconfigure asks in a dialog and nobody can answer: the settings are as they "
             "were. Time zone: "
             "ln -sf /usr/share/zoneinfo/AREA/CITY /etc/localtime. Locale: locale-gen and "
             "update-locale "
             "LANG=NAME."},
    {"tty-apt", FAMILY_CAUSE, ON_FAIL | ON_TIMEOUT, .from = FROM_OUT,
     .programs = "apt apt-get aptitude",
     .pattern = "^(?:Do you want to continue\\?[^\n]*|Continue\\?[^\n]*)?(?:Abort\\.|\\[Y/n\\] ?$)",
     .look = look_apt,
     .text =
         "apt asked whether to go on and nobody can answer: nothing was changed. Use: {word0}."},
    {"tty-conffile", FAMILY_CAUSE, ON_FAIL, .from = FROM_OUT,
     .pattern = "end of file on stdin at conffile prompt|What would you like to do about it \\?",
     .text =
         "dpkg asked which configuration file to keep and nobody can answer. Finish it with: dpkg "
         "--configure -a --force-confdef --force-confold."},
    {"tty-npm-init", FAMILY_CAUSE, ON_ANY, .programs = "npm yarn pnpm", .look = look_npm_init,
     .say = say_npm_init},
    {"tty-npm-login", FAMILY_CAUSE, ON_FAIL | ON_TIMEOUT, .programs = "npm yarn pnpm",
     .look = look_npm_login,
     .text = "{program} wants somebody to log in, and nobody types here. Do it without the "
             "registry account: "
             "npm pack makes a package file; npm install ./FILE.tgz installs it."},
    {"tty-git-rebase", FAMILY_CAUSE, ON_FAIL, .pattern = EDITOR_FAILED, .programs = "git",
     .look = look_git_rebase,
     .text = "An interactive rebase wants an editor and nobody types here. To join the last N "
             "commits into one: "
             "git rebase --abort; git reset --soft HEAD~N && git commit -m 'MESSAGE'."},
    {"tty-git-message", FAMILY_CAUSE, ON_FAIL, .pattern = EDITOR_FAILED, .programs = "git",
     .look = look_git_merge,
     .text = "git wanted an editor for the message. Keep the message it proposes: run the same "
             "command with "
             "--no-edit."},
    {"tty-git-editor", FAMILY_CAUSE, ON_FAIL, .pattern = EDITOR_FAILED, .programs = "git",
     .look = look_git_commit,
     .text = "git wanted an editor for the message and nobody types here: nothing was committed. "
             "Use: git commit "
             "-m 'MESSAGE'."},
    {"tty-git-patch", FAMILY_CAUSE, ON_ANY, .programs = "git", .look = look_git_add,
     .text = "git asks for each change and nobody can answer: nothing was chosen. Name whole "
             "files: git add "
             "FILE."},
    {"tty-ask-remove", FAMILY_CAUSE, ON_ANY, .programs = "rm",
     .pattern = "^rm: (?:remove|descend)[^\n]*\\? ?", .look = look_asked_files,
     .text = "rm asked and nobody can answer: nothing was removed, the files still exist. Run it "
             "without -i: "
             "{word0}."},
    {"tty-ask-overwrite", FAMILY_CAUSE, ON_ANY, .programs = "cp mv ln",
     .pattern = "^(?:cp|mv|ln): (?:overwrite|replace)[^\n]*\\? ?", .look = look_asked_files,
     .text = "{program} asked whether to overwrite and nobody can answer: the old file was kept. "
             "Run it without "
             "-i: {word0}."},
    {"tty-unzip", FAMILY_CAUSE, ON_ANY, .from = FROM_OUT, .programs = "unzip",
     .pattern = "replace ([^\n?]+)\\? \\[y\\]es",
     .text = "unzip asked whether to replace {1} and nobody can answer: it was not replaced. Use: "
             "unzip -o FILE.zip "
             "(replaces), or unzip -n FILE.zip (keeps)."},
    {"tty-gzip", FAMILY_CAUSE, ON_ANY, .programs = "gzip gunzip xz unxz bzip2 bunzip2 zstd unzstd",
     .pattern = "already exists;\\s*(?:do you wish|not overwritten)|File exists",
     .text = "The output file exists already and nobody can answer: nothing was done. To overwrite "
             "it, add -f."},
    {"tty-ffmpeg", FAMILY_CAUSE, ON_FAIL, .programs = "ffmpeg",
     .pattern = "Overwrite\\? \\[y/N\\]|Not overwriting",
     .text = "The output file exists already and nobody can answer. To overwrite it, put -y right "
             "after ffmpeg."},
    {"tty-zip-secret", FAMILY_CAUSE, ON_ANY, .from = FROM_OUT,
     .programs = "zip unzip 7z 7za 7zz unrar",
     .pattern = "(?:Enter|Verify) password|unable to get password|stderr is not a tty|skipping: "
                "\\S+ +(?:unable|incorrect)",
     .text = "{program} asked for a password and nobody can type. Give it as an option: zip -P "
             "SECRET, unzip -P "
             "SECRET, 7z -pSECRET."},
    {"tty-htpasswd", FAMILY_CAUSE, ON_ANY, .programs = "htpasswd smbpasswd",
     .pattern = "password verification error|New password|unable to (?:read|get) password",
     .text = "{program} asked for a password and nobody can type. Use: htpasswd -b FILE USER "
             "PASSWORD, or: printf "
             "'PASSWORD\\nPASSWORD\\n' | smbpasswd -s -a USER."},
    {"tty-keytool", FAMILY_CAUSE, ON_ANY, .from = FROM_OUT, .programs = "keytool jarsigner",
     .pattern =
         "Enter (?:keystore|destination keystore|key) password|What is your first and last name",
     .text = "keytool asked questions and nobody can type. Give the answers as options: -storepass "
             "SECRET -noprompt "
             "-dname 'CN=localhost'."},
    {"tty-django-user", FAMILY_CAUSE, ON_ANY, .from = FROM_OUT,
     .pattern = "Superuser creation skipped due to not running in a TTY",
     .text = "No superuser was made: nobody can type. Use: DJANGO_SUPERUSER_PASSWORD=SECRET "
             "python3 manage.py "
             "createsuperuser --noinput --username admin --email admin@example.org."},
    {"tty-pip-uninstall", FAMILY_CAUSE, ON_FAIL, .from = FROM_OUT, .programs = "pip pip3 python3",
     .pattern = "Proceed \\(Y/n\\)\\?",
     .text = "pip asked and nobody can answer: nothing was removed. Use: pip "
             "uninstall -y NAME."},
    {"tty-db-password", FAMILY_CAUSE, ON_FAIL,
     .programs = "psql createdb pg_dump createuser dropdb",
     .pattern = "no password supplied|fe_sendauth",
     .text = "The server wants a password and nobody can type. Give it: PGPASSWORD=SECRET "
             "{program} ... Or go in "
             "as the owner of the server, without a password: su postgres -c 'psql -c \"SQL\"'."},
    {"tty-multiplexer", FAMILY_CAUSE, ON_FAIL, .programs = "tmux screen byobu",
     .pattern = "not a terminal|Must be connected to a terminal|open terminal failed",
     .text = "{program} wants a terminal. Start the command in the background with a log: nohup "
             "COMMAND > out.log "
             "2>&1 &. Then look at the log: tail -n 20 out.log."},
    {"tty-curses", FAMILY_CAUSE, ON_FAIL,
     .pattern = "_curses\\.error|Error opening terminal: |cannot initialize terminal|setupterm: "
                "could not find "
                "terminal|termios\\.error: \\(25|not a tty$|ENOTTY|setRawMode is not a "
                "function|the input device is "
                "not a TTY",
     .text = "The program draws on a terminal, and there is none here. Test its logic with plain "
             "input and output: "
             "print() and stdin."},
    {"tty-stty", FAMILY_CAUSE, ON_FAIL, .programs = "stty clear reset tput tset",
     .pattern = "Inappropriate ioctl|TERM environment variable|unknown terminal|No value for "
                "\\$TERM|I need something "
                "more specific",
     .text = "There is no terminal here, so {program} has nothing to set. Leave it out."},
    {"tty-select-shell", FAMILY_CAUSE, ON_OK, .programs = "su", .look = look_su,
     .text = "su alone opens a shell in which nobody types, so it ended at once. {word1}. Give the "
             "command to su: su - "
             "{word0} -c 'COMMAND'."},
    {"tty-client", FAMILY_CAUSE, ON_OK,
     .programs = "sqlite3 mysql mariadb psql mongosh mongo redis-cli duckdb", .look = look_client,
     .text = "{program} got no statement, and nobody types here: nothing happened. Give it the "
             "statement: {program} "
             "{word0} \"SQL;\" for sqlite3, -e \"SQL\" for mariadb, -c \"SQL\" for psql."},
    {"tty-alone", FAMILY_CAUSE, ON_OK | ON_TIMEOUT,
     .programs = "python3 python node irb ghci php lua lua5.4 R julia bash sh zsh bc dc gdb "
                 "ipython jshell clojure "
                 "guile sbcl erl iex ocaml ftp telnet nslookup csharp",
     .look = look_alone,
     .text = "{program} alone waits for somebody who types, and nobody does: nothing was run. Put "
             "the program into a "
             "file with write_file and run that, or use run_code."},
    {"tty-read", FAMILY_CAUSE, ON_ANY, .programs = "read", .look = look_read,
     .text = "read -p asks somebody who types, and nobody does: the variable stays empty. Set it "
             "in the command: "
             "NAME=VALUE."},
    {"tty-program", FAMILY_CAUSE, ON_ERROR, .pattern = END_OF_INPUT, .look = look_own_program,
     .say = say_own_program},
};

const struct hint_table hint_table_terminal = {rows, COUNT_OF(rows)};
