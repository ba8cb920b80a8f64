# shellcheck shell=bash
# welcome.sh - sourced by quickstart.sh: keys, the first call, and how clients connect.
# shellcheck disable=SC2034,SC2154 # by indirection; the settings come from common.sh

# key_works FILE: the record knows the key in it
key_works()
{
    [ -s "$1" ] && [ "$(sql backtalk "select backtalk.key_check('\\x$(tr -d '\n' <"$1" | sha256sum | cut -c 1-64)')")" = t ]
}

# A name or text as an SQL literal.
quoted()
{
    printf "'%s'" "${1//\'/\'\'}"
}

# new_secret FILE STATEMENT: what the statement returns, for root's eyes only
new_secret()
{
    (umask 077 && sql backtalk "$2" >"$1.new" && [ -s "$1.new" ] && mv "$1.new" "$1") ||
        die "no key could be made"
}

# One key for a person's own client, one for a front end that serves many. Keys that work stay.
make_keys()
{
    local who label
    who=$(quoted "$member")
    label=$(quoted "quickstart $(date +%F-%H%M%S)")
    if ! key_works "$var/key"; then
        if [ -z "$(sql backtalk "select 1 from backtalk.member where name = $who")" ]; then
            sql backtalk "select backtalk.new_member($who)" >/dev/null || die "the member could not be made"
        fi
        new_secret "$var/key" "select backtalk.new_key($who, $label)"
    fi
    if ! key_works "$var/key.librechat"; then
        new_secret "$var/key.librechat" "select backtalk.new_front_end_key('librechat', $label)"
    fi
}

write_environment()
{
    local name
    (
        umask 077
        {
            echo "# How to reach this Backtalk; made by quickstart.sh. Shell syntax."
            BACKTALK_URL=http://127.0.0.1:$port/mcp
            BACKTALK_KEY=$(cat "$var/key")
            PGUSER=backtalk
            for name in BACKTALK_URL BACKTALK_KEY PGHOST PGPORT PGDATABASE PGUSER; do
                printf '%s=%q\n' "$name" "${!name}"
            done
            echo "export BACKTALK_URL BACKTALK_KEY PGHOST PGPORT PGDATABASE PGUSER"
        } >"$var/backtalk.env.new"
        mv "$var/backtalk.env.new" "$var/backtalk.env"
    )
}

# mcp_call CONVERSATION TOOL ARGUMENTS: the answer, as it comes. The key is not on the command line,
# where everybody could read it.
mcp_call()
{
    jq -cn --arg tool "$2" --argjson arguments "$3" \
        '{jsonrpc: "2.0", id: 1, method: "tools/call", params: {name: $tool, arguments: $arguments}}' |
        curl -s -S -m 120 -H @<(printf 'Authorization: Bearer %s\n' "$(cat "$var/key")") \
            -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
            -H "X-Conversation-Id: $1" --data-binary @- "http://127.0.0.1:$port/mcp"
}

# The JSON-RPC answer, from a JSON body or the one event of a stream.
answer_of()
{
    sed -n -e 's/^data: *//' -e '/^{/p'
}

first_call()
{
    local arguments answer text
    arguments=$(jq -cn --arg command 'echo "Hello from $(hostname), I am $(whoami)."; head -n 1 /etc/os-release; nproc; free -m' \
        '{command: $command}')
    say
    say "A first tool call, as a client makes it:"
    say
    say "  POST http://127.0.0.1:$port/mcp"
    say "  Authorization: Bearer (the key in $var/key)"
    say "  X-Conversation-Id: quickstart"
    say "  tools/call run $arguments"
    say
    answer=$(mcp_call quickstart run "$arguments" | answer_of) || die "the first call got no answer" \
        "$(end_of_log web; end_of_log workers)"
    text=$(jq -er '.result.content[0].text' <<<"$answer") || die "the first call was refused: $answer" \
        "$(end_of_log workers)"
    printf '%s\n' "$text" | sed 's/^/  | /'
    if [ "$(jq -r '.result.isError // false' <<<"$answer")" = true ]; then
        die "the first call failed, as it says above" "$(end_of_log workers; end_of_log gate)"
    fi
}

# The part of librechat.yaml for backtalk-reply; the header names the chat as the MCP server's does.
model_endpoint()
{
    [ -n "$upstream" ] || return 0
    cat <<END
endpoints:
  custom:
    - name: Backtalk
      apiKey: "$(cat "$var/key.librechat")"
      baseURL: "http://127.0.0.1:$port/v1"
      headers:
        X-Conversation-Id: "{{LIBRECHAT_BODY_CONVERSATIONID}}"
        X-User-Id: "{{LIBRECHAT_USER_ID}}"
      models:
        default: ["your-model"]
        fetch: true

END
}

how_to_connect()
{
    local longest=$((${BACKTALK_TIMEOUT_MAX_S:-1800} + ${BACKTALK_WAIT_S:-120} + 60))
    cat <<END

LibreChat, in librechat.yaml (this key may speak for many users, so it is for LibreChat alone):

mcpSettings:
  allowedAddresses:
    - "127.0.0.1:$port"
mcpServers:
  backtalk:
    type: streamable-http
    url: "http://127.0.0.1:$port/mcp"
    headers:
      Authorization: "Bearer $(cat "$var/key.librechat")"
      X-Conversation-Id: "{{LIBRECHAT_BODY_CONVERSATIONID}}"
      X-User-Id: "{{LIBRECHAT_USER_ID}}"
    timeout: ${longest}000
    requiresOAuth: false

$(model_endpoint)
(A LibreChat in a container cannot reach 127.0.0.1 of this machine: put Backtalk behind the nginx you
have, see nginx-conf/README.md, and use that address in both places.)

Any other MCP client that speaks Streamable HTTP; the last word of the address names the chat:

{
  "mcpServers": {
    "backtalk": {
      "type": "http",
      "url": "http://127.0.0.1:$port/mcp/c/my-chat",
      "headers": { "Authorization": "Bearer $(cat "$var/key")" }
    }
  }
}

In the shell: . $var/backtalk.env      then psql shows the record (select * from backtalk.calls)
Logs:         $log/
Stop it with: $0 stop
END
}
