#!/bin/sh
# run.sh - tries to get out of a sandbox of the running stack that the environment describes; TAP.
: "${BACKTALK_URL:?load the var/backtalk.env of a running stack first}"
exec python3 -B "$(dirname "$0")/run.py"
