#include "config.h"

#include "core/clean.h"
#include "core/hint_probe.h"
#include "core/hint_tables.h"
#include "core/hint_text.h"
#include <string.h>

enum { SENTENCE_MAX = 4096, SENTENCE_CHARS = 700 };

const struct hint_table *const hint_tables[] = {
    &hint_table_call,     &hint_table_terminal, &hint_table_git,     &hint_table_shell,
    &hint_table_names,    &hint_table_packages, &hint_table_modules, &hint_table_libraries,
    &hint_table_services, &hint_table_limits,   &hint_table_compile, &hint_table_runtime,
    &hint_table_waiting,  &hint_table_files,    &hint_table_hidden,  &hint_table_built,
    &hint_table_script,   &hint_table_state,    &hint_table_show,
};
const size_t hint_tables_count = COUNT_OF(hint_tables);

/* ---- the call as rules see it --------------------------------------------------------------- */

static bool
was_started(const struct step_seen *s)
{
    return s->end != STEP_NOT_RUN;
}

/* The text bash was given, without the line the plan adds to keep the exit code. */
static const char *
command_text(const struct hint_look *l)
{
    static const char added[] = "\nexit $?";
    const struct plan_step *step = l->step;
    const char *text = step->shown ? step->shown : "";
    const char *const *argv = step->argv;
    size_t len, n = sizeof added - 1;

    if (argv && argv[0] && argv[1] && strcmp(argv[1], "-c") == 0 && argv[2])
        text = argv[2];
    else if (argv && argv[0] && argv[1] && l->plan->file_count > 0 &&
             strcmp(argv[1], l->plan->files[0].path) == 0)
        text = l->plan->files[0].bytes;
    len = strlen(text);
    while (len > 0 && text[len - 1] == '\n')
        len--;
    if (len >= n && memcmp(text + len - n, added, n) == 0)
        len -= n;
    return arena_strndup(l->a, text, len);
}

static void
read_end(struct hint_look *l)
{
    const struct step_seen *s = l->seen;

    l->exit = s->end == STEP_EXITED        ? s->exit_code
              : s->end == STEP_SIGNALED    ? 128 + s->signal
              : s->end == STEP_NOT_STARTED ? 127
                                           : -1;
    l->timed_out = s->end == STEP_TIMED_OUT;
    l->failed = l->exit != 0 && !l->timed_out;
}

/* False: the call ran nothing that rules could speak of. */
static bool
read_call(struct hint_look *l)
{
    const struct plan *p = l->plan;
    size_t i = p->step_count < l->seen_all->step_count ? p->step_count : l->seen_all->step_count;

    if (p->kind != PLAN_STEPS || l->seen_all->file_failed)
        return false;
    while (i > 0 && !was_started(&l->seen_all->steps[i - 1]))
        i--;
    if (i == 0 || l->seen_all->steps[i - 1].end == STEP_CANCELLED)
        return false;
    l->step = &p->steps[i - 1];
    l->seen = &l->seen_all->steps[i - 1];
    l->is_code = strcmp(p->tool, "run_code") == 0;
    read_end(l);
    l->err = hint_text_of(l->a, &l->seen->err);
    l->out = hint_text_of(l->a, &l->seen->out);
    l->code = p->code ? hint_text_bytes(l->a, p->code, p->code_len) : "";
    l->command = command_text(l);
    if (l->is_code && l->step->argv && l->step->argv[0] && l->step->argv[1])
        l->script = hint_command_argv(l->a, l->step->argv, l->step->cwd);
    else
        l->script = hint_command_parse(l->a, l->command, l->step->cwd);
    return true;
}

/* ---- does a row fire ------------------------------------------------------------------------ */

/* Does the exit code tell nothing of this command? */
static bool
is_masked(const struct shell_script *s, const struct shell_command *c)
{
    if (c->level > 0)
        return true;
    for (; c < s->at + s->count; c++)
        if (c->level == 0 && c->join != JOIN_AND && c->join != JOIN_END)
            return true;
    return false;
}

static bool
any_masked(const struct shell_script *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (is_masked(s, &s->at[i]))
            return true;
    return false;
}

static const struct shell_command *
command_of(const struct hint_look *l, const char *programs, bool masked)
{
    for (size_t i = 0; i < l->script.count; i++) {
        const struct shell_command *c = &l->script.at[i];

        if (hint_is_one_of(c->program, programs) && (!masked || is_masked(&l->script, c)))
            return c;
    }
    return NULL;
}

/* Was the program not found? Then only rules about that have something true to say. */
static bool
is_absent(const struct hint_look *l, const struct shell_command *c)
{
    const char *at = l->exit == 127 && c->program[0] ? strstr(l->err, c->program) : NULL;
    const char *rest = at ? at + strlen(c->program) : "";

    return strncmp(rest, ": command not found", 19) == 0 || strncmp(rest, ": not found", 11) == 0;
}

static bool
has_exit(const struct hint_rule *r, int code)
{
    if (r->exits[0] == 0)
        return true;
    for (size_t i = 0; i < sizeof r->exits && r->exits[i]; i++)
        if (r->exits[i] == code)
            return true;
    return false;
}

static bool
fires(struct hint *h)
{
    const struct hint_rule *r = h->rule;
    struct hint_look *l = h->look;
    unsigned kind = l->timed_out ? ON_TIMEOUT : l->failed ? ON_FAIL : ON_OK;
    bool masked = !(r->on & kind);

    if (masked && !(kind == ON_OK && (r->on & ON_MASKED)))
        return false;
    if (masked && !r->programs && !any_masked(&l->script))
        return false;
    if (kind == ON_FAIL && !has_exit(r, l->exit))
        return false;
    if (r->programs && !(h->command = command_of(l, r->programs, masked)))
        return false;
    if (r->programs && is_absent(l, h->command))
        return false;
    if (r->pattern && !hint_match(h, r->pattern))
        return false;
    if (r->look && !r->look(h))
        return false;
    return !r->names || hint_is_one_of(h->group[1], r->names);
}

void
hints_look(const struct plan *p, const struct observation *o, const struct judgement *j,
           const char *switched_off, struct arena *a, struct hint_set *ret)
{
    struct hint_look *l = arena_alloc(a, sizeof *l);

    *l = (struct hint_look){.a = a, .plan = p, .seen_all = o, .judgement = j, .exit = -1};
    *ret = (struct hint_set){.look = l};
    if (!read_call(l))
        return;
    for (size_t t = 0; t < hint_tables_count; t++)
        for (size_t i = 0; i < hint_tables[t]->count && l->fired_count < HINT_FIRED_MAX; i++) {
            const struct hint_rule *r = &hint_tables[t]->rows[i];
            struct hint *h = &l->fired[l->fired_count];
            size_t facts = l->fact_count;

            *h = (struct hint){.rule = r, .look = l, .group = {"", "", "", ""}};
            if (!hint_is_one_of(r->id, switched_off) && fires(h))
                l->fired_count++;
            else
                l->fact_count = facts;
        }
    ret->probe = hint_probe_script(a, l);
}

bool
hint_match(struct hint *h, const char *pattern)
{
    const struct hint_look *l = h->look;
    bool out = (h->rule->from & FROM_OUT) || l->script.err_to_out || l->step->role != STEP_RUN;

    if (h->rule->from & FROM_COMMAND)
        return hint_text_match(l->a, l->command, pattern, h->group);
    if (h->rule->from & FROM_CODE)
        return hint_text_match(l->a, l->code, pattern, h->group);
    return hint_text_match(l->a, l->err, pattern, h->group) ||
           (out && hint_text_match(l->a, l->out, pattern, h->group));
}

/* ---- facts ----------------------------------------------------------------------------------- */

size_t
hint_ask(struct hint *h, enum fact_kind kind, const char *arg)
{
    struct hint_look *l = h->look;

    for (size_t i = 0; i < l->fact_count; i++)
        if (l->facts[i].kind == kind && strcmp(l->facts[i].arg, arg) == 0)
            return i;
    if (l->fact_count == HINT_FACTS_MAX)
        return HINT_FACTS_MAX; /* never answered */
    l->facts[l->fact_count].kind = kind;
    l->facts[l->fact_count].arg = arg;
    l->facts[l->fact_count].answer = NULL;
    return l->fact_count++;
}

bool
hint_known(const struct hint *h, size_t fact)
{
    return fact < h->look->fact_count && h->look->facts[fact].answer;
}

const char *const *
hint_facts(const struct hint *h, size_t fact, const char *key)
{
    struct hint_look *l = h->look;
    const char *line = hint_known(h, fact) ? l->facts[fact].answer : "";
    const char **values;
    size_t n = 0, len = strlen(key), lines = 1;

    for (const char *c = line; *c; c++)
        lines += *c == '\n';
    values = arena_alloc(l->a, (lines + 1) * sizeof *values);
    while (*line) {
        const char *end = strchrnul(line, '\n');

        if (strncmp(line, key, len) == 0 && line[len] == '=')
            values[n++] = arena_strndup(l->a, line + len + 1, (size_t)(end - line) - len - 1);
        line = *end ? end + 1 : end;
    }
    values[n] = NULL;
    return values;
}

const char *
hint_fact(const struct hint *h, size_t fact, const char *key)
{
    const char *first = hint_facts(h, fact, key)[0];

    return first ? first : "";
}

/* ---- sentences ------------------------------------------------------------------------------- */

static const char *
value_named(const struct hint *h, const char *name, size_t len)
{
    if (len == 1 && *name >= '0' && *name < '0' + HINT_GROUPS)
        return h->group[*name - '0'];
    if (len == 5 && strncmp(name, "word", 4) == 0 && name[4] >= '0' && name[4] < '0' + HINT_GROUPS)
        return h->word[name[4] - '0'];
    if (len == 7 && strncmp(name, "program", 7) == 0)
        return h->command ? h->command->program : NULL;
    if (len == 7 && strncmp(name, "command", 7) == 0)
        return h->command ? h->command->text : h->look->step->shown;
    if (len == 4 && strncmp(name, "file", 4) == 0)
        return h->look->plan->code_path;
    return NULL;
}

/* A brace that is no name of a value is text. */
static void
fill_in(const struct hint *h, const char *text, struct buf *b)
{
    while (*text) {
        const char *close = *text == '{' ? strchr(text, '}') : NULL;
        const char *value = close ? value_named(h, text + 1, (size_t)(close - text - 1)) : NULL;

        if (value) {
            hint_add(b, value);
            text = close + 1;
        } else {
            buf_addc(b, *text++);
        }
    }
}

static const char *
sentence(struct hint *h, struct arena *a)
{
    struct buf b;

    buf_init(&b, a, SENTENCE_MAX);
    if (h->rule->say) {
        if (!h->rule->say(h, &b))
            return NULL;
    } else {
        fill_in(h, h->rule->text, &b);
    }
    if (b.full || b.len == 0)
        return NULL;
    return clean_short(a, b.data, b.len, SENTENCE_CHARS);
}

size_t
hints_say(const struct hint_set *s, const char *probe_out, size_t len, struct arena *a,
          const char *ret_texts[HINTS_SAID_MAX + 1], const char *ret_ids[HINTS_SAID_MAX + 1])
{
    struct hint_look *l = s->look;
    unsigned families = 0;
    size_t n = 0;

    hint_probe_read(a, l, probe_out, len);
    for (size_t i = 0; i < l->fired_count && n < HINTS_SAID_MAX; i++) {
        struct hint *h = &l->fired[i];
        unsigned family = 1u << h->rule->family;

        if (families & family)
            continue;
        ret_texts[n] = sentence(h, a);
        if (!ret_texts[n])
            continue;
        ret_ids[n++] = h->rule->id;
        families |= family;
    }
    ret_texts[n] = ret_ids[n] = NULL;
    return n;
}

/* ---- ids ---------------------------------------------------------------------------------------
 */

const char *const *
hints_fired(const struct hint_set *s, struct arena *a)
{
    const struct hint_look *l = s->look;
    const char **ids = arena_alloc(a, (l->fired_count + 1) * sizeof *ids);

    for (size_t i = 0; i < l->fired_count; i++)
        ids[i] = l->fired[i].rule->id;
    ids[l->fired_count] = NULL;
    return ids;
}

const char *const *
hints_rules(struct arena *a)
{
    const char **ids;
    size_t n = 0;

    for (size_t t = 0; t < hint_tables_count; t++)
        n += hint_tables[t]->count;
    ids = arena_alloc(a, (n + 1) * sizeof *ids);
    n = 0;
    for (size_t t = 0; t < hint_tables_count; t++)
        for (size_t i = 0; i < hint_tables[t]->count; i++)
            ids[n++] = hint_tables[t]->rows[i].id;
    ids[n] = NULL;
    return ids;
}
