# shellcheck shell=bash
# common.sh - sourced by quickstart.sh and tests/run.sh: settings, messages, and the record of
# what was started.
#
# A part that runs (a server, a group of workers) has a line in $run/NAME.pid: process id, start
# time, boot, and a digest of what it was started from. The first three name one process for ever:
# a number the kernel gave to somebody else in the meantime is never taken for ours. The digest
# tells whether a part still is what the settings ask for.
# shellcheck disable=SC2034 # the settings are used by the other files of this folder

say()
{
    printf '%s\n' "$*"
}

# warn WHAT...: something the reader should know, though nothing stops for it
warn()
{
    printf 'note: %s\n' "$*" >&2
}

# die WHAT [WHAT TO DO]: ends the program
die()
{
    printf '\nquickstart: %s\n' "$1" >&2
    [ -z "${2-}" ] || printf '%s\n' "$2" >&2
    exit 1
}

# took MILLISECONDS: how long a step took, in words
took()
{
    printf '%d.%d s' $((($1) / 1000)) $((($1) % 1000 / 100))
}

now_ms()
{
    local t=${EPOCHREALTIME//[.,]/}
    printf %s $((t / 1000))
}

# step WHAT COMMAND...: runs a command with its output in $log/steps.log. A line is printed when it
# begins and when it ends, and every ten seconds between them; if it fails, so is the end of the log.
step()
{
    local what=$1 from began shown=0 pid s start=$SECONDS
    shift
    began=$(now_ms)
    from=$(stat -c %s "$log/steps.log" 2>/dev/null || echo 0)
    printf -- '--- %(%F %T)T %s\n' -1 "$what" >>"$log/steps.log"
    printf '%(%H:%M:%S)T  %s ...\n' -1 "$what"
    set -m # a process group of its own, for on_interrupt
    "$@" >>"$log/steps.log" 2>&1 </dev/null 9>&- &
    pid=$!
    set +m
    step_pid=$pid
    while kill -0 "$pid" 2>/dev/null; do
        s=$((SECONDS - start))
        if [ $((s / 10)) -gt $shown ]; then
            shown=$((s / 10))
            printf '          %3d s  %s\n' "$s" "$(tail -c 400 "$log/steps.log" | tr '\r' '\n' |
                grep -a '^[^-]*[[:alnum:]]' | tail -n 1 | tr -cd '[:print:]' | cut -c 1-76)"
        fi
        if [ $s -lt 2 ]; then sleep 0.1; else sleep 0.5; fi
    done
    step_pid=
    if wait "$pid"; then
        printf '          done in %s\n' "$(took $(($(now_ms) - began)))"
        return 0
    fi
    printf '          FAILED after %s; it said last:\n' "$(took $(($(now_ms) - began)))"
    tail -c +"$((from + 1))" "$log/steps.log" | tail -n 25 | sed 's/^/    | /'
    printf '          the whole of it: %s\n' "$log/steps.log"
    return 1
}

# For INT and TERM: the step under way is told too.
on_interrupt()
{
    [ -z "${step_pid-}" ] || kill -s INT -- "-$step_pid" 2>/dev/null
    die "interrupted" "Starting again goes on from here; '$0 stop' stops what has been started."
}

# wait_for SECONDS COMMAND...: until the command succeeds
wait_for()
{
    local until=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $until ] || return 1
        sleep 0.1
    done
}

# ---- settings -----------------------------------------------------------------------------------

# stack_settings ROOT: from the environment to variables of ours; ROOT is the checkout.
stack_settings()
{
    root=$1
    instance=${BACKTALK_INSTANCE:-backtalk}
    [[ $instance =~ ^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$ ]] ||
        die "BACKTALK_INSTANCE is '$instance': letters, digits, '.', '_' and '-', at most 40"
    var=${BACKTALK_VAR:-$root/var}
    run=${BACKTALK_RUN:-/run/quickstart-$instance}
    port=$(number BACKTALK_PORT 8080 1 65535)
    pgport=$(number BACKTALK_PGPORT 5439 1 65535)
    workers=$(number BACKTALK_WORKERS 8 1 256)
    reply_workers=$(number BACKTALK_REPLY_WORKERS 8 1 256)
    upstream=${BACKTALK_UPSTREAM-}
    stop_wait=$(number BACKTALK_STOP_WAIT_S 60 0 7200)
    machine=${BACKTALK_MACHINE:-slim}
    image=${BACKTALK_IMAGE:-backtalk-sandbox:$machine}
    network=${BACKTALK_NETWORK:-backtalk}
    member=${BACKTALK_MEMBER:-me}
    case ${DOCKER_HOST:-unix:///var/run/docker.sock} in
        unix:///*) docker_socket=${DOCKER_HOST:-unix:///var/run/docker.sock} ;;
        *) die "DOCKER_HOST is '$DOCKER_HOST': the Docker gate needs a socket of this machine" \
            "Set DOCKER_HOST=unix:///path/of/docker.sock, or unset it." ;;
    esac
    docker_socket=${docker_socket#unix://}
    export DOCKER_HOST=unix://$docker_socket
}

# number NAME DEFAULT MIN MAX: a setting that must be a whole number in a range
number()
{
    local text=${!1:-$2}
    if ! [[ $text =~ ^[0-9]{1,9}$ ]] || [ "$text" -lt "$3" ] || [ "$text" -gt "$4" ]; then
        die "$1 is '$text': a whole number from $3 to $4 is wanted"
    fi
    printf %s "$text"
}

# True when others than root may walk to the folder.
reachable()
{
    setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$1/."
}

# The folder var: made, and where its servers, which are not root, can reach it. A checkout in root's
# own closed home gets a link to /var/lib instead.
make_var()
{
    local apart=/var/lib/quickstart-$instance
    if [ ! -e "$var" ]; then
        mkdir -p "$var" || die "the folder $var cannot be made" "Set BACKTALK_VAR to another place."
        if ! reachable "$var"; then
            rmdir "$var"
            mkdir -p "$apart"
            ln -s "$apart" "$var"
            say "$root is closed to other users, so $var is a link to $apart"
        fi
    fi
    var=$(readlink -e "$var") || die "$var is a link to nowhere" "Remove it, or make what it points to."
    reachable "$var" || die "other users than root cannot reach $var, and the servers are not root" \
        "Set BACKTALK_VAR to a place they can reach, such as $apart."
    log=$var/log build=${BACKTALK_BUILD:-$var/build}
    mkdir -p "$log"
}

# The folder run: sockets and the record. One checkout owns an instance at a time.
make_run()
{
    local owner
    mkdir -p "$run"
    chmod 755 "$run"
    exec 9>"$run/lock"
    flock -w 600 9 || die "another quickstart.sh is at work on '$instance' for ten minutes now"
    owner=$(cat "$run/owner" 2>/dev/null || echo "$var")
    if [ "$owner" != "$var" ] && anything_runs; then
        die "the instance '$instance' runs already, from $owner" \
            "Stop that one, or give this one another name: BACKTALK_INSTANCE=NAME $0"
    fi
    echo "$var" >"$run/owner"
}

# ---- the record of what runs --------------------------------------------------------------------

boot_id()
{
    cat /proc/sys/kernel/random/boot_id
}

# start_of PID: when the process began, in the kernel's ticks; fails when there is no such process
# or only its remains
start_of()
{
    local stat
    { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
    stat=${stat##*) }
    # shellcheck disable=SC2086 # fields
    set -- $stat
    [ "$1" != Z ] && printf %s "${20}"
}

# record NAME PID DIGEST
record()
{
    local began
    began=$(start_of "$2") || return 1
    echo "$2 $began $(boot_id) $3" >"$run/$1.pid"
}

# pid_of NAME: its process, if it runs
pid_of()
{
    local pid began boot rest
    { read -r pid began boot rest <"$run/$1.pid"; } 2>/dev/null || return 1
    [ "$boot" = "$(boot_id)" ] && [ "$(start_of "$pid")" = "$began" ] && printf %s "$pid"
}

anything_runs()
{
    local file
    for file in "$run"/*.pid; do
        file=${file##*/}
        pid_of "${file%.pid}" >/dev/null && return 0
    done
    return 1
}

# current NAME DIGEST: true when it runs and was started from this
current()
{
    local rest
    pid_of "$1" >/dev/null || return 1
    read -r _ _ _ rest <"$run/$1.pid"
    [ "$rest" = "$2" ]
}

digest()
{
    sha256sum | cut -c 1-16
}

# launch NAME DIGEST COMMAND...: in a session of its own, output to its log
launch()
{
    local name=$1 digest=$2
    shift 2
    if [ "$(stat -c %s "$log/$name.log" 2>/dev/null || echo 0)" -gt 16000000 ]; then
        mv "$log/$name.log" "$log/$name.log.1"
    fi
    setsid "$@" >>"$log/$name.log" 2>&1 </dev/null 9>&- &
    record "$name" $! "$digest" || true
}

# gone NAME: the opposite of pid_of
gone()
{
    ! pid_of "$1" >/dev/null
}

# comes_up NAME SECONDS COMMAND...: wait_for, as long as the part lives
comes_up()
{
    local name=$1 until=$((SECONDS + $2))
    shift 2
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $until ] || return 1
        # a part that systemd keeps has no record of ours
        [ ! -f "$run/$name.pid" ] || pid_of "$name" >/dev/null || return 1
        sleep 0.1
    done
}

# The program a part consists of, as the kernel names its processes.
program_of()
{
    case $1 in
        web) echo nginx ;;
        gate) echo haproxy ;;
        database) echo postgres ;;
        workers) echo backtalk-fcgi ;;
        reply) echo backtalk-reply ;;
        janitor) echo backtalk-janito ;; # the kernel keeps 15 letters
        *) echo "$1" ;;
    esac
}

# members NAME: all processes of a part, also those that outlived the one in its record: of the session
# it was started in, not older than it, and of its program. None when the session's number belongs to
# somebody else today.
members()
{
    local pid began boot rest p
    { read -r pid began boot rest <"$run/$1.pid"; } 2>/dev/null || return 0
    [ "$boot" = "$(boot_id)" ] || return 0
    p=$(start_of "$pid" || echo "$began")
    [ "$p" = "$began" ] || return 0
    for p in $(pgrep -s "$pid" -x "$(program_of "$1")"); do
        [ "$(start_of "$p" || echo 0)" -lt "$began" ] || echo "$p"
    done
}

signal_members()
{
    local list
    mapfile -t list < <(members "$1")
    [ ${#list[@]} = 0 ] || kill -s "$2" "${list[@]}" 2>/dev/null || true
}

no_members()
{
    [ -z "$(members "$1")" ]
}

# end NAME SIGNAL SECONDS [SIGNAL SECONDS]...: signals one after the other to the part's first process
# until it is gone; then whoever outlived it is ended too
end()
{
    local name=$1 pid
    shift
    while pid=$(pid_of "$name"); do
        [ $# -ge 2 ] || return 1
        kill -s "$1" "$pid" 2>/dev/null || true
        wait_for "$2" gone "$name" || true
        shift 2
    done
    if ! wait_for 2 no_members "$name"; then
        signal_members "$name" TERM
        wait_for 5 no_members "$name" || signal_members "$name" KILL
        wait_for 5 no_members "$name" || return 1
    fi
    rm -f "$run/$name.pid"
}

# end_of_log NAME: what a part said last, for an error message
end_of_log()
{
    printf 'It said last (%s):\n' "$log/$1.log"
    tail -n 12 "$log/$1.log" 2>/dev/null | cut -c 1-300 | sed 's/^/    | /'
}
