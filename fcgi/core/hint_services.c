/* Services and ports: what runs, who listens, and how to start it without systemd. */
#include "config.h"

#include "core/hint_tables.h"
#include "core/hint_text.h"
#include <stdlib.h>
#include <string.h>

/* ---- who listens
 * ----------------------------------------------------------------------------------- */

struct listener {
    unsigned port;
    bool local;          /* on 127.0.0.1 or ::1 only */
    const char *process; /* "PID COMMAND", or "" */
};

/* "0100007F 1F90 412 python3 -m http.server": address and port in hex, as in /proc/net/tcp. */
static struct listener
read_listener(struct arena *a, const char *line)
{
    struct listener l = {.process = ""};
    const char *port = strchr(line, ' '), *process = port ? strchr(port + 1, ' ') : NULL;
    size_t len = port ? (size_t)(port - line) : 0;

    if (!port)
        return l;
    l.port = (unsigned)strtoul(port + 1, NULL, 16);
    l.local = (len == 8 && strncmp(line + 6, "7F", 2) == 0) ||
              (len == 32 && strncmp(line + 24, "01000000", 8) == 0);
    if (process) {
        size_t n = strlen(process + 1);

        while (n > 0 && process[n] == ' ')
            n--;
        l.process = arena_strndup(a, process + 1, n < 80 ? n : 80);
    }
    return l;
}

static const char *
command_of_process(const char *process)
{
    const char *blank = strchr(process, ' ');

    return blank ? blank + 1 : "";
}

/* "port 3000 (node server.js) and port 5432"; "" when nothing listens. */
static const char *
listeners_text(struct hint *h)
{
    const char *const *lines = hint_facts(h, h->fact[0], "listen");
    struct arena *a = h->look->a;
    const char *text = "";
    unsigned last = 0;

    for (size_t i = 0, n = 0; lines[i] && n < 3; i++) {
        struct listener l = read_listener(a, lines[i]);
        const char *command = command_of_process(l.process);

        if (l.port == last || l.port == 0)
            continue;
        last = l.port;
        text = arena_printf(a, command[0] ? "%s%sport %u (%s)" : "%s%sport %u", text, n ? ", " : "",
                            l.port, command);
        n++;
    }
    return text;
}

static bool
find_listener(struct hint *h, unsigned port, struct listener *ret)
{
    for (const char *const *line = hint_facts(h, h->fact[0], "listen"); *line; line++) {
        *ret = read_listener(h->look->a, *line);
        if (ret->port == port)
            return true;
    }
    return false;
}

static bool
is_local(const char *host)
{
    return host[0] == '\0' || strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
           strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::1") == 0 || strcmp(host, "[::1]") == 0;
}

/* An address or the name of this machine. */
static bool
is_own(const struct hint *h, const char *host)
{
    for (const char *const *own = hint_facts(h, h->fact[0], "own"); *own; own++)
        if (strcasecmp(*own, host) == 0)
            return true;
    return false;
}

/* The last number of the command that can be a port. */
static const char *
port_in_command(struct hint *h)
{
    static const char pattern[] = "(?:^|[\\s:=(,])(\\d{2,5})(?!.*[\\s:=(,]\\d{2,5})";
    const struct hint_rule from = {.from = FROM_COMMAND}, *kept = h->rule;
    const char *port;

    h->rule = &from;
    port = hint_match(h, pattern) ? h->group[1] : "";
    h->rule = kept;
    return port;
}

/* ---- refused
 * ------------------------------------------------------------------------------------------ */

/* A server this very call started in the background, with a log. */
static const struct shell_command *
started_with_log(const struct hint_look *l)
{
    for (size_t i = 0; i < l->script.count; i++)
        if (l->script.at[i].join == JOIN_BACKGROUND && l->script.at[i].out_path)
            return &l->script.at[i];
    return NULL;
}

/* curl -s says nothing: exit code 7, and the address is in the command. */
static bool
is_refused_quietly(struct hint *h)
{
    static const char address[] =
        "^(?:(https?)://)?(\\[[\\da-f:]+\\]|[\\w.-]+)(?::(\\d+))?(?:[/?]|$)";
    const struct hint_look *l = h->look;
    const struct shell_command *c = hint_command_find(&l->script, "curl");
    const char *group[HINT_GROUPS];

    for (size_t i = 1; c && l->exit == 7 && i < c->count; i++) {
        const char *word = c->words[i].text;

        if (word[0] == '-' || !strpbrk(word, ".:/[") ||
            !hint_text_match(l->a, word, address, group))
            continue;
        h->word[0] = group[2];
        h->word[1] = group[3][0] ? group[3] : strcmp(group[1], "https") == 0 ? "443" : "80";
        return true;
    }
    return false;
}

/* What to look up, once it is known that nobody answered at word[0], port word[1]. */
static bool
ask_refused(struct hint *h)
{
    struct hint_look *l = h->look;
    const struct shell_command *started = started_with_log(l);

    h->fact[0] = hint_ask(h, FACT_PORTS, "");
    h->fact[1] = HINT_FACTS_MAX;
    if (started && hint_path(l->a, started->cwd, started->out_path)) {
        h->word[2] = started->out_path;
        h->fact[1] = hint_ask(h, FACT_TAIL, hint_path(l->a, started->cwd, started->out_path));
    }
    return true;
}

static bool
look_refused(struct hint *h)
{
    static const char *const patterns[] = {
        "^curl: \\(7\\) Failed to connect to (\\S+) port (\\d+)",
        "^Connecting to (\\S+?)(?: \\([^)\n]*\\))?(?:\\|[^|\n]*\\|)?:(\\d+)\\.\\.\\. failed: "
        "Connection refused",
        "connection to server at \"([^\"\n]+)\"[^\n]*, port (\\d+) failed: Connection refused",
        "ECONNREFUSED (?:\\[?)(127\\.0\\.0\\.1|::1|0\\.0\\.0\\.0|localhost)\\]?:(\\d+)",
        "HTTPConnectionPool\\(host='([^'\n]+)', port=(\\d+)\\)[^\n]*Connection refused",
        "^nc: connect to (\\S+) (?:\\([^)\n]*\\) )?port (\\d+) \\(tcp\\) failed: Connection "
        "refused",
        "Could not connect to Redis at ([^:\\s]+):(\\d+): Connection refused",
        "Can't connect to (?:MySQL )?server on '([^'\n:]+)(?::(\\d+))?'? \\(111\\)",
        "(?:dial tcp|connect to|connecting to) \\[?([\\w.:]+?)\\]?:(\\d+): (?:connect: "
        ")?[Cc]onnection refused",
        "(ConnectionRefusedError: \\[Errno 111\\]|\\[Errno 99\\] Cannot assign requested "
        "address|\\(111, 'Connection "
        "refused'\\)|java\\.net\\.ConnectException: "
        "Connection refused)",
    };

    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        if (!hint_match(h, patterns[i]))
            continue;
        h->word[0] = i + 1 == COUNT_OF(patterns) ? "" : h->group[1];
        h->word[1] = i + 1 == COUNT_OF(patterns) ? port_in_command(h) : h->group[2];
        return ask_refused(h);
    }
    return is_refused_quietly(h) && ask_refused(h);
}

static bool
say_refused(struct hint *h, struct buf *b)
{
    unsigned port = (unsigned)strtoul(h->word[1], NULL, 10);
    const char *const *lines = hint_facts(h, h->fact[1], "line");
    struct listener l;
    const char *text;

    if (!hint_known(h, h->fact[0]) || !(is_local(h->word[0]) || is_own(h, h->word[0])))
        return false;
    if (port > 0 && find_listener(h, port, &l) && l.local && !is_local(h->word[0])) {
        buf_printf(b,
                   "The program on port %u (%s) listens on 127.0.0.1 only, not on %s. Use "
                   "http://127.0.0.1:%u/, or start it with the address 0.0.0.0.",
                   port, command_of_process(l.process), h->word[0], port);
        return true;
    }
    if (port > 0 && find_listener(h, port, &l)) {
        buf_printf(b,
                   "A program listens on port %u now%s%s: it needed more time to start. Run the "
                   "command again.",
                   port, l.process[0] ? ": " : "", command_of_process(l.process));
        return true;
    }
    if (port > 0)
        buf_printf(b, "Nothing listens on port %u.", port);
    else
        buf_adds(b, "Nothing listens on that port.");
    if (lines[0]) {
        size_t n = 0;

        while (lines[n + 1])
            n++;
        buf_printf(b,
                   " The server started in this call has ended; its log %s ends with: \"%s\". "
                   "Solve that, then start "
                   "it again.",
                   h->word[2], lines[n]);
        return true;
    }
    text = listeners_text(h);
    if (text[0])
        buf_printf(b, " These do: %s.", text);
    buf_adds(b, " Start the server in the background with a log, then try again: nohup COMMAND > "
                "server.log 2>&1 & sleep 2; "
                "cat server.log.");
    return true;
}

/* ---- taken
 * --------------------------------------------------------------------------------------------- */

static bool
look_taken(struct hint *h)
{
    static const char *const named[] = {
        "EADDRINUSE: address already in use \\S*?:(\\d+)",
        "bind\\(\\) to \\S*?:(\\d+) failed",
        "listen tcp \\S*?:(\\d+): bind: address already in use",
        "[Pp]ort (\\d+) is (?:already )?in use",
        "[Ff]ailed to listen on \\S*?:(\\d+)",
        "could not bind (?:to )?\\S*?:(\\d+)",
    };
    static const char plain[] =
        "EADDRINUSE|[Aa]ddress already in use|bind\\(\\) to \\S+ failed \\(98|[Pp]ort \\d+ is "
        "(?:already )?in use|Failed to listen on \\S+ \\(reason: Address";

    if (!hint_match(h, plain))
        return false;
    h->word[0] = port_in_command(h);
    for (size_t i = 0; i < COUNT_OF(named); i++)
        if (hint_match(h, named[i])) {
            h->word[0] = h->group[1];
            break;
        }
    h->fact[0] = hint_ask(h, FACT_PORTS, "");
    return true;
}

static bool
say_taken(struct hint *h, struct buf *b)
{
    unsigned port = (unsigned)strtoul(h->word[0], NULL, 10);
    struct listener l = {.process = ""};

    if (!hint_known(h, h->fact[0]))
        return false;
    if (!find_listener(h, port, &l) || !l.process[0]) {
        buf_adds(b, "The port is already in use. See who listens: ss -ltnp. Stop that program, or "
                    "use another port.");
        return true;
    }
    buf_printf(b,
               "Port %u is already in use by process %.*s (%s), from an earlier call. Use it as it "
               "is, or stop it: kill "
               "%.*s.",
               port, (int)strcspn(l.process, " "), l.process, command_of_process(l.process),
               (int)strcspn(l.process, " "), l.process);
    return true;
}

/* ---- services
 * --------------------------------------------------------------------------------------------- */

static const char *
service_name(const char *name)
{
    static const char *const rows[][2] = {
        {"mysql", "mariadb"},      {"mysqld", "mariadb"}, {"postgres", "postgresql"},
        {"httpd", "apache2"},      {"apache", "apache2"}, {"redis", "redis-server"},
        {"sshd", "ssh"},           {"crond", "cron"},     {"docker", "docker"},
        {"php-fpm", "php8.4-fpm"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strcmp(rows[i][0], name) == 0)
            return rows[i][1];
    return name;
}

static bool
ask_service(struct hint *h, const char *name)
{
    size_t len = strlen(name);

    if (len > 8 && strcmp(name + len - 8, ".service") == 0)
        name = arena_strndup(h->look->a, name, len - 8);
    h->word[0] = name;
    h->word[1] = service_name(name);
    h->fact[0] = hint_ask(h, FACT_SERVICE, h->word[1]);
    return true;
}

static bool
look_systemd(struct hint *h)
{
    const char *name = NULL;

    for (size_t i = 0; !name && i < h->look->script.count; i++)
        if (hint_is_one_of(h->look->script.at[i].program, "systemctl service"))
            name = hint_command_operand(&h->look->script.at[i], 1);
    return ask_service(h, name ? name : "NAME");
}

static bool
look_unknown_service(struct hint *h)
{
    return ask_service(h, h->group[1]);
}

static bool
say_service(struct hint *h, struct buf *b)
{
    const char *script = hint_fact(h, h->fact[0], "script"),
               *like = hint_fact(h, h->fact[0], "like");
    const char *exec = hint_fact(h, h->fact[0], "exec"),
               *program = hint_fact(h, h->fact[0], "program");

    if (!hint_known(h, h->fact[0]))
        return false;
    if (strstr(h->group[0], "systemd") || strstr(h->group[0], "bus"))
        buf_adds(b, "No systemd runs on this machine. ");
    if (script[0])
        buf_printf(b, "Start it with: service %s start.", script);
    else if (like[0])
        buf_printf(b, "There is no service %s, but %s. Start it with: service %s start.",
                   h->word[0], like, like);
    else if (exec[0])
        buf_printf(b, "Start the program itself in the background: nohup %s > %s.log 2>&1 &.", exec,
                   h->word[1]);
    else if (program[0])
        buf_printf(b, "Start the program itself in the background: nohup %s > %s.log 2>&1 &.",
                   h->word[1], h->word[1]);
    else if (strcmp(h->word[0], "NAME") == 0)
        buf_adds(b, "Start a service with: service NAME start. See the names: ls /etc/init.d.");
    else
        buf_printf(b,
                   "No service %s is installed. Install it: apt-get update && apt-get install -y "
                   "%s. Then: service %s "
                   "start.",
                   h->word[0], h->word[1], h->word[1]);
    return true;
}

/* A server's own socket is not there. */
static bool
look_socket(struct hint *h)
{
    static const struct {
        const char *sign, *service;
    } rows[] = {
        {"mysql", "mariadb"},      {"maria", "mariadb"},  {"PGSQL", "postgresql"},
        {"redis", "redis-server"}, {"php", "php8.4-fpm"}, {"supervisor", "supervisor"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strstr(h->group[0], rows[i].sign))
            return ask_service(h, rows[i].service);
    return false;
}

static bool
say_socket(struct hint *h, struct buf *b)
{
    if (!hint_known(h, h->fact[0]))
        return false;
    buf_printf(b, "The server %s is not running. ", h->word[1]);
    if (hint_fact(h, h->fact[0], "script")[0])
        buf_printf(b, "Start it: service %s start. Then run the command again.", h->word[1]);
    else
        buf_printf(
            b,
            "Install and start it: apt-get update && apt-get install -y %s%s && service %s start.",
            h->word[1], strcmp(h->word[1], "mariadb") == 0 ? "-server" : "", h->word[1]);
    return true;
}

static bool
look_ssh_here(struct hint *h)
{
    const struct shell_command *c = h->command;
    const char *text = "";
    size_t i = 1;

    if (!is_local(h->group[1]))
        return false;
    while (i < c->count && c->words[i].text[0] == '-')
        i++;
    for (i++; i < c->count; i++)
        text = arena_printf(h->look->a, "%s%s%s", text, text[0] ? " " : "", c->words[i].text);
    h->word[0] = text[0] ? text : "COMMAND";
    return true;
}

static bool
look_database(struct hint *h)
{
    h->word[0] = h->group[0][0] == 'U'
                     ? arena_printf(h->look->a, "mariadb -e \"CREATE DATABASE %s\"", h->group[1])
                     : arena_printf(h->look->a, "su postgres -c 'createdb %s'", h->group[1]);
    return true;
}

#define SERVERS "postgres mysqld mariadbd initdb pg_ctl pg_ctlcluster"

static const struct hint_rule rows[] = {
    {"ssh-here", FAMILY_CAUSE, ON_ERROR, .programs = "ssh",
     .pattern = "^ssh: connect to host (\\S+) port \\d+: (?:Connection refused|Cannot assign)",
     .look = look_ssh_here,
     .text = "No SSH server listens on this machine. You are on it already: run the command "
             "directly: {word0}."},
    {"server-socket", FAMILY_CAUSE, ON_ERROR,
     .pattern = "[^\n]*(?:[Cc]an't connect to local (?:MySQL )?server through socket|connection to "
                "server on socket "
                "\"[^\"\n]*PGSQL[^\n]*(?:No such file|refused)|unix://[^\n]*supervisor[^\n]*no "
                "such file|connect\\(\\) "
                "to unix:[^\n]*(?:php|redis)[^\n]*failed)[^\n]*",
     .look = look_socket, .say = say_socket},
    {"docker-socket", FAMILY_CAUSE, ON_ERROR,
     .pattern = "Cannot connect to the Docker daemon|docker: error during connect|permission "
                "denied while trying to connect "
                "to the Docker",
     .text = "No containers can be started inside this machine. Run the program itself here: "
             "install it with apt-get, pip "
             "or npm and start it."},
    {"port-refused", FAMILY_CAUSE, ON_ERROR, .look = look_refused, .say = say_refused},
    {"port-taken", FAMILY_CAUSE, ON_ERROR | ON_TIMEOUT, .look = look_taken, .say = say_taken},
    {"no-systemd", FAMILY_CAUSE, ON_ERROR,
     .pattern = "System has not been booted with systemd|Failed to connect to (?:system scope "
                ")?bus|Failed to get D-Bus "
                "connection",
     .look = look_systemd, .say = say_service},
    {"service-unknown", FAMILY_CAUSE, ON_ERROR, .programs = "service systemctl invoke-rc.d",
     .pattern = "(?|^(\\S+): unrecognized service|Failed to (?:start|stop|restart|enable|reload) "
                "\\S+: Unit (\\S+) not "
                "(?:found|loaded)|Unit file (\\S+) does not exist|^Unit (\\S+) could not be found)",
     .look = look_unknown_service, .say = say_service},
    {"postgres-root", FAMILY_CAUSE, ON_FAIL, .programs = SERVERS " bash sh",
     .pattern = "\"root\" execution of the PostgreSQL server is not permitted|(?:initdb|pg_ctl): "
                "(?:error: )?cannot be run as "
                "root",
     .text = "PostgreSQL does not run as root. Start the installed one: service postgresql start. "
             "Run its tools as its user: "
             "su postgres -c 'psql -c \"SQL\"'."},
    {"mysqld-root", FAMILY_CAUSE, ON_FAIL, .pattern = "run mysqld as root",
     .text = "mysqld does not run as root. Start it with: service mariadb start."},
    {"postgres-peer", FAMILY_CAUSE, ON_FAIL,
     .programs = "psql createdb dropdb createuser pg_dump python3 node",
     .pattern = "Peer authentication failed for user|role \"root\" does not exist",
     .text = "Here the PostgreSQL user is taken from the Linux user. Become postgres: su postgres "
             "-c 'psql -c \"SQL\"'. Or use "
             "a user with a password over -h localhost."},
    {"mysql-denied", FAMILY_CAUSE, ON_FAIL,
     .programs = "mysql mariadb mysqladmin mysqldump python3 node",
     .pattern = "ERROR (?:1698|1045) \\(28000\\)[^\n]*Access denied for user '([^'\n]*)'",
     .text = "The server does not let {1} in with that password. As root of this machine no "
             "password is needed: mariadb -u root "
             "-e \"SQL\"."},
    {"database-missing", FAMILY_CAUSE, ON_FAIL,
     .pattern = "(?|database \"([^\"\n]+)\" does not exist|Unknown database '([^'\n]+)')",
     .look = look_database, .text = "The server runs, but has no database {1}. Make it: {word0}."},
    {"certificate", FAMILY_CAUSE, ON_ERROR,
     .pattern = "SSL certificate problem|certificate verify failed|self.signed certificate|"
                "DEPTH_ZERO_SELF_SIGNED_CERT|unable to get local issuer certificate",
     .text =
         "The certificate of that server is not known here. For a server of your own, leave the "
         "check out: curl -k URL; wget --no-check-certificate URL; requests.get(url, "
         "verify=False)."},
    {"empty-reply", FAMILY_CAUSE, ON_FAIL, .exits = {52, 56}, .programs = "curl",
     .text =
         "The server took the connection and closed it without an answer: it crashed, or it speaks "
         "another protocol (https, not http). Look at its log."},
    {"browser-root", FAMILY_CAUSE, ON_FAIL, .from = FROM_OUT,
     .pattern = "Running as root without --no-sandbox is not supported",
     .text = "The browser does not start as root without an option: add --no-sandbox --headless."},
    {"no-display", FAMILY_CAUSE, ON_FAIL,
     .pattern = "no display name and no \\$DISPLAY|cannot open display|could not connect to "
                "display|Missing X server|Can't open "
                "display|Unable to init server|HeadlessException|No DISPLAY variable",
     .text = "This machine has no screen, so no window can be opened. Write the result to a file "
             "(matplotlib: plt.savefig) or "
             "print it as text."},
    {"nginx-not-running", FAMILY_CAUSE, ON_FAIL, .programs = "nginx service",
     .pattern = "open\\(\\) \"/(?:var/)?run/nginx\\.pid\" failed|invalid PID number \"\"",
     .text = "nginx is not running, so there is nothing to reload or stop. Start it: nginx."},
};

const struct hint_table hint_table_services = {rows, COUNT_OF(rows)};
