#!/bin/bash
# build.sh: makes the sandbox image with the docker command (DOCKER_HOST is honoured).
set -euo pipefail

usage()
{
    cat <<'EOF'
usage: build.sh PRODUCT [--tag TAG] [--agent FILE] [--packages FILE] [--base IMAGE] [--root DIR]
                [--force]

PRODUCT  slim: Python, C, C++, Node, Perl, Bash; full: every language of languages.json
--tag    name of the image                      [backtalk-sandbox:PRODUCT]
--packages  list of packages to add to every machine    [extra-packages beside build.sh]
--agent  the compiled backtalk-agent            [backtalk-agent beside sandbox-image/, where make
         leaves it]
--base   Debian 13 image to start from          [debian:trixie-slim when it is here or can be
         pulled at once, else one made by debootstrap, named backtalk-base:trixie]
--root   a Debian 13 root made by debootstrap, used in place of a new one
--force  build although the image is already here and up to date

BACKTALK_CA_DIR      folder of *.crt files the image shall trust beside the public ones
                     [/usr/local/share/ca-certificates, where Debian keeps the machine's own]
BACKTALK_MIRROR      Debian mirror debootstrap uses     [http://deb.debian.org/debian]
BACKTALK_PULL_WAIT_S how long a pull may take before debootstrap is used instead     [180]
EOF
}

say()
{
    echo "build.sh: $*" >&2
}

die()
{
    say "$*"
    exit 1
}

# loud WHAT COMMAND...: runs it with its output in a log, a sign of life every 10 s, and the end of
# the log when it fails
loud()
{
    local what=$1 started=$SECONDS last=$SECONDS pid
    shift
    say "$what ..."
    "$@" >"$scratch/log" 2>&1 &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        if [ $((SECONDS - last)) -ge 10 ]; then
            last=$SECONDS
            say "  $((SECONDS - started)) s: $(tail -c 300 "$scratch/log" | tr '\r' '\n' |
                grep . | tail -n 1 | cut -c 1-90)"
        fi
        sleep 0.2
    done
    if ! wait "$pid"; then
        tail -n 30 "$scratch/log" >&2
        return 1
    fi
    say "$what: done in $((SECONDS - started)) s"
}

have_image()
{
    docker image inspect "$1" >/dev/null 2>&1
}

# The public image, if the registry answers within seconds and the pull ends in time.
pull_public()
{
    local code
    code=$(curl -s -o /dev/null -m 5 -w '%{http_code}' https://registry-1.docker.io/v2/) || return 1
    case $code in
        200 | 401) ;;
        *) return 1 ;;
    esac
    loud "pulling $public" timeout "${BACKTALK_PULL_WAIT_S:-180}" docker pull "$public"
}

# A root like the public slim image's: no package files, lists, manuals and translations.
import_root()
{
    tar -C "$1" --exclude='./var/cache/apt/archives/*.deb' --exclude='./var/cache/apt/*.bin' \
        --exclude='./var/lib/apt/lists/*' --exclude='./usr/share/locale/*/LC_MESSAGES' \
        --exclude='./usr/share/man/*' --exclude='./usr/share/info/*' --exclude='./var/log/*.log' \
        --exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' \
        --exclude='./etc/resolv.conf' --exclude='./etc/hostname' -c . |
        docker import - "$own"
}

make_base()
{
    local dir=${root:-$scratch/root}
    if [ -z "$root" ]; then
        command -v debootstrap >/dev/null ||
            die "$public cannot be pulled, and debootstrap is not installed (apt-get install debootstrap)"
        loud "debootstrap of Debian 13" debootstrap --variant=minbase \
            --include=ca-certificates trixie "$dir" "$mirror" || die "debootstrap failed"
    fi
    loud "importing $own" import_root "$dir" || die "docker import failed"
}

choose_base()
{
    [ -z "$base" ] || return 0
    base=$public
    have_image "$public" && return 0
    if [ -z "$root" ] && ! have_image "$own" && pull_public; then
        return 0
    fi
    base=$own
    have_image "$own" || make_base
}

# What the image depends on, apart from the agent and the packages' versions.
revision_of()
{
    (cd "$1" && find . -type f ! -name backtalk-agent -printf '%m %p\n' -exec sha256sum {} + |
        LC_ALL=C sort | sha256sum | cut -c 1-16)
}

make_context()
{
    local context=$1 ca=${BACKTALK_CA_DIR-/usr/local/share/ca-certificates} file
    mkdir -p "$context/ca"
    cp "$here/Dockerfile" "$context/"
    cp -R "$here/etc" "$here/habits" "$here/make" "$here/full" "$context/"
    cp "$packages" "$context/extra-packages"
    rm -f "$context"/*/README.md
    chmod -R u=rwX,go=rX "$context"
    chmod 755 "$context"/habits/* "$context"/make/* "$context"/full/*
    for file in "$ca"/*.crt; do
        [ ! -f "$file" ] || install -m 644 "$file" "$context/ca/"
    done
}

here=$(cd "$(dirname "$0")" && pwd)
public=debian:trixie-slim own=backtalk-base:trixie
mirror=${BACKTALK_MIRROR:-http://deb.debian.org/debian}
product='' tag='' agent='' packages='' base='' root='' force=''
while [ $# -gt 0 ]; do
    case $1 in
        --tag | --agent | --packages | --base | --root)
            [ $# -ge 2 ] || die "$1 needs a value"
            declare "${1#--}=$2"
            shift
            ;;
        --force) force=1 ;;
        -h | --help) usage && exit 0 ;;
        slim | full) product=$1 ;;
        *) usage >&2 && exit 2 ;;
    esac
    shift
done
[ -n "$product" ] || { usage >&2 && exit 2; }
tag=${tag:-backtalk-sandbox:$product}
docker version >/dev/null 2>&1 || die "no Docker Engine answers (docker version)"

# One build at a time: a second one of the same content then finds its layers made.
if { exec 9>/run/lock/backtalk-image; } 2>/dev/null && ! flock -n 9; then
    say "another build is under way: waiting for it"
    flock 9
fi
packages=${packages:-$here/extra-packages}
[ -f "$packages" ] || die "there is no file $packages"
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
make_context "$scratch/context"
agent=${agent:-$here/../backtalk-agent}
[ -f "$agent" ] || die "there is no $agent: run make first, or give --agent FILE"
install -m 755 "$agent" "$scratch/context/backtalk-agent"
revision=$(revision_of "$scratch/context")
agent_sum=$(sha256sum "$scratch/context/backtalk-agent" | cut -d ' ' -f 1)
labels='{{index .Config.Labels "backtalk.revision"}} {{index .Config.Labels "backtalk.agent"}}'
present=$(docker image inspect -f "$labels" "$tag" 2>/dev/null || true)
if [ -z "$force" ] && [ "$present" = "$revision $agent_sum" ]; then
    say "$tag is up to date (revision $revision)"
    exit 0
fi

choose_base
# --network host: containers of the default bridge may have no working resolver.
loud "building $tag from $base" docker build --network host --target "$product" -t "$tag" \
    --build-arg "PRODUCT=$product" --build-arg "BASE=$base" --build-arg "REVISION=$revision" \
    --build-arg "AGENT_SHA256=$agent_sum" "$scratch/context" || die "the build failed"
say "$tag: $(docker image inspect -f '{{.Size}}' "$tag" | awk '{printf "%.0f MB", $1 / 1e6}')," \
    "revision $revision"
