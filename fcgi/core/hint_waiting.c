/* Calls that ran out of time: what would never have ended, and how to run it so that it does. */
#include "config.h"

#include "core/hint_tables.h"
#include "core/hint_text.h"
#include <stdlib.h>
#include <string.h>

static bool
look_follow(struct hint *h)
{
    const struct shell_command *c = h->command;

    h->word[0] = "FILE";
    for (size_t i = 1; i < c->count; i++)
        if (c->words[i].text[0] == '/' || strchr(c->words[i].text, '.'))
            h->word[0] = c->words[i].text;
    return hint_command_has(c, "-f") || hint_command_has(c, "-F") ||
           hint_command_has(c, "--follow") || hint_command_has(c, "-w");
}

static bool
look_count(struct hint *h)
{
    const char *host = hint_command_operand(h->command, 0);

    h->word[0] = host ? host : "HOST";
    return !hint_command_has(h->command, "-c");
}

/* What a server prints when it is ready. */
#define READY                                                                                      \
    "(?i)(?:serving http on|running on (?:all addresses|https?:)|listening (?:on|at)|server "      \
    "(?:is )?(?:started|running|"                                                                  \
    "listening|ready)|started server|development server[^\n]*started|ready on|ready in "           \
    "\\d|local: +https?:|press ctrl.c|"                                                            \
    "application startup complete|waiting for connections|accepting connections|listening for)"

static const char *
port_of(const struct hint_look *l)
{
    static const char printed[] = "(?i)(?:port |:)(\\d{4,5})\\b",
                      typed[] = "(?:^|[\\s:=])(\\d{4,5})\\b";
    const char *group[HINT_GROUPS];

    if (hint_text_match(l->a, l->out, printed, group) ||
        hint_text_match(l->a, l->err, printed, group) ||
        hint_text_match(l->a, l->command, typed, group))
        return group[1];
    return "PORT";
}

/* The last command that ran: what did not end. */
static const struct shell_command *
waiting_command(const struct hint_look *l)
{
    const struct shell_command *last = NULL;

    for (size_t i = 0; i < l->script.count; i++)
        if (l->script.at[i].level == 0 && l->script.at[i].count > 0 &&
            !hint_is_one_of(l->script.at[i].program,
                            "cd echo export sleep curl cat tail head tee grep"))
            last = &l->script.at[i];
    return last;
}

static bool
set_server(struct hint *h)
{
    const struct shell_command *c = waiting_command(h->look);

    if (!c)
        return false;
    h->word[0] = arena_strndup(h->look->a, c->text, strcspn(c->text, "|>&;"));
    h->word[1] = port_of(h->look);
    return true;
}

static bool
look_server(struct hint *h)
{
    static const char known[] =
        "^(?:.*(?:&&|;|\\n)\\s*)?(?:\\w+=\\S+ )*(?:nohup |exec )?(?:python3?(?: -u)? -m "
        "(?:http\\.server|flask|uvicorn|gunicorn|"
        "SimpleHTTPServer)|flask run|uvicorn |gunicorn |hypercorn |node "
        "\\S*(?:server|app|index)\\S*\\.m?js|npm (?:start|run (?:dev|start|serve))|"
        "yarn (?:dev|start)|npx (?:serve|http-server|vite|live-server)|nginx|php -S|php artisan "
        "serve|rails s|ruby -run|"
        "redis-server|mongod|mysqld|mariadbd|postgres |python3? manage\\.py runserver|django-admin "
        "runserver|http-server|"
        "caddy run|apache2 |httpd|java -jar|dotnet run|go run \\S*server|deno run|streamlit "
        "run|jupyter|sshd -D|cron -f|"
        "dockerd|vite|next dev|serve )";
    struct hint_look *l = h->look;
    const char *group[HINT_GROUPS];

    if (!hint_text_match(l->a, l->out, READY, group) &&
        !hint_text_match(l->a, l->err, READY, group) &&
        !hint_text_match(l->a, l->command, known, group))
        return false;
    return set_server(h);
}

static bool
say_server(struct hint *h, struct buf *b)
{
    const char *command = h->word[0];

    if (strncmp(command, "nginx", 5) == 0) {
        buf_adds(b, "\"daemon off\" keeps nginx in the foreground, so the call ran out of time. "
                    "Start it with: nginx. It goes to "
                    "the background by itself.");
        return true;
    }
    buf_printf(b,
               "%s is a server: it runs until it is stopped, so the call ran out of time and it "
               "was killed. Start it in the "
               "background with a log, then use it: nohup %s > server.log 2>&1 & sleep 2; curl -s "
               "http://localhost:%s/.",
               strncmp(command, "python", 6) == 0 || strncmp(command, "node", 4) == 0 ? "This"
               : h->command ? h->command->program
                            : "This",
               command, h->word[1]);
    return true;
}

/* "90", "1.5", "5m" */
static int64_t
sleep_ms(const char *time)
{
    char *end;
    double number = strtod(time, &end);

    if (number < 0 || number > 1e9)
        return 0;
    number *= *end == 'm' ? 60 : *end == 'h' ? 3600 : *end == 'd' ? 86400 : 1;
    return (int64_t)(number * 1000);
}

static bool
look_sleep(struct hint *h)
{
    const char *time = hint_command_operand(h->command, 0);

    int64_t ms = h->look->step->timeout_ms;

    h->word[0] = time ? time : "";
    return h->command->join != JOIN_BACKGROUND &&
           (hint_is_one_of(h->command->program, "wait yes") ||
            strcmp(h->word[0], "infinity") == 0 || sleep_ms(h->word[0]) * 2 >= ms);
}

static bool
look_download(struct hint *h)
{
    const struct hint_look *l = h->look;
    int64_t s = l->step->timeout_ms / 1000;

    if (s >= 1800)
        return false;
    h->word[0] = arena_printf(l->a, "%d", s < 300 ? 600 : 1800);
    return true;
}

static bool
look_own(struct hint *h)
{
    const struct shell_command *c = waiting_command(h->look);

    if (!c)
        return false;
    h->command = c;
    h->word[0] = arena_strndup(h->look->a, c->text, strcspn(c->text, "|>&;"));
    return true;
}

static bool
is_loop(const struct hint_look *l)
{
    static const char loop[] = "(?:^|[;&|\\n]\\s*)(?:while|until|for)\\s";
    const char *group[HINT_GROUPS];

    return hint_text_match(l->a, l->command, loop, group);
}

static bool
say_own(struct hint *h, struct buf *b)
{
    if (h->look->is_code)
        buf_adds(b, "The program did not end by itself: a loop does not reach its end, or it is "
                    "too slow for this input. Check when "
                    "each loop ends, and when reading stops.");
    else if (is_loop(h->look))
        buf_adds(b,
                 "The loop of this command did not end by itself. Write it so that it ends: for i "
                 "in $(seq 1 10); do ...; done. What has to go on belongs into the background.");
    else
        buf_printf(b,
                   "The program did not end by itself: a loop does not reach its end, or it needs "
                   "more time. Check when each loop "
                   "ends, and bound the next try: timeout 10 %s.",
                   h->word[0]);
    return true;
}

static const struct hint_rule rows[] = {
    {"wait-follow", FAMILY_CAUSE, ON_TIMEOUT, .programs = "tail journalctl dmesg less",
     .look = look_follow, .text = "{program} -f never ends. Use: tail -n 50 {word0}."},
    {"wait-ping", FAMILY_CAUSE, ON_TIMEOUT, .programs = "ping tcpdump arping", .look = look_count,
     .text = "{program} never ends by itself. Bound it: ping -c 4 {word0}."},
    {"wait-listen", FAMILY_CAUSE, ON_TIMEOUT, .programs = "nc ncat netcat socat",
     .text = "{program} waits for a connection. Start it in the background, then connect: "
             "{command} > nc.log 2>&1 &."},
    {"wait-monitor", FAMILY_CAUSE, ON_TIMEOUT,
     .programs = "vmstat iostat mpstat sar pidstat inotifywait top strace",
     .text = "{program} goes on for ever. Bound it: timeout 5 {command}."},
    {"wait-readline", FAMILY_CAUSE, ON_TIMEOUT, .from = FROM_CODE,
     .pattern = "while\\s*\\(?(?:True|1|true)\\)?\\s*[:{][\\s\\S]{0,300}?(?:readline\\(\\)|fgets|"
                "Console\\.ReadLine|gets\\b|read_line)",
     .text = "It never ends: at the end of the input reading gives nothing (\"\" or null), again "
             "and again, and the loop goes on. Stop "
             "there; in Python: if not line: break."},
    {"wait-cin", FAMILY_CAUSE, ON_TIMEOUT, .from = FROM_CODE,
     .pattern = "while\\s*\\(\\s*(?:!\\s*(?:std::)?cin\\.eof\\(\\)|!\\s*feof|true|1|(?:scanf|cin)"
                "\\b)[\\s\\S]{0,200}?(?:cin\\s*>>|scanf)",
     .text = "It never ends: at the end of the input nothing is read any more and the loop goes "
             "on. Make the reading itself the "
             "condition: while (cin >> x), or while (scanf(\"%d\", &x) == 1)."},
    {"wait-server", FAMILY_CAUSE, ON_TIMEOUT, .look = look_server, .say = say_server},
    {"wait-sleep", FAMILY_CAUSE, ON_TIMEOUT, .programs = "sleep wait yes", .look = look_sleep,
     .text =
         "{program} {word0} took all the time of the call. Wait for less, or look at the result "
         "in a later call."},
    {"wait-download", FAMILY_CAUSE, ON_TIMEOUT,
     .programs = "apt-get apt pip pip3 npm npx yarn git curl wget cargo go mvn gradle make cmake "
                 "g++ gcc conda gem bundle composer "
                 "docker ffmpeg rsync",
     .look = look_download,
     .text = "It needs more time. Run it again with the argument timeout: {word0}, or in the "
             "background with a log: nohup "
             "{command} > job.log 2>&1 &."},
    {"wait-own", FAMILY_CAUSE, ON_TIMEOUT, .look = look_own, .say = say_own},
};

const struct hint_table hint_table_waiting = {rows, COUNT_OF(rows)};
