// Who shares a machine with whom: nobody, and how calls of one chat follow one another.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hold, inspect, processes, release } from './lib/docker.mjs';
import { beginCall, call, finish, output, run } from './lib/mcp.mjs';
import { containerOf, newMember, waiting } from './lib/record.mjs';
import { conversation } from './lib/stack.mjs';
import { until } from './lib/wait.mjs';

describe('chats', () => {
    const one = { conversation: conversation() };
    const two = { conversation: conversation() };
    after(async () => {
        await call('reset', {}, one);
        await call('reset', {}, two);
    });

    test('two chats have two machines', async () => {
        await run('echo one > /work/mine; sleep 7201 </dev/null >/dev/null 2>&1 &', one);
        await run('echo two > /work/mine', two);
        assert.equal((await output('cat /work/mine', one)).trim(), 'one');
        assert.equal((await output('cat /work/mine', two)).trim(), 'two');
        assert.doesNotMatch(await output('ps -eo args', two), /sleep 7201/);
        assert.notEqual(await containerOf(one.conversation), await containerOf(two.conversation));
    });

    test('a reset of one leaves the other alone', async () => {
        await call('reset', {}, two);
        assert.equal((await output('cat /work/mine', one)).trim(), 'one');
    });

    test('different chats do not wait for each other', async () => {
        await Promise.all([run('true', one), run('true', two)]);
        const held = hold();
        const slow = beginCall('run', { command: held, timeout: 300 }, one);
        const name = await containerOf(one.conversation);
        await until('the slow call runs', async () => (await processes(name)).includes(held));
        const quick = await run('echo quick', two);
        assert.match(quick.text, /^quick$/m);
        assert.ok(!slow.endedAt, 'the quick one was answered while the slow one ran');
        await release(name, held);
        await finish(slow);
    });
});

describe('members', () => {
    const shared = conversation();
    const mine = { conversation: shared };
    const theirs = { conversation: shared };
    before(async () => {
        theirs.key = await newMember('e2e-second-member');
    });
    after(async () => {
        await call('reset', {}, mine);
        await call('reset', {}, { ...theirs });
    });

    test('two members with the same chat id have two machines', async () => {
        await run('echo mine > /work/owner', mine);
        const other = await run('cat /work/owner', theirs);
        assert.equal(other.exitCode, 1, other.text);
        await run('echo theirs > /work/owner', theirs);
        assert.equal((await output('cat /work/owner', mine)).trim(), 'mine');
    });

    test('a reset by one does not touch the other', async () => {
        await call('reset', {}, theirs);
        assert.equal((await output('cat /work/owner', mine)).trim(), 'mine');
    });
});

describe('one chat', () => {
    const chat = { conversation: conversation() };
    after(() => call('reset', {}, chat));

    test('eight calls at once run one at a time, none is lost', async () => {
        await run('true', chat);
        // Each step fails when another one is inside.
        const step = (i) => `mkdir /work/inside || exit 77\necho ${i} >> /work/order\n`
            + 'sleep 0.2\nrmdir /work/inside';
        const calls = Array.from({ length: 8 }, (_, i) =>
            beginCall('run', { command: step(i) }, chat));
        for (const seen of await Promise.all(calls.map(finish)))
            assert.equal(seen.exitCode, 0, seen.text);
        const order = (await output('cat /work/order', chat)).trim().split('\n');
        assert.deepEqual([...order].sort(), ['0', '1', '2', '3', '4', '5', '6', '7']);
    });

    test('calls run in the order in which they came', async () => {
        await run('rm -f /work/order', chat);
        const held = hold();
        const calls = [beginCall('run',
            { command: `echo 0 >> /work/order; ${held}`, timeout: 300 }, chat)];
        const name = await containerOf(chat.conversation);
        await until('the first runs', async () => (await processes(name)).includes(held));
        for (const i of [1, 2]) {
            calls.push(beginCall('run', { command: `echo ${i} >> /work/order` }, chat));
            await until(`call ${i} waits in line`, async () => (await waiting()) === i);
        }
        await release(name, held);
        await Promise.all(calls.map(finish));
        assert.equal((await output('cat /work/order', chat)).trim(), '0\n1\n2');
    });
});

test('the machine is built with its limits', async () => {
    const chat = { conversation: conversation() };
    await run('true', chat);
    const { HostConfig, Config } = await inspect(await containerOf(chat.conversation));
    assert.equal(HostConfig.Memory, 256 << 20);
    assert.equal(HostConfig.MemorySwap, 1 << 30);
    assert.equal(HostConfig.NanoCpus, 1e9);
    assert.equal(HostConfig.CpuShares, 128);
    assert.equal(HostConfig.PidsLimit, 512);
    assert.equal(HostConfig.LogConfig.Type, 'none');
    assert.equal(HostConfig.Privileged, false);
    assert.deepEqual(HostConfig.Binds ?? [], []);
    assert.equal(Config.Tty, false);
    const memory = await output('cat /sys/fs/cgroup/memory.max 2>/dev/null'
        + ' || cat /sys/fs/cgroup/memory/memory.limit_in_bytes', chat);
    assert.equal(memory.trim(), String(256 << 20));
    await call('reset', {}, chat);
});
