#!/bin/bash
# make-gate.sh: prints the Docker gate's HAProxy configuration.
set -euo pipefail

usage()
{
    cat <<'EOF'
usage: make-gate.sh > docker-gate.cfg      everything comes from the environment:

BACKTALK_GATE_PATTERN   the pattern of the one create body              [what PROGRAM says]
BACKTALK_FCGI           PROGRAM, asked with --print-gate                [backtalk-fcgi]
BACKTALK_INSTANCE       name of this installation                       [backtalk]
BACKTALK_GATE           the gate's socket                               [/run/backtalk/docker-gate.sock]
BACKTALK_GATE_MODE      its permission bits                             [660]
BACKTALK_GATE_OWNER     its owner and                                   [unchanged]
BACKTALK_GATE_GROUP     its group: whose members, the workers, may connect  [unchanged]
BACKTALK_JANITOR_GATE   the same for the janitor: another socket,        [/run/backtalk/docker-janitor.sock]
BACKTALK_JANITOR_GATE_OWNER  whose owner and                            [BACKTALK_GATE_OWNER]
BACKTALK_JANITOR_GATE_GROUP  group are the janitor's                    [BACKTALK_GATE_GROUP]
BACKTALK_NETWORK        Docker network of the sandboxes                 [backtalk]
BACKTALK_DOCKER_SOCKET  the Docker Engine's socket                      [/var/run/docker.sock]
BACKTALK_GATE_USER      started as root, HAProxy runs as this user      [unchanged]
BACKTALK_GATE_RUN_GROUP and this group, which may open Docker's socket  [docker, when a user is given]
BACKTALK_GATE_LOG       HAProxy's log target                            [stdout format raw daemon]
BACKTALK_TIMEOUT_MAX_S  the longest call                                [1800]
EOF
}

die()
{
    echo "make-gate.sh: $*" >&2
    exit 1
}

# Values stand in the configuration as they are: hold them to characters that mean nothing there.
value()
{
    local name=$1 form=$2 text=${!1-$3}
    [[ $text =~ ^($form)$ ]] || die "$name is '$text': it must be of the form $form"
    printf %s "$text"
}

[ $# -eq 0 ] || { usage && exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
pattern=${BACKTALK_GATE_PATTERN-}
[ -n "$pattern" ] || pattern=$("${BACKTALK_FCGI:-backtalk-fcgi}" --print-gate)
[[ $pattern == ^* && $pattern == *\\z && $pattern != *[\'$'\n']* ]] || die "no usable pattern: $pattern"
path='/[A-Za-z0-9._/-]{1,106}' account='[a-z_][a-z0-9_-]*'

instance=$(value BACKTALK_INSTANCE '[A-Za-z0-9._-]{1,64}' backtalk)
network=$(value BACKTALK_NETWORK '[A-Za-z0-9._-]{1,128}' backtalk)
owner=$(value BACKTALK_GATE_OWNER "($account)?" '')
group=$(value BACKTALK_GATE_GROUP "($account)?" '')
janitor=$(value BACKTALK_JANITOR_GATE_OWNER "($account)?" "$owner")
janitors=$(value BACKTALK_JANITOR_GATE_GROUP "($account)?" "$group")
user=$(value BACKTALK_GATE_USER "($account)?" '')
run_group=$(value BACKTALK_GATE_RUN_GROUP "$account" docker)
longest=$(value BACKTALK_TIMEOUT_MAX_S '[0-9]{1,6}' 1800)

FILL_PATTERN=$pattern
FILL_INSTANCE_RE=${instance//./\\.}
FILL_SOCKET=$(value BACKTALK_GATE "$path" /run/backtalk/docker-gate.sock)
FILL_NETWORK_RE=${network//./\\.}
FILL_JANITOR_SOCKET=$(value BACKTALK_JANITOR_GATE "$path" /run/backtalk/docker-janitor.sock)
mode=$(value BACKTALK_GATE_MODE '[0-7]{3}' 660)
FILL_SOCKET_OPTIONS="mode $mode${owner:+ user $owner}${group:+ group $group}"
FILL_JANITOR_OPTIONS="mode $mode${janitor:+ user $janitor}${janitors:+ group $janitors}"
FILL_DOCKER_SOCKET=$(value BACKTALK_DOCKER_SOCKET "$path" /var/run/docker.sock)
FILL_LOG=$(value BACKTALK_GATE_LOG '[A-Za-z0-9@:._/ -]+' 'stdout format raw daemon')
FILL_TUNNEL_S=$((longest + 300))
FILL_USER_LINES='' FILL_USER_NOTE='whoever it was told to be with -u; it stays who it is here'
if [ -n "$user" ]; then
    FILL_USER_LINES="user $user"$'\n'"    group $run_group"
    FILL_USER_NOTE="$user, of group $run_group"
fi
export FILL_PATTERN FILL_INSTANCE_RE FILL_SOCKET FILL_SOCKET_OPTIONS FILL_DOCKER_SOCKET FILL_LOG \
    FILL_TUNNEL_S FILL_USER_LINES FILL_USER_NOTE FILL_NETWORK_RE FILL_JANITOR_SOCKET FILL_JANITOR_OPTIONS
exec awk -f "$here/fill.awk" "$here/docker-gate.cfg.in"
