#!/bin/sh
# run.sh [ID...] - real cases of misread results against a running stack; TAP on stdout. The stack is
# the one the environment describes (../e2e/README.md). ID: only these cases. CORPUS_JOBS: chats at once.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${BACKTALK_URL:?load the var/backtalk.env of a running stack first}"
exec node "$here/corpus.mjs" "$@"
