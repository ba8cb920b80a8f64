// Stopping a call: what counts as a cancel, and what does not.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hold, processes, release } from './lib/docker.mjs';
import { begin, beginCall, call, finish, output, post, responseOf, result, run }
    from './lib/mcp.mjs';
import { containerOf, waiting } from './lib/record.mjs';
import { conversation } from './lib/stack.mjs';
import { until } from './lib/wait.mjs';

const chat = { conversation: conversation() };
let container;
before(async () => {
    await run('true', chat);
    container = await containerOf(chat.conversation);
});
after(() => call('reset', {}, chat));

const runs = async (what) => (await processes(container)).some((p) => p.includes(what));

async function session() {
    const exchange = begin('initialize', { protocolVersion: '2025-11-25', capabilities: {},
        clientInfo: { name: 'e2e', version: '1' } }, chat);
    await exchange.done;
    return exchange.response.headers['mcp-session-id'];
}

// A notification: a message without an id.
function tell(method, params, options) {
    return post(JSON.stringify({ jsonrpc: '2.0', method, params }), options);
}

describe('legacy', () => {
    for (const id of [41, 'forty-two']) {
        test(`notifications/cancelled of ${JSON.stringify(id)} ends the command`, async () => {
            const options = { ...chat, session: await session(), id };
            const slow = beginCall('run',
                { command: 'setsid sleep 7301 & echo started; sleep 7302' }, options);
            await until('the command runs', () => runs('sleep 7302'));
            const told = tell('notifications/cancelled', { requestId: id }, options);
            await told.done;
            assert.equal(told.status, 202);
            await slow.done;
            const { text } = result(responseOf(slow).result);
            assert.match(text, /cancel|stopped/i);
            await until('the command is gone', async () =>
                !(await runs('sleep 7301')) && !(await runs('sleep 7302')));
            assert.equal((await output('echo usable', chat)).trim(), 'usable');
        });
    }

    test('a cancel of another session or another id changes nothing', async () => {
        const options = { ...chat, session: await session(), id: 77 };
        const held = hold();
        const slow = beginCall('run', { command: `${held}; echo finished`, timeout: 300 }, options);
        await until('the command runs', () => runs(held));
        const other = { ...chat, session: await session() };
        await tell('notifications/cancelled', { requestId: 77 }, other).done;
        await tell('notifications/cancelled', { requestId: '77' }, options).done;
        await tell('notifications/cancelled', { requestId: 78 }, options).done;
        await release(container, held);
        const { text } = await finish(slow);
        assert.match(text, /^finished$/m);
    });

    test('a disconnect is no cancel: the command goes on and its fate is told', async () => {
        const held = hold();
        const slow = beginCall('run',
            { command: `${held}; echo survived > /work/survived`, timeout: 300 }, chat);
        await until('the command runs', () => runs(held));
        slow.abort();
        const queued = beginCall('run', { command: 'cat /work/survived' }, chat);
        await until('the next call waits', async () => (await waiting()) === 1);
        await release(container, held);
        const next = await finish(queued);
        assert.equal(next.exitCode, 0, next.text);
        assert.match(next.text, /^survived$/m);
        assert.ok(next.text.slice(0, next.text.indexOf('\n$ ')).includes(held),
            'the next result begins with what became of the call before');
        const third = await run('echo third', chat);
        assert.ok(!third.text.includes(held), 'told once');
    });
});

describe('modern', () => {
    test('closing the stream ends the command', async () => {
        const slow = beginCall('run', { command: 'echo started; setsid sleep 7401 & sleep 7402' },
            { ...chat, era: 'modern', token: 1 });
        await until('the command runs', () => runs('sleep 7402'));
        slow.abort();
        await until('the command is gone', async () =>
            !(await runs('sleep 7401')) && !(await runs('sleep 7402')));
        assert.match((await run('echo usable', chat)).text, /^usable$/m);
    });

    test('closing before the stream began ends it too', async () => {
        const slow = beginCall('run', { command: 'sleep 7403' },
            { ...chat, era: 'modern', accept: 'application/json' });
        await until('the command runs', () => runs('sleep 7403'));
        slow.abort();
        await until('the command is gone', async () => !(await runs('sleep 7403')));
        assert.match((await run('echo usable', chat)).text, /^usable$/m);
    });

    test('closing a call that waits for its turn: it never runs', async () => {
        const held = hold();
        const first = beginCall('run', { command: held, timeout: 300 }, chat);
        await until('the first runs', () => runs(held));
        const second = beginCall('run', { command: 'echo second > /work/second' },
            { ...chat, era: 'modern' });
        await until('the second waits', async () => (await waiting()) === 1);
        second.abort();
        await until('it waits no longer', async () => (await waiting()) === 0);
        assert.ok(!first.endedAt, 'while the first still ran');
        await release(container, held);
        await finish(first);
        assert.match(await output('ls /work/second 2>&1 || true', chat), /No such file/);
    });
});
