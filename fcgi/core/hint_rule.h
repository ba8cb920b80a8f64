/* hint_rule.h - what a hint rule is made of. Rules are rows of the tables in hint_*.c, one file a
 * family; hints.c asks them from the first table's first row on.
 *
 * A row fires when all it says holds: how the call ended, one of its programs is in the command,
 * the pattern is in the text, look() agrees. Then its text, or say(), makes the sentence from the
 * captured groups and from facts. Text a program merely printed never fires: a pattern is sought
 * in stderr of a step that failed, unless the row says otherwise. */
#ifndef CORE_HINT_RULE_H
#define CORE_HINT_RULE_H

#include "base/buf.h"
#include "core/hint_command.h"
#include "core/hints.h"

enum {
    HINT_GROUPS = 4,
    HINT_FACTS_MAX = 16,
    HINT_FIRED_MAX = 12,
};

/* When a row applies. */
enum {
    ON_FAIL = 1,    /* the step failed */
    ON_MASKED = 2,  /* exit 0, but of a later command: one of the row's programs ran before it */
    ON_OK = 4,      /* exit 0 */
    ON_TIMEOUT = 8, /* it was killed after its time; ON_FAIL does not cover that */
    ON_ERROR = ON_FAIL | ON_MASKED,
    ON_ANY = ON_FAIL | ON_OK | ON_TIMEOUT,
};

/* Where a row's pattern is sought. Default: stderr, and stdout where 2>&1 leads there. */
enum { FROM_OUT = 1, FROM_CODE = 2, FROM_COMMAND = 4 };

/* At most one sentence of each is said. */
enum hint_family {
    FAMILY_CAUSE,  /* why it was not done */
    FAMILY_STATE,  /* what a later call will not see */
    FAMILY_LIMITS, /* what this machine has */
    FAMILY_SHOW,   /* what is the case now */
    FAMILY_HIDDEN, /* exit 0, and yet */
    FAMILY_CHECK,  /* what another program found in the text */
};

enum fact_kind {
    FACT_PATH,     /* absolute path: type size mode owner group; or names like it */
    FACT_EXEC,     /* absolute path: what executing it meets */
    FACT_COMMAND,  /* name: package that has it, names like it */
    FACT_INDEX,    /* "KIND NAME": packages that have the header, library or module */
    FACT_PACKAGE,  /* name: is it known to apt, names like it */
    FACT_PROVIDER, /* name: packages that provide it */
    FACT_PYTHON,   /* module: where it is, what has it */
    FACT_NODE,     /* module */
    FACT_PORTS,    /* "": who listens */
    FACT_LIMITS,   /* "": memory, CPUs, processes */
    FACT_PROCESS,  /* text: processes whose command line has it */
    FACT_UNSET,    /* names: those that have no value in a new shell */
    FACT_TAIL,     /* absolute path: its last lines */
    FACT_FILES,    /* "DIR SUFFIX": files of that folder */
    FACT_FIXED,    /* "TEXT\nPATH": how many lines hold the text */
    FACT_NET,      /* "": do names resolve */
    FACT_SERVICE,  /* name: its init script, does it run */
    FACT_USER,     /* name */
    FACT_SCRIPTS,  /* absolute path of a package.json: its scripts */
    FACT_TOPLEVEL, /* absolute path of a Python file: lines that do something */
    FACT_HEAD,     /* absolute path: its first lines */
    FACT_SCRIPT,   /* absolute path of a bash script: what ShellCheck says */
    FACT_INLINE,   /* bash text: what ShellCheck says */
    FACT_KINDS,
};

struct hint_rule;

/* One firing of a rule. */
struct hint {
    const struct hint_rule *rule;
    struct hint_look *look;
    const struct shell_command *command; /* of the row's programs; NULL without */
    const char *group[HINT_GROUPS];      /* what the pattern captured: [0] all, cleaned; or "" */
    const char *word[HINT_GROUPS];       /* for say(), from look() */
    size_t fact[HINT_GROUPS];            /* for say(): numbers that hint_ask returned */
};

struct hint_rule {
    const char *id;
    enum hint_family family;
    unsigned on;
    unsigned from;
    unsigned char exits[4]; /* one of these; {0}: any */
    const char *programs;   /* blank-separated; NULL: any */
    const char *pattern;    /* PCRE2, multiline; NULL: none */
    const char *names;      /* blank-separated: group 1 is one of them; NULL: any */
    bool (*look)(struct hint *h);
    /* The sentence: {1} is a group, {program}, {command}, {word0} ...; or made by say(), where
     * false means: nothing to say. */
    const char *text;
    bool (*say)(struct hint *h, struct buf *b);
};

/* A call as the rules see it. */
struct hint_look {
    struct arena *a;
    const struct plan *plan;
    const struct observation *seen_all;
    const struct judgement *judgement;
    const struct plan_step *step; /* the last one that was started */
    const struct step_seen *seen;
    bool is_code; /* run_code */
    bool failed;  /* the step did, or the verdict is FAIL */
    bool timed_out;
    int exit;            /* exit code, 128 + signal, or -1 */
    const char *command; /* the text bash was given; of run_code: its command line */
    struct shell_script script;
    const char *err, *out, *code; /* cleaned, shortened, NUL-ended */
    struct {
        enum fact_kind kind;
        const char *arg;
        const char *answer; /* lines "key=value"; NULL: not looked up */
    } facts[HINT_FACTS_MAX];
    size_t fact_count;
    struct hint fired[HINT_FIRED_MAX];
    size_t fired_count;
};

struct hint_table {
    const struct hint_rule *rows;
    size_t count;
};

/* ---- for look() -------------------------------------------------------------------------- */

/* Seeks a pattern in the texts the row's `from` names; true fills h->group. */
bool hint_match(struct hint *h, const char *pattern);
/* Asks a fact; returns its number for hint_fact. The same question is asked once. */
size_t hint_ask(struct hint *h, enum fact_kind kind, const char *arg);

/* ---- for say() --------------------------------------------------------------------------- */

/* True when the machine answered the question. */
bool hint_known(const struct hint *h, size_t fact);
/* The first value of a key, "" without one. In the arena. */
const char *hint_fact(const struct hint *h, size_t fact, const char *key);
/* All values of a key, in order; NULL-ended. */
const char *const *hint_facts(const struct hint *h, size_t fact, const char *key);
/* Appends a value, cleaned and shortened. */
void hint_add(struct buf *b, const char *text);

/* A path as the model would write it: relative to /work when it is below. */
const char *hint_shown(struct arena *a, const char *path);
/* How unlike two names are: edits, of which an exchange of neighbours is one; case is free. Names
 * are read up to 64 bytes. */
unsigned hint_distance(const char *x, const char *y);

#endif
