#!/bin/bash
# languages.sh IMAGE: prints languages.json with the languages of that image alone, for BACKTALK_LANGUAGES:
# those whose compile and run commands are in it, a household's own packages included. Needs jq.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: languages.sh IMAGE" >&2 && exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
rows=$here/languages.json
[ -f "$rows" ] || rows=$here/../languages.json # installed
there=$(jq -r '.[] | [.id, (.compile // [])[0], .run[0]] | map(select(. != null and (startswith("{") | not))) | join(" ")' "$rows" |
    docker run --rm -i --network none --entrypoint sh "$1" -c '
        while read -r id commands; do
            for command in $commands; do command -v "$command" >/dev/null || continue 2; done
            echo "$id"
        done')
jq --indent 4 --arg there "$there" '($there | split("\n")) as $ids | map(select(.id | IN($ids[])))' "$rows"
