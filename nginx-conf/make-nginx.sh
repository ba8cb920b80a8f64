#!/bin/bash
# make-nginx.sh: writes nginx's configuration for Backtalk into a folder.
set -euo pipefail

usage()
{
    cat <<'EOF'
usage: make-nginx.sh DIR        writes into DIR, with the values of the environment:

  backtalk-http.conf      include it in http { }
  backtalk.conf           include it in the server { } that clients shall reach
  backtalk-v1.conf        beside it, when backtalk-reply runs: the model server's API at /v1/
  backtalk-fastcgi.conf, backtalk-common.conf   included by these
  example-server.conf     or include this one in http { }: a whole server, with TLS

BACKTALK_CONF_DIR         where nginx finds them, when DIR is moved there   [DIR]
BACKTALK_FCGI_SOCKET      the workers' socket                  [/run/backtalk/fcgi.sock]
BACKTALK_REPLY_SOCKET     that of backtalk-reply               [/run/backtalk/reply.sock]
BACKTALK_UPSTREAM_TIMEOUT_S  longest silence of the model server  [1800]
BACKTALK_BODY_MAX_BYTES   largest request                      [33554432]
BACKTALK_TIMEOUT_MAX_S    longest call                         [1800]
BACKTALK_WAIT_S           longest wait for an earlier call     [120]
BACKTALK_KEY_RATE         requests a second of one key         [30], BACKTALK_KEY_BURST  [120]
BACKTALK_ADDR_RATE        requests a second of one address     [60], BACKTALK_ADDR_BURST [240]
BACKTALK_KEY_CONNS        open requests of one key             [32]
BACKTALK_ADDR_CONNS       open requests of one address         [64]
for the example server:
BACKTALK_LISTEN           address and port                     [443]
BACKTALK_SERVER_NAME      its name                             [backtalk.example]
BACKTALK_CERTIFICATE      its certificate, BACKTALK_CERTIFICATE_KEY its key
                          [/etc/ssl/certs/backtalk.pem, /etc/ssl/private/backtalk.key]
EOF
}

die()
{
    echo "make-nginx.sh: $*" >&2
    exit 1
}

# set_value NAME FORM DEFAULT: FILL_NAME from BACKTALK_NAME; it stands in the configuration as it
# is, so it is held to characters that mean nothing there.
set_value()
{
    local name=BACKTALK_$1
    local text=${!name:-$3}
    [[ $text =~ ^($2)$ ]] || die "$name is '$text': it must be of the form $2"
    export "FILL_$1=$text"
}

if [ $# -ne 1 ] || [[ $1 == -* ]]; then
    usage
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
path='/[A-Za-z0-9._/-]+' number='[1-9][0-9]{0,9}'

set_value CONF_DIR "$path" "$folder"
set_value FCGI_SOCKET "$path" /run/backtalk/fcgi.sock
set_value REPLY_SOCKET "$path" /run/backtalk/reply.sock
set_value UPSTREAM_TIMEOUT_S "$number" 1800
set_value BODY_MAX_BYTES "$number" 33554432
set_value TIMEOUT_MAX_S "$number" 1800
set_value WAIT_S '[0-9]{1,6}' 120
set_value KEY_RATE "$number" 30
set_value KEY_BURST "$number" 120
set_value ADDR_RATE "$number" 60
set_value ADDR_BURST "$number" 240
set_value KEY_CONNS "$number" 32
set_value ADDR_CONNS "$number" 64
set_value LISTEN '[][0-9A-Fa-f.:]+' 443
set_value SERVER_NAME '[A-Za-z0-9.*_-]+' backtalk.example
set_value CERTIFICATE "$path" /etc/ssl/certs/backtalk.pem
set_value CERTIFICATE_KEY "$path" /etc/ssl/private/backtalk.key
# A call may wait, then run; the minute is for what surrounds it.
export FILL_READ_S=$((FILL_TIMEOUT_MAX_S + FILL_WAIT_S + 60))
export FILL_REPLY_READ_S=$((FILL_UPSTREAM_TIMEOUT_S + 60))
export FILL_BODY_MAX=$FILL_BODY_MAX_BYTES

for file in backtalk-http.conf backtalk-common.conf backtalk-fastcgi.conf backtalk.conf \
    backtalk-v1.conf example-server.conf; do
    awk -f "$here/fill.awk" "$here/$file.in" >"$folder/$file.new"
    mv "$folder/$file.new" "$folder/$file"
done
