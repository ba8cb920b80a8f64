/* What this machine has, where a program shows the host's; and what ran out. */
#include "config.h"

#include "core/hint_tables.h"
#include "core/hint_text.h"
#include "core/words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define UNLIMITED (UINT64_C(1) << 60)

/* What a command asks the machine. */
enum { ASKS_MEMORY = 1, ASKS_CPU = 2, ASKS_DISK = 4, ASKS_LOAD = 8 };

static unsigned
asked_by_program(const struct shell_command *c)
{
    static const struct {
        const char *programs;
        unsigned asks;
    } rows[] = {
        {"free vmstat slabtop", ASKS_MEMORY},
        {"nproc lscpu mpstat cpuid", ASKS_CPU},
        {"df lsblk fdisk", ASKS_DISK},
        {"uptime w tload", ASKS_LOAD},
        {"top htop atop", ASKS_MEMORY | ASKS_LOAD},
        {"neofetch fastfetch screenfetch inxi hwinfo lshw dmidecode", ASKS_MEMORY | ASKS_CPU},
    };
    static const struct {
        const char *path;
        unsigned asks;
    } paths[] = {
        {"/proc/meminfo", ASKS_MEMORY},       {"/proc/cpuinfo", ASKS_CPU},
        {"/proc/stat", ASKS_CPU | ASKS_LOAD}, {"/proc/loadavg", ASKS_LOAD},
        {"/proc/uptime", ASKS_LOAD},          {"_NPROCESSORS_ONLN", ASKS_CPU},
        {"_NPROCESSORS_CONF", ASKS_CPU},      {"_PHYS_PAGES", ASKS_MEMORY},
        {"/proc/partitions", ASKS_DISK},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (hint_is_one_of(c->program, rows[i].programs))
            return rows[i].asks;
    if (!hint_is_one_of(c->program, "cat head grep awk less tail getconf sed sort wc more cut tac"))
        return 0;
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        for (size_t k = 1; k < c->count; k++)
            if (strcmp(c->words[k].text, paths[i].path) == 0)
                return paths[i].asks;
    return 0;
}

/* A program text that prints what it asks. */
static unsigned
asked_by_code(const struct hint_look *l, const char *text)
{
    static const char cpu[] =
        "(?:print|puts|echo|console\\.log|Println|cout|printf)[^\n]*(?:cpu_count\\(|"
        "availableProcessors|"
        "hardware_concurrency|os\\.cpus\\(\\)|NumCPU\\(|sched_getaffinity|nprocessors)";
    static const char memory[] = "(?:print|console\\.log|Println|cout|printf)[^\n]*(?:virtual_"
                                 "memory\\(|totalmem\\(|freemem\\(|"
                                 "SC_PHYS_PAGES|sysinfo)|open\\(['\"]/proc/meminfo";
    static const char disk[] = "(?:print|console\\.log|Println)[^\n]*(?:disk_usage\\(|statvfs\\()";
    const char *group[HINT_GROUPS];

    return (hint_text_match(l->a, text, cpu, group) ? ASKS_CPU : 0) |
           (hint_text_match(l->a, text, memory, group) ? ASKS_MEMORY : 0) |
           (hint_text_match(l->a, text, disk, group) ? ASKS_DISK : 0);
}

static unsigned
asked(const struct hint_look *l)
{
    unsigned asks = 0;

    for (size_t i = 0; i < l->script.count; i++)
        asks |= asked_by_program(&l->script.at[i]);
    if (l->is_code)
        asks |= asked_by_code(l, l->code);
    else if (hint_command_find(&l->script, "python3 python node ruby perl php"))
        asks |= asked_by_code(l, l->command);
    return asks;
}

static bool
ask_limits(struct hint *h)
{
    h->fact[0] = hint_ask(h, FACT_LIMITS, "");
    return true;
}

static bool
look_view(struct hint *h)
{
    return h->look->exit != 127 && h->look->seen->out.seen > 0 && asked(h->look) != 0 &&
           ask_limits(h);
}

static uint64_t
number(const struct hint *h, const char *key)
{
    const char *text = hint_fact(h, h->fact[0], key);

    return text[0] >= '0' && text[0] <= '9' ? strtoull(text, NULL, 10) : UNLIMITED;
}

static uint64_t
swap_bytes(const struct hint *h)
{
    uint64_t total = number(h, "total"), memory = number(h, "memory");

    if (total < UNLIMITED && memory < UNLIMITED)
        return total > memory ? total - memory : 0;
    return number(h, "swap");
}

static void
add_memory(struct hint *h, struct buf *b)
{
    uint64_t memory = number(h, "memory"), swap = swap_bytes(h);

    if (memory >= UNLIMITED)
        return;
    buf_printf(b, "This machine has %s of memory", words_size(b->arena, memory));
    if (swap < UNLIMITED && swap > 0)
        buf_printf(b, " and %s of swap", words_size(b->arena, swap));
    buf_adds(b, ". ");
}

/* Does the output show that number already, in bytes, KiB, MiB or as "256Mi"? */
static bool
shows(const struct hint_look *l, uint64_t number)
{
    static const unsigned shifts[] = {0, 10, 20};

    for (size_t i = 0; i < COUNT_OF(shifts); i++) {
        const char *digits = arena_printf(l->a, "%" PRIu64, number >> shifts[i]), *at = l->out;
        size_t n = strlen(digits);

        while ((at = strstr(at, digits)) != NULL) {
            bool begins = at == l->out || at[-1] < '0' || at[-1] > '9';

            if (begins && (at[n] < '0' || at[n] > '9'))
                return true;
            at += n;
        }
    }
    return false;
}

/* What the program printed, if it is not the same. */
static void
add_host(struct hint *h, unsigned asks, struct buf *b)
{
    uint64_t quota = number(h, "quota"), period = number(h, "period");
    bool memory = !(asks & ASKS_MEMORY) || shows(h->look, number(h, "memory"));
    bool cpus = !(asks & ASKS_CPU) || period == 0 || quota >= UNLIMITED ||
                (strlen(h->look->out) < 8 && shows(h->look, quota / period));

    if (!memory || !cpus)
        buf_adds(b, "Other numbers are those of the host it runs on. ");
}

static void
add_cpus(struct hint *h, struct buf *b)
{
    uint64_t quota = number(h, "quota"), period = number(h, "period");

    if (quota >= UNLIMITED || period >= UNLIMITED || period == 0)
        return;
    if (quota % period == 0)
        buf_printf(b, "This machine may use %d CPU%s. ", (int)(quota / period),
                   quota / period == 1 ? "" : "s");
    else
        buf_printf(b, "This machine may use %d.%d CPUs. ", (int)(quota / period),
                   (int)(quota % period * 10 / period));
}

static bool
say_view(struct hint *h, struct buf *b)
{
    unsigned asks = asked(h->look);
    uint64_t born = number(h, "born");

    if (!hint_known(h, h->fact[0]))
        return false;
    if (asks & ASKS_MEMORY)
        add_memory(h, b);
    if (asks & ASKS_CPU)
        add_cpus(h, b);
    add_host(h, asks, b);
    if (asks & ASKS_DISK)
        buf_adds(b, "df shows the disk of the host; this machine has a smaller limit of its own. "
                    "See what it uses: du -shx /. ");
    if (asks & ASKS_LOAD && born < UNLIMITED)
        buf_printf(
            b, "Load and uptime are those of the host; this machine itself was started %s ago. ",
            words_ago(b->arena, (int64_t)born));
    while (b->len > 0 && b->data[b->len - 1] == ' ')
        b->data[--b->len] = '\0';
    return b->len > 0;
}

/* ---- what ran out
 * ---------------------------------------------------------------------------------------- */

static bool
look_oom(struct hint *h)
{
    return h->look->seen_all->oom_kills > 0 && ask_limits(h);
}

static const char *
memory_advice(const struct hint_look *l)
{
    static const struct {
        const char *programs, *advice;
    } rows[] = {
        {"g++ gcc clang clang++ cc1plus make cmake cargo rustc ghc",
         "Compile one file at a time, with -O1 or -O0 and without "
         "-j"},
        {"java javac mvn gradle kotlinc kotlin scala", "Give Java a smaller heap: -Xmx160m"},
        {"node npm npx tsc yarn", "Bound node's heap: NODE_OPTIONS=--max-old-space-size=180, and "
                                  "install or build less at once"},
        {"python3 python pip pip3",
         "Read and work line by line, use generators, and keep no whole lists"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (hint_command_find(&l->script, rows[i].programs))
            return rows[i].advice;
    return "Use less at once: read line by line, smaller arrays";
}

static bool
say_oom(struct hint *h, struct buf *b)
{
    uint64_t memory = number(h, "memory"), swap = swap_bytes(h);

    if (memory < UNLIMITED && swap < UNLIMITED)
        buf_printf(b,
                   "It wanted more memory than this machine has (%s, %s together with swap). %s.",
                   words_size(b->arena, memory), words_size(b->arena, memory + swap),
                   memory_advice(h->look));
    else
        buf_printf(b, "It wanted more memory than this machine has. %s.", memory_advice(h->look));
    return true;
}

/* A limit of the language's own, below that of the machine, or a size that cannot be meant. */
static bool
say_heap(struct hint *h, struct buf *b)
{
    static const struct {
        const char *sign, *text;
    } rows[] = {
        {"OutOfMemoryError: Java heap|GC overhead",
         "Java's own limit was reached: its heap may take half of the machine's memory. Give it "
         "more "
         "(java -Xmx400m CLASS), or keep less in memory at once."},
        {"Could not reserve", "Java wants more memory at its start than this machine has. Ask for "
                              "less: java -Xmx160m CLASS."},
        {"JavaScript heap",
         "node's own limit was reached. Work through the data in parts, and keep no whole lists. "
         "More "
         "memory, though slow: NODE_OPTIONS=--max-old-space-size=600 in front of the command."},
        {"Allowed memory size", "PHP's own limit was reached. Raise it (php -d memory_limit=400M "
                                "FILE.php), or keep less in "
                                "memory at once."},
        {"length_error|bad_array_new_length", "A size is negative or far too large. Print the size "
                                              "before the array or the string is made."},
    };
    const char *group[HINT_GROUPS];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (!hint_text_match(b->arena, h->group[0], rows[i].sign, group))
            continue;
        buf_adds(b, rows[i].text);
        if (number(h, "memory") < UNLIMITED)
            buf_printf(b, " This machine has %s of memory.",
                       words_size(b->arena, number(h, "memory")));
        return true;
    }
    return say_oom(h, b);
}

static bool
say_pids(struct hint *h, struct buf *b)
{
    uint64_t most = number(h, "pids"), now = number(h, "tasks");

    if (most >= UNLIMITED)
        buf_adds(b, "This machine has a limit of processes and it is reached.");
    else
        buf_printf(b, "This machine has a limit of %d processes and threads, and it was reached.",
                   (int)most);
    if (now < UNLIMITED)
        buf_printf(b, " Now %d run.", (int)now);
    buf_adds(b, " Start fewer at once (xargs -P 8), and stop those that are not needed.");
    return true;
}

static bool
say_disk(struct hint *h, struct buf *b)
{
    const char *shm = hint_fact(h, h->fact[0], "shm");

    if (strstr(h->group[0], "/dev/shm") || strstr(h->look->command, "/dev/shm")) {
        buf_printf(b, "/dev/shm has only %s on this machine. Use a folder under /work or /tmp.",
                   shm[0] ? words_size(b->arena, strtoull(shm, NULL, 10)) : "64 MiB");
        return true;
    }
    buf_adds(b, "The disk is full. See what takes the space: du -xh /work /tmp /root | sort -h | "
                "tail -n 20. Delete what is not "
                "needed, then run the command again.");
    return true;
}

static const struct hint_rule rows[] = {
    {"out-of-memory", FAMILY_CAUSE, ON_FAIL, .exits = {137, 134, 1, 4}, .look = look_oom,
     .say = say_oom},
    {"heap-limit", FAMILY_CAUSE, ON_FAIL,
     .pattern = "JavaScript heap out of memory|java\\.lang\\.OutOfMemoryError: "
                "(?!unable)[^\n]*|^MemoryError|std::bad_alloc|Cannot "
                "allocate memory|cannot allocate memory|out of memory allocating|runtime: out of "
                "memory|virtual memory "
                "exhausted|Killed signal terminated program cc1|Allowed memory size of \\d+ bytes "
                "exhausted|heap exhausted|"
                "Insufficient space for shared memory|Could not reserve enough space "
                "for|std::length_error|memory allocation of \\d+ "
                "bytes failed",
     .look = ask_limits, .say = say_heap},
    {"process-limit", FAMILY_CAUSE, ON_ANY,
     .pattern = "fork: (?:retry: )?Resource temporarily unavailable|Cannot fork|can't start new "
                "thread|pthread_create failed|"
                "unable to create (?:new )?native thread|failed to create new OS "
                "thread|BlockingIOError: \\[Errno 11\\] Resource|"
                "fork failed: Resource",
     .look = ask_limits, .say = say_pids},
    {"disk-full", FAMILY_CAUSE, ON_ERROR,
     .pattern = "[^\n]*(?:No space left on device|ENOSPC|Disk quota exceeded)", .look = ask_limits,
     .say = say_disk},
    {"open-files", FAMILY_CAUSE, ON_ERROR, .pattern = "Too many open files|EMFILE",
     .text = "Too many files are open at once. Close each file after use (with open(...) as f), or "
             "raise the limit in the same "
             "command: ulimit -n 4096; COMMAND."},
    {"real-limits", FAMILY_LIMITS, ON_ANY, .look = look_view, .say = say_view},
};

const struct hint_table hint_table_limits = {rows, COUNT_OF(rows)};
