#include "config.h"

#include "core/hint_probe.h"
#include <stdio.h>
#include <string.h>

enum { SCRIPT_MAX = 24000, ARG_MAX_BYTES = 400 };

/* say KEY VALUE prints a line; lines KEY prints one for each line it reads. Each question is a
 * function of its own; $1 is what is asked about. Loops over a whole folder or /proc have a limit
 * of time or of steps: the script as a whole is killed after HINTS_PROBE_MS. */
static const char prelude[] =
    "exec 2>/dev/null </dev/null\n"
    "cd /work\n"
    "export LC_ALL=C\n"
    "shopt -s nullglob dotglob\n"
    "say() { local t=${2//[[:cntrl:]]/?}; printf '%s=%s\\n' \"$1\" \"${t:0:300}\"; }\n"
    "lines() { local l; while IFS= read -r l; do say \"$1\" \"$l\"; done; }\n";

static const char path_text[] =
    "path() {\n"
    "  local p=$1 d=${1%/*} b=${1##*/} s\n"
    "  if s=$(stat -L -c '%F|%s|%a|%U|%G' -- \"$p\"); then\n"
    "    local IFS='|'; set -- $s; say type \"$1\"; say size \"$2\"; say mode \"$3\"\n"
    "    say owner \"$4\"; say group \"$5\"\n"
    "    if [ -L \"$p\" ]; then say link \"$(readlink -- \"$p\")\"; fi\n"
    "    return\n"
    "  fi\n"
    "  if [ -L \"$p\" ]; then say type broken; say link \"$(readlink -- \"$p\")\"; else say type "
    "none; fi\n"
    "  if [ -d \"${d:-/}\" ]; then\n"
    "    say dir yes\n"
    "    local n=0 f; for f in \"$d\"/*; do [ $((n++)) -lt 80 ] || break; say near \"$f\"; done\n"
    "  else\n"
    "    say dir no\n"
    "    while [ -n \"$d\" ] && [ ! -d \"$d\" ]; do d=${d%/*}; done\n"
    "    say up \"${d:-/}\"\n"
    "    local n=0 f; for f in \"$d\"/*; do [ $((n++)) -lt 30 ] || break; say side \"$f\"; done\n"
    "  fi\n"
    "  b=${b//[][*?\\\\]/?}\n"
    "  timeout 0.4 find /work /root /tmp /home /srv /opt -xdev -maxdepth 4 \\( -name node_modules "
    "-o "
    "-name .git -o -name site-packages -o -name '.cache' -o -name .backtalk \\) -prune -o -iname "
    "\"$b\" -print |\n"
    "    head -n 6 | lines at\n"
    "}\n";

static const char exec_text[] =
    "exec_() {\n"
    "  local p=$1 l i\n"
    "  say type \"$(stat -L -c %F -- \"$p\")\"\n"
    "  say mode \"$(stat -L -c %a -- \"$p\")\"\n"
    "  say size \"$(stat -L -c %s -- \"$p\")\"\n"
    "  say machine \"$(uname -m)\"\n"
    "  [ -f \"$p\" ] || return\n"
    "  say magic \"$(head -c 20 -- \"$p\" | od -An -v -tx1 | tr -d '\\n')\"\n"
    "  case $(head -c 2 -- \"$p\") in '#!') ;; *)\n"
    "    say first \"$(head -n 1 -- \"$p\" | head -c 120 | tr -d '\\000')\"; return ;; esac\n"
    "  l=$(head -n 1 -- \"$p\" | head -c 200 | tr -d '\\000')\n"
    "  case $l in *$'\\r') say crlf yes; l=${l%$'\\r'} ;; esac\n"
    "  say first \"$l\"\n"
    "  l=${l#??}; set -f; set -- $l; set +f\n"
    "  say interpreter \"$1\"\n"
    "  [ -x \"$1\" ] && say interpreter_there yes\n"
    "  case $1 in */env)\n"
    "    i=$2; [ \"$i\" = -S ] && i=$3\n"
    "    say program \"$i\"; type -P -- \"$i\" >/dev/null && say program_there yes ;;\n"
    "  esac\n"
    "}\n";

static const char command_text[] =
    "command_() {\n"
    "  local x=$1 p d f n l=${#1} index=/usr/share/backtalk/commands\n"
    "  if p=$(type -P -- \"$x\"); then say is \"$p\"; fi\n"
    "  for d in /usr/sbin /sbin /usr/local/sbin /usr/games /root/.local/bin /root/go/bin "
    "/root/.cargo/bin /usr/local/go/bin; do\n"
    "    if [ -x \"$d/$x\" ]; then say outside \"$d/$x\"; break; fi\n"
    "  done\n"
    "  for f in \"$x\" \"$x\".*; do [ -f \"$f\" ] && say file \"$f\"; done\n"
    "  [ -x \"node_modules/.bin/$x\" ] && say npx yes\n"
    "  for f in */bin/\"$x\"; do say venv \"$f\"; break; done\n"
    "  if [ -r $index ]; then say index yes; fi\n"
    "  X=$x awk '$1 == ENVIRON[\"X\"] { print $2; if (++n == 8) exit }' $index | lines package\n"
    "  [ \"$(X=$x awk '$2 == ENVIRON[\"X\"] { print 1; exit }' $index)\" = 1 ] && say named yes\n"
    "  IFS=: read -r -a d <<<\"$PATH\"\n"
    "  n=0\n"
    "  for p in \"${d[@]}\"; do for f in \"$p\"/*; do\n"
    "    f=${f##*/}\n"
    "    if [ ${#f} -ge $((l - 1)) ] && [ ${#f} -le $((l + 1)) ] &&\n"
    "      { [ \"${f:0:1}\" = \"${x:0:1}\" ] || [ \"${f: -1}\" = \"${x: -1}\" ]; } && [ $((n++)) "
    "-lt 150 ]; then\n"
    "      say near \"$f\"\n"
    "    fi\n"
    "  done; done\n"
    "}\n";

static const char index_text[] = "index() {\n"
                                 "  local f=/usr/share/backtalk/${1%% *}\n"
                                 "  [ -r \"$f\" ] && say index yes\n"
                                 "  X=${1#* } awk '$1 == ENVIRON[\"X\"] { print $2; if (++n == 8) "
                                 "exit }' \"$f\" | lines package\n"
                                 "}\n";

static const char package_text[] =
    ""
    "package() {\n"
    "  local x=$1 f\n"
    "  case $x in *[!a-zA-Z0-9.+:-]*|-*) say odd yes; return ;; esac\n"
    "  for f in /var/lib/apt/lists/*_Packages*; do say lists yes; break; done\n"
    "  { cat /usr/share/backtalk/packages || timeout 1 apt-cache pkgnames; } |\n"
    "    X=$x awk 'BEGIN { x = ENVIRON[\"X\"]; n = length(x); start = substr(x, 1, 3)\n"
    "      split(\"python3-@ lib@-dev node-@ ruby-@ golang-@ default-@ @-full @-cli @-dev @3\", w, "
    "\" \")\n"
    "      for (i in w) { sub(\"@\", x, w[i]); also[w[i]] = 1 } }\n"
    "    $1 == x { print \"known=yes\"; next }\n"
    "    $1 in also { print \"also=\" $1; next }\n"
    "    substr($1, 1, 3) == start { for (i = 3; i < n && substr($1, i + 1, 1) == substr(x, i + 1, "
    "1); "
    "i++) ; if (c[i]++ < 160) k[i] = k[i] \"near=\" $1 \"\\n\" }\n"
    "    END { for (i = n; i >= 3; i--) printf \"%s\", k[i] }' | head -n 160\n"
    "}\n";

/* apt's own answer may take a second: a question of its own, asked last. */
static const char provider_text[] = "provider() {\n"
                                    "  case $1 in *[!a-zA-Z0-9.+:-]*|-*) return ;; esac\n"
                                    "  timeout 0.8 apt-cache showpkg -- \"$1\" | sed '1,/^Reverse "
                                    "Provides:/d' | cut -d ' ' -f 1 |\n"
                                    "    sort -u | head -n 6 | lines provider\n"
                                    "}\n";

static const char python_text[] =
    "python_() {\n"
    "  local m=$1 f\n"
    "  for f in \"$m\".py \"$m\"/__init__.py; do [ -f \"$f\" ] && say here \"$f\"; done\n"
    "  timeout 0.4 find /work -xdev -maxdepth 4 \\( -name node_modules -o -name site-packages -o "
    "-name .git \\) "
    "-prune -o \\( -name \"$m.py\" -o -type d -name \"$m\" \\) -print | head -n 3 | lines at\n"
    "  for f in */lib/python3*/site-packages/\"$m\" .*/lib/python3*/site-packages/\"$m\" "
    "*/lib/python3*/site-packages/\"$m\".py; do say venv \"${f%%/lib/python3*}\"; break; done\n"
    "  type -P pip pip3 >/dev/null && say pip yes\n"
    "  grep -qs break-system-packages /etc/pip.conf && say open yes\n"
    "}\n";

static const char node_text[] =
    "node_() {\n"
    "  local m=$1 f d\n"
    "  timeout 0.4 find /work -xdev -maxdepth 4 -path \"*/node_modules/$m\" -print -quit | lines "
    "has\n"
    "  type -P npm >/dev/null && say npm yes\n"
    "  [ -d \"/usr/lib/node_modules/$m\" ] && say global \"/usr/lib/node_modules\"\n"
    "  [ -d \"/usr/local/lib/node_modules/$m\" ] && say global \"/usr/local/lib/node_modules\"\n"
    "  [ -f package.json ] && say json yes\n"
    "}\n";

static const char ports_text[] =
    "ports() {\n"
    "  local i h p f\n"
    "  while read -r i h p; do\n"
    "    f=$(timeout 0.3 find /proc/[0-9]*/fd -lname \"socket:\\[$i\\]\" -print -quit)\n"
    "    f=${f#/proc/}; f=${f%%/*}\n"
    "    [ -z \"$f\" ] || f=\"$f $(tr '\\000' ' ' </proc/$f/cmdline)\"\n"
    "    say listen \"$h $p $f\"\n"
    "  done < <(cat /proc/net/tcp /proc/net/tcp6 | awk '$4 == \"0A\" { n = split($2, a, \":\"); "
    "if (n < 2 || a[1] == \"0B00007F\") next; p = a[2]; "
    "print $10, a[1], p }' | sort -u | head -n 8)\n"
    "  for i in $(hostname -I) $(hostname); do say own \"$i\"; done\n"
    "}\n";

static const char limits_text[] =
    "limits() {\n"
    "  local g=/sys/fs/cgroup q p\n"
    "  if [ -r $g/memory.max ]; then\n"
    "    say memory \"$(<$g/memory.max)\"; say swap \"$(<$g/memory.swap.max)\"; say pids "
    "\"$(<$g/pids.max)\"\n"
    "    read -r q p <$g/cpu.max; say quota \"$q\"; say period \"$p\"\n"
    "    say used \"$(<$g/memory.current)\"; say tasks \"$(<$g/pids.current)\"\n"
    "  else\n"
    "    say memory \"$(<$g/memory/memory.limit_in_bytes)\"\n"
    "    say total \"$(<$g/memory/memory.memsw.limit_in_bytes)\"; say pids "
    "\"$(<$g/pids/pids.max)\"\n"
    "    say quota \"$(<$g/cpu/cpu.cfs_quota_us)\"; say period \"$(<$g/cpu/cpu.cfs_period_us)\"\n"
    "    say used \"$(<$g/memory/memory.usage_in_bytes)\"; say tasks \"$(<$g/pids/pids.current)\"\n"
    "  fi\n"
    "  say shm \"$(df -B1 --output=size,avail /dev/shm | tail -n 1)\"\n"
    "  say born \"$(($(date +%s) - $(stat -c %Y /proc/1)))\"\n"
    "}\n";

static const char process_text[] =
    "process() {\n"
    "  local d c n=0\n"
    "  for d in /proc/[0-9]*; do\n"
    "    [ \"${d#/proc/}\" -gt 1 ] && [ \"${d#/proc/}\" != $$ ] || continue\n"
    "    c=$(tr '\\000' ' ' <$d/cmdline); [ -n \"$c\" ] || continue\n"
    "    case $c in *backtalk-agent*|*'shopt -s nullglob'*) continue ;; esac\n"
    "    case $c in *\"$1\"*) [ $((n++)) -lt 4 ] && say pid \"${d#/proc/} ${c% }\" ;; esac\n"
    "  done\n"
    "}\n";

static const char unset_text[] =
    "unset_() { local n; for n in $1; do [ -n \"${!n+x}\" ] || say unset \"$n\"; done; }\n";

static const char tail_text[] =
    "tail_() {\n"
    "  [ -f \"$1\" ] || { say type none; return; }\n"
    "  say size \"$(stat -L -c %s -- \"$1\")\"\n"
    "  tail -c 4000 -- \"$1\" | grep -v '^[[:space:]]*$' | tail -n 3 | lines line\n"
    "}\n";

static const char files_text[] =
    "files() {\n"
    "  local d=${1%% *} s=${1#* } f n=0\n"
    "  cd \"$d\" || { say dir no; return; }\n"
    "  for f in *$s; do [ -f \"$f\" ] && [ $((n++)) -lt 12 ] && say file \"$f\"; done\n"
    "  cd /work\n"
    "}\n";

static const char fixed_text[] = "fixed() {\n"
                                 "  local t=${1%%$'\\n'*} p=${1#*$'\\n'}\n"
                                 "  [ -f \"$p\" ] || { say type none; return; }\n"
                                 "  say size \"$(stat -L -c %s -- \"$p\")\"\n"
                                 "  say count \"$(timeout 0.4 grep -c -F -e \"$t\" -- \"$p\")\"\n"
                                 "}\n";

static const char net_text[] = "net() { timeout 1 getent ahosts deb.debian.org >/dev/null && say "
                               "resolves yes || say resolves no; }\n";

static const char service_text[] =
    "service_() {\n"
    "  local x=${1%.service} f\n"
    "  [ -x \"/etc/init.d/$x\" ] && say script \"$x\"\n"
    "  for f in /etc/init.d/*\"$x\"*; do say like \"${f##*/}\"; done\n"
    "  for f in /usr/lib/systemd/system/\"$x\".service /etc/systemd/system/\"$x\".service; do\n"
    "    [ -f \"$f\" ] && say exec \"$(sed -n 's/^ExecStart=[-+!@:]*//p' \"$f\" | head -n 1)\"\n"
    "  done\n"
    "  f=$(type -P -- \"$x\") && say program \"$f\"\n"
    "}\n";

static const char user_text[] = "user() { local l; l=$(id -- \"$1\") && say id \"$l\"; l=$(getent "
                                "group \"$1\") && say group \"$l\"\n"
                                "  l=$(getent passwd \"$1\") && say passwd \"$l\"; }\n";

static const char scripts_text[] =
    "scripts() {\n"
    "  [ -f \"$1\" ] || { say type none; return; }\n"
    "  say type file\n"
    "  tr -d '\\n' <\"$1\" | sed -n 's/.*\"scripts\"[^{]*{\\([^}]*\\)}.*/\\1/p' |\n"
    "    grep -o '\"[^\"]*\"[[:space:]]*:[[:space:]]*\"' |\n"
    "    sed 's/^\"//; s/\"[[:space:]]*:.*//' | head -n 10 | lines script\n"
    "}\n";

static const char toplevel_text[] =
    ""
    "toplevel() {\n"
    "  [ -s \"$1\" ] || return\n"
    "  say does \"$(grep -cE '^[^[:space:]#@)]' -- \"$1\")\"\n"
    "  say defines \"$(grep -cE '^(def|class|import|from|async def|\"\"\"|[A-Za-z_]+:? ?[A-Za-z]* "
    "?= )' "
    "-- \"$1\")\"\n"
    "  say name \"$(sed -n 's/^def \\([A-Za-z_0-9]*\\).*/\\1/p' \"$1\" | tail -n 1)\"\n"
    "}\n";

static const char head_text[] = "head_() {\n"
                                "  [ -f \"$1\" ] || { say type none; return; }\n"
                                "  say size \"$(stat -L -c %s -- \"$1\")\"\n"
                                "  head -c 600 -- \"$1\" | head -n 12 | lines line\n"
                                "}\n";

/* ShellCheck 0.10 does not follow variables into subshells once it has read `set -o pipefail`. */
static const char script_text[] =
    "script() { [ -f \"$1\" ] && head -c 30000 -- \"$1\" | checked; }\n"
    "inline() { printf '%s\\n' \"$1\" | checked; }\n"
    "checked() {\n"
    "  sed 's/-\\([a-zA-Z]*\\)o  *pipefail\\>/-\\1h/g' | timeout 1.3 shellcheck -s bash -f gcc - "
    "|\n"
    "    sed -n -e 's/^-:\\([0-9]*\\):[0-9]*: \\(error\\|warning\\): /line \\1: /p' \\\n"
    "    -e '/SC203[01]\\]$/s/^-:\\([0-9]*\\):[0-9]*: note: /lost \\1: /p' | head -n 8 |\n"
    "    while IFS= read -r l; do say \"${l%% *}\" \"${l#* }\"; done\n"
    "}\n";

static const struct {
    const char *call, *text;
} kinds[FACT_KINDS] = {
    [FACT_PATH] = {"path", path_text},           [FACT_EXEC] = {"exec_", exec_text},
    [FACT_COMMAND] = {"command_", command_text}, [FACT_INDEX] = {"index", index_text},
    [FACT_PACKAGE] = {"package", package_text},  [FACT_PROVIDER] = {"provider", provider_text},
    [FACT_PYTHON] = {"python_", python_text},    [FACT_NODE] = {"node_", node_text},
    [FACT_PORTS] = {"ports", ports_text},        [FACT_LIMITS] = {"limits", limits_text},
    [FACT_PROCESS] = {"process", process_text},  [FACT_UNSET] = {"unset_", unset_text},
    [FACT_TAIL] = {"tail_", tail_text},          [FACT_FILES] = {"files", files_text},
    [FACT_FIXED] = {"fixed", fixed_text},        [FACT_NET] = {"net", net_text},
    [FACT_SERVICE] = {"service_", service_text}, [FACT_USER] = {"user", user_text},
    [FACT_SCRIPTS] = {"scripts", scripts_text},  [FACT_TOPLEVEL] = {"toplevel", toplevel_text},
    [FACT_HEAD] = {"head_", head_text},          [FACT_SCRIPT] = {"script", script_text},
    [FACT_INLINE] = {"inline", script_text},
};

static void
add_quoted(struct buf *b, const char *word)
{
    buf_addc(b, '\'');
    for (size_t i = 0; word[i] && i < ARG_MAX_BYTES; i++) {
        if (word[i] == '\'')
            buf_adds(b, "'\\''");
        else
            buf_addc(b, word[i]);
    }
    buf_addc(b, '\'');
}

const char *
hint_probe_script(struct arena *a, const struct hint_look *l)
{
    bool has[FACT_KINDS] = {false};
    struct buf b;

    if (l->fact_count == 0)
        return NULL;
    buf_init(&b, a, SCRIPT_MAX);
    buf_adds(&b, prelude);
    for (size_t i = 0; i < l->fact_count; i++) {
        enum fact_kind k = l->facts[i].kind;

        if (!has[k])
            buf_adds(&b, kinds[k].text);
        has[k] = true;
    }
    buf_adds(&b, "{\n");
    for (size_t i = 0; i < l->fact_count; i++) {
        buf_printf(&b, "printf '\\036%zu\\n'; %s ", i, kinds[l->facts[i].kind].call);
        add_quoted(&b, l->facts[i].arg);
        buf_addc(&b, '\n');
    }
    buf_adds(&b, "printf '\\036end\\n'\n}\n");
    return b.full ? NULL : buf_text(&b);
}

void
hint_probe_read(struct arena *a, struct hint_look *l, const char *out, size_t len)
{
    const char *text = out ? arena_strndup(a, out, len) : "";

    while ((text = strchr(text, '\036')) != NULL) {
        const char *body = strchr(++text, '\n'), *stop;
        size_t number = 0;

        if (!body || *text < '0' || *text > '9')
            continue;
        for (const char *c = text; *c >= '0' && *c <= '9' && number < HINT_FACTS_MAX; c++)
            number = number * 10 + (size_t)(*c - '0');
        stop = strchrnul(body, '\036');
        /* Without the next mark the answer was cut: it is not used. */
        if (number < l->fact_count && *stop)
            l->facts[number].answer = arena_strndup(a, body + 1, (size_t)(stop - body - 1));
        text = body;
    }
}
