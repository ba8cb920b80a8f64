// Processes killed at every stage of a call: one call is lost at most, the next one of the same
// chat works and is told what became of the one before.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hold, inspect, kill, processes, release, remove, stop } from '../e2e/lib/docker.mjs';
import { beginCall, call, finish, output, responseOf, result, run } from '../e2e/lib/mcp.mjs';
import { containerOf, rows } from '../e2e/lib/record.mjs';
import { conversation } from '../e2e/lib/stack.mjs';
import { until } from '../e2e/lib/wait.mjs';
import { Side } from './side.mjs';

// What a result says before the command it ran.
const notice = (text) => text.slice(0, text.indexOf('$ ')).trim();

// The exchange ends, somehow: an error status, a broken connection, a stream that breaks off.
async function lost(exchange) {
    await exchange.done.catch(() => {});
    assert.ok(exchange.status !== 200 || exchange.messages.length === 0
        || !('result' in exchange.messages.at(-1)), exchange.text);
}

describe('killed', () => {
    let side;
    let chat;
    let name;
    before(async () => {
        side = await Side.start();
        chat = { to: side.to, conversation: conversation() };
        await run('true', chat);
        name = await containerOf(chat.conversation);
    });
    after(async () => {
        await call('reset', {}, chat);
        await side.stop();
    });

    const runs = async (what) => (await processes(name)).some((p) => p === what);
    const killWorker = () => {
        const [pid] = side.workers();
        process.kill(pid, 'SIGKILL');
        return until('another worker is there', () => {
            const now = side.workers();
            return now.length === 1 && now[0] !== pid;
        });
    };
    const rowsOf = (command) => rows(`select outcome, delivered, ended is not null as closed
        from backtalk.call where conversation = :'c' and command like :'pattern' order by id desc`,
    { c: chat.conversation, pattern: `${command}%` });

    test('a worker in the middle of a call that then ends by itself', async () => {
        const held = hold();
        const slow = beginCall('run',
            { command: `${held}; echo made > /work/made; exit 6`, timeout: 300 }, chat);
        await until('the command runs', () => runs(held));
        await killWorker();
        await lost(slow);
        await release(name, held);
        const next = await run('cat /work/made', chat);
        assert.match(next.text, /^made$/m, 'the command was not hurt, the next call came after it');
        assert.ok(notice(next.text).includes(held), next.text);
        assert.match(notice(next.text), /code 6/);
        const third = await run('true', chat);
        assert.ok(!third.text.includes(held), 'told once');
        assert.deepEqual((await rowsOf(held)).slice(0, 1),
            [{ outcome: 'lost', delivered: false, closed: true }]);
    });

    test('a worker in the middle of sending 4 MiB', async () => {
        await run('echo old > /work/big', chat);
        await side.gate.set('hold', { after: 1 << 20 });
        const content = 'x'.repeat(4 << 20);
        const slow = beginCall('write_file', { path: 'big', content }, chat);
        await until('a part has been sent', () => side.gate.heldNow);
        await killWorker();
        await side.gate.set('pass');
        await lost(slow);
        const next = await run('wc -c < /work/big', chat);
        assert.match(next.text, /^4$/m, 'half a file is no file: the old one is still there');
        assert.match(notice(next.text), /write_file/);
        const again = await call('write_file', { path: 'big', content }, chat);
        assert.equal(again.isError, false);
        assert.equal((await output('wc -c < /work/big', chat)).trim(), String(4 << 20));
    });

    test('a worker before its first byte reached the machine', async () => {
        await side.gate.set('hold', { after: 0 });
        const slow = beginCall('run', { command: 'echo ran >> /work/never' }, chat);
        await until('the worker asks the gate', () => side.gate.heldNow, { every: 5 });
        await killWorker();
        await side.gate.set('refuse');
        await side.gate.set('pass');
        await lost(slow);
        const next = await run('ls /work/never', chat);
        assert.match(next.text, /No such file/);
        assert.match(notice(next.text), /echo ran/);
    });

    test('the agent, and with it the machine, in the middle of a call', async () => {
        await run('echo kept > /work/kept', chat);
        const slow = beginCall('run', { command: 'sleep 60' }, chat);
        await until('the command runs', () => runs('sleep 60'));
        await kill(name);
        await slow.done;
        const seen = result(responseOf(slow).result);
        assert.ok(seen.isError, seen.text);
        assert.match(seen.text, /stopped|ended|machine/i);
        const next = await run('cat /work/kept', chat);
        assert.match(next.text, /^kept$/m, 'files are as they were');
        assert.ok(notice(next.text).length > 0, 'told that the machine was started again');
    });

    test('the machine while the chat was idle', async () => {
        await kill(name);
        const next = await run('cat /work/kept', chat);
        assert.match(next.text, /^kept$/m);
        assert.ok(notice(next.text).length > 0, 'told that the machine was started again');
        assert.equal(notice((await run('true', chat)).text), '', 'told once');
        await stop(name);
        assert.match((await run('cat /work/kept', chat)).text, /^kept$/m);
    });

    test('the machine is removed behind our back', async () => {
        await remove(name);
        const next = await run('ls /work/kept', chat);
        assert.match(next.text, /No such file/);
        assert.match(notice(next.text), /files/, 'told that the files are gone');
        assert.ok((await inspect(name)).State.Running);
    });

    test('a client that goes away: its call ends, the next is told', async () => {
        const held = hold();
        const slow = beginCall('run', { command: `${held}; exit 9`, timeout: 300 }, chat);
        await until('the command runs', () => runs(held));
        slow.abort();
        await release(name, held);
        const next = await run('echo next', chat);
        assert.match(next.text, /^next$/m);
        assert.ok(notice(next.text).includes(held), next.text);
        assert.match(notice(next.text), /code 9/);
    });

    test('SIGTERM lets a busy worker finish and ends an idle one at once', async () => {
        const [busy] = side.workers();
        const held = hold();
        const slow = beginCall('run', { command: `${held}; echo finished`, timeout: 300 }, chat);
        await until('the command runs', () => runs(held));
        process.kill(busy, 'SIGTERM');
        await release(name, held);
        const seen = await finish(slow);
        assert.match(seen.text, /^finished$/m);
        await until('it has gone afterwards', () => !side.workers().includes(busy));
        await until('another is there', () => side.workers().length === 1);
        const [idle] = side.workers();
        const from = Date.now();
        process.kill(idle, 'SIGTERM');
        await until('the idle one has gone', () => !side.workers().includes(idle), { every: 5 });
        assert.ok(Date.now() - from < 1000, `${Date.now() - from} ms`);
        assert.match((await run('echo again', chat)).text, /^again$/m);
    });
});
