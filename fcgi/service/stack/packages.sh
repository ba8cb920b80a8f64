# shellcheck shell=bash
# packages.sh - sourced by quickstart.sh and tests/run.sh: the Debian packages that are missing, and
# nothing of what is there touched: no service is started, no PostgreSQL cluster made.

is_installed()
{
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

has_command()
{
    command -v "$1" >/dev/null
}

has_postgresql()
{
    [ -n "$(newest_postgresql)" ]
}

# The folder of programs of the newest PostgreSQL here, 15 or later.
newest_postgresql()
{
    local dir version best=14
    for dir in /usr/lib/postgresql/*/bin; do
        version=${dir#/usr/lib/postgresql/}
        version=${version%/bin}
        if [[ $version =~ ^[0-9]+$ ]] && [ -x "$dir/initdb" ] && [ "$version" -gt "$best" ]; then
            best=$version
        fi
    done
    [ "$best" = 14 ] || printf %s "/usr/lib/postgresql/$best/bin"
}

needs_apparmor()
{
    [ "$(cat /sys/module/apparmor/parameters/enabled 2>/dev/null)" = Y ] && ! has_command apparmor_parser
}

# What running Backtalk takes. Programs may come from elsewhere (an Engine of Docker's own packages,
# a newer nginx); libraries to build with are asked for by name.
missing_packages()
{
    local p
    for p in ca-certificates iproute2 iptables procps jq curl util-linux \
        gcc libc6-dev make autoconf automake autoconf-archive pkg-config \
        libfcgi-dev libpq-dev libcurl4-openssl-dev libjson-c-dev libpcre2-dev libmd-dev; do
        is_installed "$p" || echo "$p"
    done
    for p in haproxy nginx spawn-fcgi debootstrap; do
        has_command "$p" || echo "$p"
    done
    has_postgresql || echo postgresql
    if ! has_command dockerd && ! docker_answers; then
        echo docker.io
    fi
    has_command docker || echo docker-cli
    ! needs_apparmor || echo apparmor
}

check_debian()
{
    local id version like name
    # shellcheck disable=SC1091
    id=$(. /etc/os-release && echo "${ID-}")
    # shellcheck disable=SC1091
    like=$(. /etc/os-release && echo "${ID_LIKE-}")
    # shellcheck disable=SC1091
    version=$(. /etc/os-release && echo "${VERSION_ID-0}")
    # shellcheck disable=SC1091
    name=$(. /etc/os-release && echo "${PRETTY_NAME-unknown}")
    case $id:$version in
        debian:12 | debian:13 | raspbian:12 | raspbian:13) return ;;
    esac
    has_command apt-get || die "this system is $name; quickstart.sh installs Debian packages" \
        "The packager's way (./autogen.sh, ./configure, make, make install) works elsewhere."
    case " $id $like " in
        *" debian "* | *" ubuntu "*) warn "this system is $name; Debian 12 and 13 are what was tried" ;;
        *) die "this system is $name; Debian 12 or 13 is wanted" ;;
    esac
}

# apt_get ...: never asks, keeps changed configuration files, waits for another apt
apt_get()
{
    DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 APT_LISTCHANGES_FRONTEND=none LC_ALL=C.UTF-8 \
        apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o APT::Color=0 \
        -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@"
}

# install_quietly PACKAGE...: as apt would, but services of new packages stay off: while apt works, a
# policy forbids to start any, and PostgreSQL is told to make no cluster. A policy of the machine's own
# is left alone. Services that run are not restarted: nothing installed is upgraded on its own account.
install_quietly()
{
    local policy=/usr/sbin/policy-rc.d conf=/etc/postgresql-common/createcluster.d/backtalk.conf
    local made_policy='' made_conf='' status=0 p
    trap 'undo_guards' EXIT
    undo_guards()
    {
        [ -z "$made_policy" ] || rm -f "$policy"
        [ -z "$made_conf" ] || rm -f "$conf"
    }
    if [ ! -e "$policy" ]; then
        made_policy=1
        printf '#!/bin/sh\n# While Backtalk installs packages; it goes away right after.\nexit 101\n' >"$policy"
        chmod 755 "$policy"
    fi
    if ! is_installed postgresql-common && [ ! -e "$conf" ]; then
        made_conf=1
        mkdir -p "${conf%/*}"
        echo 'create_main_cluster = false' >"$conf"
    fi
    apt_get install --no-install-recommends "$@" || status=$?
    undo_guards
    trap - EXIT
    # They would come up at the next boot, nginx on port 80: they are not wanted, ours are others.
    for p in nginx haproxy; do
        case " $* " in
            *" $p "*) update-rc.d "$p" disable >/dev/null 2>&1 || true ;;
        esac
    done
    return $status
}

# install_packages PACKAGE...: with progress; nothing when the list is empty
install_packages()
{
    local list=() p
    [ $# -gt 0 ] || return 0
    step "asking for the package lists" apt_get update ||
        die "apt-get update failed" "Is there a connection, and a mirror in /etc/apt/sources.list?"
    for p in "$@"; do
        # the docker command is a package of its own in Debian 13, part of docker.io in 12
        if [ "$p" = docker-cli ] && ! apt-cache show docker-cli >/dev/null 2>&1; then
            p=docker.io
        fi
        list+=("$p")
    done
    step "installing ${#list[@]} packages: ${list[*]}" install_quietly "${list[@]}" ||
        die "the packages could not be installed" "Put right what apt complains about and start again."
}
