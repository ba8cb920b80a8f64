// The limits of a machine are real: read from inside, and each provoked. BACKTALK_LEND_SWAP=FOLDER lends a
// host without swap some in that folder, so that memory beyond the first limit is tried for what it is;
// every container of the host then swaps, and giving it back takes its time.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { inspect, sandboxNames } from '../e2e/lib/docker.mjs';
import { call, output, run } from '../e2e/lib/mcp.mjs';
import { conversation } from '../e2e/lib/stack.mjs';

const MIB = 1 << 20;
const chat = { conversation: conversation(), timeoutMs: 300_000 };

const freeSwap = () => Number(/^SwapFree:\s*(\d+)/m.exec(fs.readFileSync('/proc/meminfo', 'utf8'))[1]) * 1024;

// Returns what takes it away again. The area is on disk: one in memory would be swapped out to itself.
function lendSwap() {
    if (!process.env.BACKTALK_LEND_SWAP || freeSwap() > 1024 * MIB)
        return () => {};
    const folder = fs.mkdtempSync(path.join(process.env.BACKTALK_LEND_SWAP, 'swap-'));
    const file = path.join(folder, 'file');
    for (const argv of [['fallocate', '-l', '1280M', file], ['chmod', '600', file], ['mkswap', file],
        ['swapon', file]])
        execFileSync(argv[0], argv.slice(1), { stdio: ['ignore', 'ignore', 'inherit'] });
    return () => {
        execFileSync('swapoff', [file]);
        fs.rmSync(folder, { recursive: true });
    };
}

const takeBack = lendSwap();
const before = new Set(await sandboxNames());
after(async () => {
    await call('reset', {}, chat);
    takeBack();
});

const touch = (mib) => `python3 -c 'x = bytearray(${mib} << 20)
for i in range(0, len(x), 4096): x[i] = 1
print("touched", len(x) >> 20)'`;

// v2 name, v1 name -> what the machine reads there
const limit = (v2, v1) => output(`cat /sys/fs/cgroup/${v2} 2>/dev/null || cat /sys/fs/cgroup/${v1}`, chat)
    .then((text) => text.trim());

let host; // the engine's record of the machine

test('the cgroup files inside say what the engine was asked for', async () => {
    assert.equal(await limit('memory.max', 'memory/memory.limit_in_bytes'), String(256 * MIB));
    host = (await inspect((await sandboxNames()).find((name) => !before.has(name)))).HostConfig;
    assert.equal(host.Memory, 256 * MIB);
    assert.equal(host.MemorySwap, 1024 * MIB);
    assert.equal(await limit('pids.max', 'pids/pids.max'), String(host.PidsLimit));
    const weight = Number(await limit('cpu.weight', 'cpu/cpu.shares'));
    assert.ok(weight === 128 || weight < 10, `${weight}: an eighth of what the host's services have`);
    const quota = await limit('cpu.max', 'cpu/cpu.cfs_quota_us');
    assert.match(quota, /^100000\b/);
});

test('700 MiB run in swap, where there is swap', async () => {
    const { text, exitCode } = await run(touch(700), chat);
    if (freeSwap() > 300 * MIB) {
        assert.equal(exitCode, 0, text);
        assert.match(text, /^touched 700$/m);
    } else {
        console.log('# no swap on this host: 700 MiB are too many');
        assert.match(text, /out of memory/, text);
    }
});

test('1,100 MiB are refused as out of memory, with the limit', async () => {
    const { text, isError } = await run(touch(1100), chat);
    assert.ok(isError);
    assert.match(text, /killed: out of memory; the machine's limit is 256 MiB of memory/, text);
    assert.doesNotMatch(text, /^touched/m);
    assert.equal((await output('echo alive', chat)).trim(), 'alive');
});

test('600 processes are refused in words', async () => {
    const { text } = await run('python3 -c \'import os, signal, time\n'
        + 'children = []\n'
        + 'try:\n'
        + '    for i in range(600):\n'
        + '        child = os.fork()\n'
        + '        if child == 0: time.sleep(600); os._exit(0)\n'
        + '        children.append(child)\n'
        + 'finally:\n'
        + '    for child in children: os.kill(child, signal.SIGKILL)\'', chat);
    assert.match(text, /Resource temporarily unavailable/, text);
    assert.match(text, /a limit of 512 processes and threads, and it was reached/, text);
    assert.equal((await output('echo alive', chat)).trim(), 'alive');
});

test('one processor, and it yields to the host', async () => {
    const text = await output('nproc; python3 - <<E\n'
        + 'import os, time\n'
        + 'for _ in range(3):\n'
        + '    if os.fork() == 0:\n'
        + '        while time.process_time() < 2: pass\n'
        + '        os._exit(0)\n'
        + 'start = time.monotonic()\n'
        + 'while True:\n'
        + '    try: os.wait()\n'
        + '    except ChildProcessError: break\n'
        + 'used = os.times()\n'
        + 'print(used.children_user + used.children_system <= 1.25 * (time.monotonic() - start))\nE', chat);
    assert.match(text, /^1\nTrue$/m);
});
