#!/bin/sh
# run.sh - requests that pretend, crawl or flood, against the running stack that the environment
# describes; TAP.
: "${BACKTALK_URL:?load the var/backtalk.env of a running stack first}"
exec python3 -B "$(dirname "$0")/run.py"
