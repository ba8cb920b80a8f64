#!/bin/sh
# The gate's tests: HAProxy with the generated configuration before a real Docker Engine, the
# sandbox network, and nginx's configuration. Prints TAP.
#
#   tests/gate/run.sh [allowed|forbidden|routes|network|config ...]
#
# Needs root, docker, haproxy, nginx, iptables and the image (BACKTALK_IMAGE, default
# backtalk-sandbox:slim); BACKTALK_FCGI is the program that prints the pattern.
exec python3 -B "$(dirname "$0")/run.py" "$@"
