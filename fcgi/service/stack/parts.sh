# shellcheck shell=bash
# parts.sh - sourced by quickstart.sh and tests/run.sh: the parts of a running Backtalk, each with a
# start_NAME that may be repeated: what runs and is as it should be stays, the rest is started anew.
# shellcheck disable=SC2034,SC2154 # the settings come from common.sh and go to its neighbours

# ---- programs and image -------------------------------------------------------------------------

run_autogen()
{
    flock "$root/configure.ac" "$root/autogen.sh"
}

configure_outdated()
{
    local f
    [ -x "$root/configure" ] && [ -f "$root/Makefile.in" ] || return 0
    for f in configure.ac Makefile.am; do
        [ "$root/configure" -nt "$root/$f" ] && [ "$root/Makefile.in" -nt "$root/$f" ] || return 0
    done
    return 1
}

# configure_in FOLDER OPTION...: configured there with exactly these options; what was compiled there with
# others, or from another checkout, goes
configure_in()
{
    local dir=$1 wanted
    shift
    wanted="$root $* ${CC-} ${CFLAGS-}"
    mkdir -p "$dir"
    if [ ! -f "$dir/Makefile" ] || [ "$root/configure" -nt "$dir/config.status" ] ||
        [ "$(cat "$dir/configured-with" 2>/dev/null)" != "$wanted" ]; then
        find "$dir" \( -name '*.o' -o -name '*.a' \) -delete
        (cd "$dir" && "$root/configure" "$@") || return 1
        echo "$wanted" >"$dir/configured-with"
    fi
}

build_programs()
{
    local options=()
    [ ! -f "$root/config.status" ] || die "this checkout was configured in place: var/build cannot be made" \
        "Say 'make distclean' in $root first."
    read -ra options <<<"${BACKTALK_CONFIGURE-}"
    if configure_outdated; then
        step "making the configure script" run_autogen || die "autogen.sh failed"
    fi
    step "configuring" configure_in "$build" --prefix=/usr --sysconfdir=/etc --localstatedir=/var \
        ${options[@]+"${options[@]}"} || die "configure failed" "Its own log: $build/config.log"
    step "building" make -C "$build" -j"$(nproc)" backtalk-fcgi backtalk-janitor backtalk-reply backtalk-agent ||
        die "the build failed"
    mkdir -p "$var/share" "$var/sbin"
    install -C -m 755 "$build/backtalk-fcgi" "$build/backtalk-janitor" "$build/backtalk-reply" "$var/sbin"
}

docker_answers()
{
    has_command curl && curl -s -f -m 10 -o /dev/null --unix-socket "$docker_socket" http://docker/_ping
}

# Uses the Engine that runs; starts one when none does, and remembers that it was us.
start_docker()
{
    if docker_answers; then
        return
    fi
    if [ "$docker_socket" != /var/run/docker.sock ]; then
        die "no Docker Engine answers at $docker_socket" "DOCKER_HOST says so: start that Engine, or unset it."
    elif [ -d /run/systemd/system ]; then
        step "starting the Docker Engine (systemctl start docker)" systemctl start docker ||
            die "the Docker Engine does not start" "See: journalctl -u docker"
        boot_id >"$run/docker.service"
    else
        say "starting a Docker Engine (no systemd here: dockerd in the background)"
        launch dockerd "" dockerd --host "unix://$docker_socket" --pidfile "$run/dockerd-own.pid"
    fi
    comes_up dockerd 60 docker_answers || {
        end_of_log dockerd >&2
        die "the Docker Engine does not answer at $docker_socket"
    }
}

stop_docker()
{
    if [ "$(cat "$run/docker.service" 2>/dev/null)" = "$(boot_id)" ]; then
        systemctl stop docker.socket docker.service || true
    fi
    rm -f "$run/docker.service"
    end dockerd TERM 30 KILL 5
}

# A host that cannot hold a sandbox to its limits: said, not hidden.
check_limits()
{
    local memory swap pids cpu
    read -r memory swap pids cpu < <(docker info -f \
        '{{.MemoryLimit}} {{.SwapLimit}} {{.PidsLimit}} {{.CPUCfsQuota}}' 2>/dev/null) || return 0
    [ "$memory" = true ] || warn "this kernel does not limit memory: a sandbox can use all there is." \
        "On a Raspberry Pi add 'cgroup_enable=memory cgroup_memory=1' to /boot/firmware/cmdline.txt and reboot."
    [ "$swap" = true ] || warn "this kernel does not account for swap: BACKTALK_SWAP_MIB has no effect." \
        "(Debian, cgroup v1: boot with swapaccount=1.)"
    [ "$pids" = true ] || warn "this kernel does not limit processes: a fork bomb in a sandbox is everybody's."
    [ "$cpu" = true ] || warn "this kernel does not limit processor time."
    if [ "$(awk '$1 == "SwapTotal:" { print $2 }' /proc/meminfo)" = 0 ]; then
        warn "this machine has no swap: a sandbox has its memory limit and nothing beyond it."
    fi
}

# run_code knows the languages that the image has, no others.
write_languages()
{
    "$root/sandbox-image/languages.sh" "$image" >"$var/share/languages.json.new" || return 1
    cmp -s "$var/share/languages.json.new" "$var/share/languages.json" ||
        cp "$var/share/languages.json.new" "$var/share/languages.json"
    rm "$var/share/languages.json.new"
}

make_image()
{
    step "sandbox image $image (minutes the first time)" "$root/sandbox-image/build.sh" "$machine" --tag "$image" \
        --agent "$build/backtalk-agent" || die "the sandbox image could not be made"
    write_languages || die "the languages of $image could not be listed"
    step "sandbox network $network" "$root/sandbox-image/network.sh" create "$network" ||
        die "the sandboxes' network could not be made"
}

# ---- the record ---------------------------------------------------------------------------------

as_postgres()
{
    (cd / && setpriv --reuid=postgres --regid=postgres --init-groups env HOME=/ LC_ALL=C.UTF-8 "$@")
}

# sql DATABASE STATEMENT: as the cluster's superuser
sql()
{
    PGUSER=postgres psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$1" -c "$2"
}

database_answers()
{
    sql postgres 'select 1'
}

make_cluster()
{
    local fresh=$var/pg.new
    rm -rf "$fresh"
    install -d -m 700 -o postgres -g postgres "$fresh"
    as_postgres "$pgbin/initdb" -D "$fresh" -U postgres --auth=reject -E UTF8 --locale=C.UTF-8 || return 1
    mv "$fresh" "$var/pg"
}

# Who may be whom: the operating system's word is the only credential.
write_access()
{
    install -d -m 755 "$var/access"
    cat >"$var/access/hba.conf" <<END
local  all  all  peer  map=backtalk
END
    cat >"$var/access/ident.conf" <<END
# map     system user  role
backtalk  postgres     postgres
backtalk  postgres     backtalk
backtalk  root         postgres
backtalk  root         backtalk
backtalk  root         backtalk_auditor
backtalk  backtalk     backtalk_worker
backtalk  backtalk     backtalk_reply
backtalk  backtalk-janitor  backtalk_janitor
END
}

choose_postgresql()
{
    local version
    pgbin=$(newest_postgresql)
    [ -n "$pgbin" ] || die "there is no PostgreSQL 15 or newer here"
    if [ -f "$var/pg/PG_VERSION" ]; then
        version=$(cat "$var/pg/PG_VERSION")
        pgbin=/usr/lib/postgresql/$version/bin
        [ -x "$pgbin/postgres" ] || die "the record in $var/pg is of PostgreSQL $version, which is not installed" \
            "Install postgresql-$version, or convert the folder with pg_upgrade."
    fi
}

# A server that runs on our files without being recorded (its record was deleted), or the note of
# one that is long gone and whose number another server of the same user has now.
check_leftover_server()
{
    local pid
    [ -f "$var/pg/postmaster.pid" ] || return 0
    pid=$(head -n 1 "$var/pg/postmaster.pid")
    if [ "$(readlink "/proc/$pid/cwd" 2>/dev/null)" = "$var/pg" ]; then
        die "PostgreSQL runs on $var/pg already (process $pid), and not from here" "Stop it: kill -INT $pid"
    fi
    rm -f "$var/pg/postmaster.pid"
}

start_database()
{
    local is command
    export PGHOST=$run/db PGPORT=$pgport PGDATABASE=backtalk
    unset PGUSER PGPASSWORD PGSERVICE PGOPTIONS
    choose_postgresql
    PATH=$pgbin:$PATH
    if [ ! -d "$var/pg" ]; then
        step "making a PostgreSQL cluster in $var/pg" make_cluster || die "initdb failed"
    fi
    write_access
    install -d -m 755 -o postgres -g postgres "$run/db"
    command=("$pgbin/postgres" -D "$var/pg" -c "listen_addresses=" -c "port=$pgport"
        -c "unix_socket_directories=$run/db" -c "hba_file=$var/access/hba.conf"
        -c "ident_file=$var/access/ident.conf" -c shared_buffers=32MB -c max_connections=$((workers * 2 + reply_workers + 40))
        -c jit=off -c timezone=UTC -c log_timezone=UTC -c "log_line_prefix=%m [%p] %u " -c logging_collector=off)
    is=$({ echo "${command[@]}" && cat "$var/access"/*.conf; } | digest)
    if ! current database "$is"; then
        end database INT 60 QUIT 10 || die "PostgreSQL does not stop"
        check_leftover_server
        launch database "$is" setpriv --reuid=postgres --regid=postgres --init-groups \
            env -i PATH="$PATH" LC_ALL=C.UTF-8 "${command[@]}"
    fi
    comes_up database 60 database_answers || {
        end_of_log database >&2
        die "the private PostgreSQL does not answer in $run/db"
    }
    if [ -z "$(sql postgres "select 1 from pg_database where datname = 'backtalk'")" ]; then
        sql postgres 'create database backtalk' || die "the database could not be made"
    fi
    step "bringing the record's schema up to date" env PGUSER=postgres "$root/sql/migrate.sh" ||
        die "the schema could not be made"
    sql backtalk 'alter database backtalk owner to backtalk'
}

# ---- workers, gate, web server ------------------------------------------------------------------

# The workers' user and the janitor's.
make_users()
{
    local user
    for user in backtalk backtalk-janitor; do
        getent passwd "$user" >/dev/null || useradd --system --user-group --no-create-home \
            --home-dir /nonexistent --shell /usr/sbin/nologin "$user" || die "the user $user could not be made"
    done
}

# settings_of PROGRAM: the names it knows
settings_of()
{
    "$var/sbin/$1" --help | sed -n 's/^  \(BACKTALK_[A-Z_]*\)$/\1/p'
}

# The workers' settings: those of the environment that backtalk-fcgi knows, and what is ours to say.
collect_settings()
{
    local name
    settings=()
    for name in $(settings_of backtalk-fcgi); do
        case $name in
            BACKTALK_DATABASE | BACKTALK_GATE | BACKTALK_INSTANCE | BACKTALK_IMAGE) continue ;;
            BACKTALK_NETWORK | BACKTALK_LANGUAGES | BACKTALK_WORKERS | BACKTALK_JANITOR_*) continue ;;
        esac
        [ -z "${!name-}" ] || settings+=("$name=${!name}")
    done
    settings+=("BACKTALK_DATABASE=host=$run/db port=$pgport dbname=backtalk user=backtalk_worker"
        "BACKTALK_GATE=$run/docker-gate.sock" "BACKTALK_INSTANCE=$instance" "BACKTALK_IMAGE=$image"
        "BACKTALK_JANITOR_DATABASE=host=$run/db port=$pgport dbname=backtalk user=backtalk_janitor"
        "BACKTALK_JANITOR_GATE=$run/docker-janitor.sock"
        "BACKTALK_NETWORK=$network" "BACKTALK_WORKERS=$workers" "BACKTALK_LANGUAGES=$var/share/languages.json")
}

gate_answers()
{
    curl -s -f -m 5 -o /dev/null --unix-socket "$run/docker-gate.sock" http://gate/_ping
}

start_gate()
{
    local group is
    group=$(stat -L -c %G "$docker_socket")
    local identity=(BACKTALK_GATE_USER=haproxy "BACKTALK_GATE_RUN_GROUP=$group")
    if [ "$group" = root ]; then
        warn "$docker_socket belongs to group root, so the Docker gate must run as root."
        identity=()
    fi
    install -d -m 755 "$var/gate"
    env -i PATH="$PATH" "${settings[@]}" "BACKTALK_FCGI=$var/sbin/backtalk-fcgi" BACKTALK_GATE_OWNER=backtalk \
        BACKTALK_GATE_GROUP=backtalk BACKTALK_GATE_MODE=600 BACKTALK_JANITOR_GATE_OWNER=backtalk-janitor \
        BACKTALK_JANITOR_GATE_GROUP=backtalk-janitor "BACKTALK_DOCKER_SOCKET=$docker_socket" \
        ${identity[@]+"${identity[@]}"} "$root/nginx-conf/make-gate.sh" >"$var/gate/docker-gate.cfg.new" ||
        die "the Docker gate's configuration could not be made"
    mv "$var/gate/docker-gate.cfg.new" "$var/gate/docker-gate.cfg"
    haproxy -c -q -f "$var/gate/docker-gate.cfg" >>"$log/steps.log" 2>&1 ||
        die "HAProxy refuses $var/gate/docker-gate.cfg" "Ask it why: haproxy -c -f $var/gate/docker-gate.cfg"
    is=$({ cat "$var/gate/docker-gate.cfg" && haproxy -v; } | digest)
    if ! current gate "$is"; then
        end gate TERM 10 KILL 5 || die "the Docker gate does not stop"
        launch gate "$is" haproxy -W -db -f "$var/gate/docker-gate.cfg"
    fi
    comes_up gate 20 gate_answers || {
        end_of_log gate >&2
        die "the Docker gate does not let the Engine answer"
    }
}

# ---- the janitor: every half minute, started again should it ever end by itself --------------------

# It has made a pass since it was started here.
janitor_answers()
{
    [ "$(sql backtalk "select ended_at > '$1' from backtalk.janitor_state")" = t ]
}

start_janitor()
{
    local is began
    is=$({ printf '%s\n' "${settings[@]}" && cat "$var/sbin/backtalk-janitor"; } | digest)
    if current janitor "$is"; then
        return
    fi
    end janitor TERM 60 KILL 5 || die "the janitor does not stop"
    began=$(sql backtalk 'select now()')
    # shellcheck disable=SC2016 # for that shell
    launch janitor "$is" setpriv --reuid=backtalk-janitor --regid=backtalk-janitor --clear-groups \
        env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "${settings[@]}" sh -c \
        'trap "kill \$!; wait \$!; exit" TERM; while :; do "$0" --passes 0 --every-s 30 & wait $!; sleep 5 & wait $!; done' \
        "$var/sbin/backtalk-janitor"
    comes_up janitor 60 janitor_answers "$began" || {
        end_of_log janitor >&2
        die "the janitor does not get through a pass"
    }
}

# stop_crew NAME SOCKET SECONDS WHAT: an idle worker ends at once, a busy one after its request, and those
# that are not through by then are killed; WHAT says what that means.
stop_crew()
{
    signal_members "$1" TERM
    if ! wait_for "$3" no_members "$1"; then
        warn "$4"
        signal_members "$1" KILL
        wait_for 5 no_members "$1" || return 1
    fi
    rm -f "$run/$1.pid" "$run/$2"
}

# stop_workers SECONDS
stop_workers()
{
    stop_crew workers fcgi.sock "$1" \
        "calls still ran after $1 s (BACKTALK_STOP_WAIT_S): they are cut off, as the record will say"
}

# stop_reply SECONDS
stop_reply()
{
    stop_crew reply reply.sock "$1" "answers still came after $1 s (BACKTALK_STOP_WAIT_S): they are cut off"
}

# nginx takes no new request and lets those under way end; so do the workers meanwhile.
end_web_and_workers()
{
    local pid
    if pid=$(pid_of web); then
        kill -s QUIT "$pid" 2>/dev/null || true
    fi
    signal_members reply TERM
    stop_workers "$stop_wait" && stop_reply "$stop_wait" && end web QUIT 5 TERM 10 KILL 5
}

# crew_waits NAME COUNT: the parent and every worker are there
crew_waits()
{
    [ "$(members "$1" | wc -l)" = $(($2 + 1)) ]
}

start_workers()
{
    local is
    is=$({ printf '%s\n' "${settings[@]}" && cat "$var/sbin/backtalk-fcgi" "$var/share/languages.json"; } |
        digest)
    if current workers "$is"; then
        return
    fi
    stop_workers "$stop_wait" || die "the workers do not stop"
    launch workers "$is" env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "${settings[@]}" \
        spawn-fcgi -n -s "$run/fcgi.sock" -M 0600 -U www-data -G www-data -u backtalk -g backtalk -- \
        "$var/sbin/backtalk-fcgi"
    comes_up workers 10 crew_waits workers "$workers" || {
        end_of_log workers >&2
        die "the workers do not start"
    }
}

# The settings of backtalk-reply lie in a file that only root reads: the model server's key is among them.
write_reply_settings()
{
    local setting
    (
        umask 077
        {
            for setting in $(settings_of backtalk-reply); do
                case $setting in
                    BACKTALK_REPLY_DATABASE | BACKTALK_REPLY_WORKERS | BACKTALK_LANGUAGES) continue ;;
                esac
                [ -z "${!setting-}" ] || printf 'export %s=%q\n' "$setting" "${!setting}"
            done
            printf 'export %s=%q\n' BACKTALK_REPLY_WORKERS "$reply_workers" \
                BACKTALK_LANGUAGES "$var/share/languages.json" BACKTALK_REPLY_DATABASE \
                "host=$run/db port=$pgport dbname=backtalk user=backtalk_reply"
        } >"$var/reply.settings.new"
        mv "$var/reply.settings.new" "$var/reply.settings"
    )
}

# Before the model server, when BACKTALK_UPSTREAM says where that is.
start_reply()
{
    local is
    if [ -z "$upstream" ]; then
        stop_reply "$stop_wait" || die "backtalk-reply does not stop"
        return
    fi
    write_reply_settings
    is=$(cat "$var/reply.settings" "$var/sbin/backtalk-reply" "$var/share/languages.json" | digest)
    if current reply "$is"; then
        return
    fi
    stop_reply "$stop_wait" || die "backtalk-reply does not stop"
    # shellcheck disable=SC2016 # for the inner shell
    launch reply "$is" env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 bash -c '. "$1" && shift && exec "$@"' reply \
        "$var/reply.settings" spawn-fcgi -n -s "$run/reply.sock" -M 0600 -U www-data -G www-data \
        -u backtalk -g backtalk -- "$var/sbin/backtalk-reply"
    comes_up reply 10 crew_waits reply "$reply_workers" || {
        end_of_log reply >&2
        die "backtalk-reply does not start"
    }
}

write_web()
{
    local kind
    install -d -m 755 "$var/web"
    install -d -m 700 -o www-data -g www-data "$var/web/tmp"
    env -u BACKTALK_CONF_DIR BACKTALK_FCGI_SOCKET="$run/fcgi.sock" BACKTALK_REPLY_SOCKET="$run/reply.sock" \
        "$root/nginx-conf/make-nginx.sh" "$var/web" ||
        die "nginx's configuration could not be made"
    {
        cat <<END
# Made by quickstart.sh at every start. For a server of your own see nginx-conf/README.md.
user www-data;
worker_processes auto;
pid $run/nginx.process;
error_log stderr warn;
worker_rlimit_nofile 4096;
events { worker_connections 1024; }
http {
    access_log off;
    server_tokens off;
END
        for kind in client_body proxy fastcgi uwsgi scgi; do
            echo "    ${kind}_temp_path $var/web/tmp/$kind;"
        done
        cat <<END
    include $var/web/backtalk-http.conf;
    server {
        listen 127.0.0.1:$port;
        include $var/web/backtalk.conf;
        ${upstream:+include $var/web/backtalk-v1.conf;}
        location / { return 404; }
    }
}
END
    } >"$var/web/nginx.conf"
}

port_user()
{
    ss -Hltnp "sport = :$port" | sed -n 's/.*users:(("\([^"]*\)",pid=\([0-9]*\).*/\1, process \2/p' | head -n 1
}

web_answers()
{
    [ "$(curl -s -m 5 -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/mcp")" = 405 ]
}

start_web()
{
    local is
    write_web
    is=$({ cat "$var/web"/*.conf && nginx -v 2>&1; } | digest)
    if ! current web "$is"; then
        end web QUIT 5 TERM 10 KILL 5 || die "nginx does not stop"
        if [ -n "$(ss -Hltn "sport = :$port")" ]; then
            die "port $port is in use (by $(port_user))" \
                "Set another one: BACKTALK_PORT=$((port + 1)) $0"
        fi
        launch web "$is" nginx -p "$var/web" -c "$var/web/nginx.conf" -e stderr -g 'daemon off;'
    fi
    comes_up web 20 web_answers || {
        end_of_log web >&2
        end_of_log workers >&2
        die "http://127.0.0.1:$port/mcp does not answer as it should"
    }
}
