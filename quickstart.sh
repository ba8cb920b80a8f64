#!/bin/bash
# quickstart.sh - a whole Backtalk on this machine, on loopback; see --help.
set -euo pipefail

usage()
{
    cat <<'END'
usage: quickstart.sh [start | stop | status]

start   (what it does without a word) installs the Debian packages that are missing, builds, makes
        the sandbox image, starts PostgreSQL, Docker gate, workers, janitor and nginx on loopback, makes a
        key, and makes a first tool call with it. To be repeated at will: what runs stays, what died or
        changed is started anew. After a reboot: start.
stop    ends exactly what start began. Sandboxes and the record stay.
status  says what runs; exit status 0 when everything does.

Needs root, on Debian 12 or 13. A Docker Engine that runs is used; no PostgreSQL cluster, nginx site
or other service of the machine is touched. Settings are environment variables; give the same ones
every time:

  BACKTALK_PORT         8080                 port of nginx on 127.0.0.1
  BACKTALK_WORKERS      8                    how many calls can run at once
  BACKTALK_VAR          var in the checkout  everything that is made: build, logs, record, key
  BACKTALK_INSTANCE     backtalk             its name: the label of its containers, its place in /run
  BACKTALK_RUN          /run/quickstart-NAME sockets and process numbers
  BACKTALK_PGPORT       5439                 number in the name of the record's socket
  BACKTALK_UPSTREAM                          address of a model server, up to its /v1: backtalk-reply
                                             stands before it at /v1/ (backtalk-reply --help)
  BACKTALK_MEMBER       me                   the member the first key is for
  BACKTALK_MACHINE      slim                 what a chat gets: slim, or full (every language; 5 GB)
  BACKTALK_IMAGE        backtalk-sandbox:slim, or :full
  BACKTALK_NETWORK      backtalk             Docker network of the sandboxes
  BACKTALK_CONFIGURE                         more options for configure
  BACKTALK_STOP_WAIT_S  60                   how long stop waits for calls that still run
  DOCKER_HOST           unix:///var/run/docker.sock

and those of the workers (limits of a sandbox, timeouts ...): backtalk-fcgi --help.
BACKTALK_UPSTREAM_KEY is the key the model server wants.
END
}

here=$(cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=fcgi/service/stack/common.sh
. "$here/fcgi/service/stack/common.sh"
# shellcheck source-path=SCRIPTDIR source=fcgi/service/stack/packages.sh
. "$here/fcgi/service/stack/packages.sh"
# shellcheck source-path=SCRIPTDIR source=fcgi/service/stack/parts.sh
. "$here/fcgi/service/stack/parts.sh"
# shellcheck source-path=SCRIPTDIR source=fcgi/service/stack/welcome.sh
. "$here/fcgi/service/stack/welcome.sh"
# shellcheck disable=SC2154 # set by common.sh

start()
{
    local packages began
    began=$(now_ms)
    check_debian
    make_var
    mapfile -t packages < <(missing_packages)
    install_packages "${packages[@]}"
    make_run
    build_programs
    start_docker
    check_limits
    make_image
    make_users
    start_database
    collect_settings
    start_gate
    start_workers
    start_reply
    start_janitor
    start_web
    make_keys
    write_environment
    first_call
    say
    say "Everything runs ($(took $(($(now_ms) - began))))."
    how_to_connect
}

stop()
{
    if ! [ -d "$run" ] || ! [ -e "$var" ]; then
        say "Nothing of '$instance' runs."
        return
    fi
    make_var
    make_run
    end janitor TERM 60 KILL 5 || die "the janitor does not stop"
    # nginx first: it takes no new request and lets those under way end, as the workers do
    end_web_and_workers || die "nginx or the workers do not stop"
    end gate TERM 10 KILL 5 || die "the Docker gate does not stop"
    end database INT 60 QUIT 10 || die "PostgreSQL does not stop"
    stop_docker || die "the Docker Engine does not stop"
    rm -f "$run/owner" "$run/docker-gate.sock" "$run/docker-janitor.sock"
    say "Stopped. Sandboxes, the record and the key in $var stay."
}

status()
{
    local name pid missing=0 parts=(web workers janitor gate database)
    if [ -n "$upstream" ] || [ -e "$run/reply.pid" ]; then
        parts+=(reply)
    fi
    [ -d "$run" ] || { say "Nothing of '$instance' runs." && return 1; }
    for name in "${parts[@]}"; do
        if pid=$(pid_of "$name"); then
            printf '%-9s runs     process %-8s since %s\n' "$name" "$pid" "$(ps -o lstart= -p "$pid")"
        else
            printf '%-9s is down  log: %s\n' "$name" "$var/log/$name.log"
            missing=1
        fi
    done
    if docker_answers; then
        printf '%-9s runs     %s%s\n' docker "$docker_socket" \
            "$(pid_of dockerd >/dev/null && echo ', started from here')"
        printf '%-9s %s running, %s in all\n' sandboxes "$(docker ps -q -f "label=backtalk.instance=$instance" | wc -l)" \
            "$(docker ps -aq -f "label=backtalk.instance=$instance" | wc -l)"
    else
        printf '%-9s is down  %s\n' docker "$docker_socket"
        missing=1
    fi
    health
    say "address   http://127.0.0.1:$port/mcp"
    [ -z "$upstream" ] || say "          http://127.0.0.1:$port/v1 before $upstream"
    return $missing
}

# What the record says of the house, and of the janitor's last pass.
health()
{
    PGHOST=$run/db PGPORT=$pgport sql backtalk "select format('%-9s last pass %s ago: %s (kept %s, disk %s)', 'janitor',
            coalesce(date_trunc('second', now() - janitor_pass_at)::text, 'never'), janitor_says, kept_sandboxes,
            pg_size_pretty(kept_bytes)) from backtalk.health" 2>/dev/null || true
}

case $#:${1-start} in
    0:start | 1:start | 1:stop | 1:status) verb=${1-start} ;;
    *:-h | *:--help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
esac
[ "$(id -u)" = 0 ] || die "quickstart.sh must be root: it installs packages and starts servers" "Try: sudo $0 $*"
stack_settings "$here"
trap on_interrupt INT TERM
"$verb"
