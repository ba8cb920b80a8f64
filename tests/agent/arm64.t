#!/bin/sh
# The agent for arm64, cross-built and run by qemu: the protocol and files. What looks at processes and
# memory is left to a machine of its own: under qemu both are qemu's.
set -u
here=$(cd "$(dirname "$0")" && pwd)
if [ "$(uname -m)" = aarch64 ]; then
    echo "ok 1 - this machine is arm64: the other tests of this folder are about it"
    echo "1..1"
    exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
if ! aarch64-linux-gnu-gcc -static -Os -std=gnu17 -Wall -Wextra -Werror '-DPACKAGE_VERSION="0.1.0"' \
    -o "$dir/arm64" "$here"/../../sandbox-image/agent/*.c 2>"$dir/said"; then
    sed 's/^/# /' "$dir/said"
    echo "not ok 1 - the agent builds for arm64"
    echo "1..1"
    exit 1
fi
printf '#!/bin/sh\nexec qemu-aarch64-static %s "$@"\n' "$dir/arm64" >"$dir/agent"
chmod +x "$dir/agent"
chmod 755 "$dir"
echo "ok 1 - the agent builds for arm64"
echo "1..1"
failed=0
for t in wire files; do
    printf 'TAP version 13\n# arm64: %s\n' "$t"
    BACKTALK_AGENT=$dir/agent "$here/$t.t" || failed=1
done
exit $failed
