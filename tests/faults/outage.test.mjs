// What a chat is told while a part is down, how soon, and that it works again by itself.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { begin, beginCall, call, finish, FORBIDDEN_WORDS, output, responseOf, result, run }
    from '../e2e/lib/mcp.mjs';
import { containerOf, rows } from '../e2e/lib/record.mjs';
import { hold, processes, release } from '../e2e/lib/docker.mjs';
import { conversation, dockerSocket } from '../e2e/lib/stack.mjs';
import { until } from '../e2e/lib/wait.mjs';
import { Side } from './side.mjs';

// The promise. On a machine that is busy with something else not every call keeps it, so the
// quickest of several is held to it; no call may take longer than BUSY_MS.
const SOON_MS = 2000;
const BUSY_MS = 8000;

const gateSays503 = 'HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/html\r\n'
    + 'Content-Length: 12\r\nConnection: close\r\n\r\n<html/>\r\n\r\n\r\n';

// Calls that cannot be carried out: results with isError, soon, in words.
async function toldSoon(calls, what, options) {
    const times = [];
    for (const [tool, args] of calls) {
        const exchange = await beginCall(tool, args, options).done;
        assert.equal(exchange.status, 200, exchange.text);
        const seen = result(responseOf(exchange).result);
        assert.ok(seen.isError, seen.text);
        assert.match(seen.text, what);
        assert.match(seen.text, /nothing was run/i);
        assert.doesNotMatch(seen.text, FORBIDDEN_WORDS);
        times.push(exchange.endedAt - exchange.startedAt);
    }
    assert.ok(Math.min(...times) < SOON_MS && Math.max(...times) < BUSY_MS, `${times} ms`);
}

const CALLS = [
    ['run', { command: 'echo ran >> /work/ran' }],
    ['write_file', { path: 'ran', content: 'x' }],
    ['run_code', { language: 'bash', code: 'echo ran >> /work/ran' }],
];

describe('parts that are down', () => {
    let side;
    let chat;
    before(async () => {
        side = await Side.start();
        chat = { to: side.to, conversation: conversation() };
        await run('echo before > /work/state', chat);
    });
    after(async () => {
        await call('reset', {}, chat);
        await side.stop();
    });

    // A call that has begun and waits to be released before it does `command`.
    async function started(command) {
        const held = hold();
        const slow = beginCall('run', { command: `${held}; ${command}`, timeout: 300 }, chat);
        const name = await containerOf(chat.conversation);
        await until('the command runs', async () => (await processes(name)).includes(held));
        return { held, name, slow };
    }

    const outages = [
        ['the gate is gone', () => side.gate, 'refuse', {}, /engine/i],
        ['the gate hangs', () => side.gate, 'hang', {}, /engine/i],
        ['the engine behind the gate is gone', () => side.gate, 'answer', { text: gateSays503 },
            /engine/i],
        ['the gate talks nonsense', () => side.gate, 'answer', { text: 'no HTTP at all\r\n\r\n' },
            /engine/i],
        ['the record is gone', () => side.record, 'refuse', {}, /record/i],
        ['the record hangs', () => side.record, 'hang', {}, /record/i],
    ];
    for (const [what, relay, mode, more, words] of outages) {
        test(what, async () => {
            await relay().set(mode, more);
            try {
                await toldSoon(CALLS, words, chat);
                await toldSoon(CALLS, words, { ...chat, conversation: conversation() });
                await assertTalksStill(chat);
            } finally {
                await relay().set('pass');
            }
            // The first call afterwards works, and no restart was needed.
            const pids = side.workers();
            const next = await run('cat /work/state; ls /work/ran', chat);
            assert.match(next.text, /^before$/m);
            assert.match(next.text, /ran.*No such file/);
            assert.deepEqual(side.workers(), pids);
        });
    }

    // Connecting and looking needs neither engine nor sandbox.
    async function assertTalksStill(options) {
        for (const method of ['ping', 'tools/list']) {
            const exchange = begin(method, undefined, options);
            await exchange.done;
            assert.ok(responseOf(exchange).result, exchange.text);
        }
    }

    test('reset while the gate is gone', async () => {
        await side.gate.set('refuse');
        try {
            const exchange = beginCall('reset', {}, chat);
            await exchange.done;
            const seen = result(responseOf(exchange).result);
            assert.ok(seen.isError);
            assert.match(seen.text, /engine/i);
        } finally {
            await side.gate.set('pass');
        }
        assert.equal((await output('cat /work/state', chat)).trim(), 'before');
    });

    test('the record restarts between two calls: nobody notices', async () => {
        await run('true', chat);
        await side.record.set('refuse');
        await side.record.set('pass');
        assert.equal((await output('cat /work/state', chat)).trim(), 'before');
    });

    test('the record goes away in the middle of a call: no result is made up', async () => {
        const { held, name, slow } = await started('echo over > /work/over');
        await side.record.set('refuse');
        try {
            await release(name, held);
            await slow.done;
            const seen = result(responseOf(slow).result);
            assert.match(seen.text, /record/i);
            assert.doesNotMatch(seen.text, /nothing was run/i);
        } finally {
            await side.record.set('pass');
        }
        const next = await run('cat /work/over', chat);
        assert.match(next.text, /^over$/m);
        assert.ok(next.text.split('\n$ ')[0].includes(held), 'the next result tells of it');
        const open = await rows('select id from backtalk.call where ended is null'
            + ' and conversation = :\'c\'', { c: chat.conversation });
        assert.deepEqual(open, []);
    });

    test('the gate restarts in the middle of a call: its result comes', async () => {
        const { held, name, slow } = await started('echo over | tee /work/over2');
        await side.gate.set('refuse');
        await side.gate.set('pass');
        await until('the call is sent once more', () => side.gate.passed.includes(held));
        await release(name, held);
        const seen = await finish(slow);
        assert.equal(seen.exitCode, 0, seen.text);
        assert.match(seen.text, /^over$/m);
        assert.equal((await output('wc -l < /work/over2', chat)).trim(), '1', 'it ran once');
    });

    test('the gate goes away in the middle of a call: nothing is claimed', async () => {
        const { held, name, slow } = await started('echo over > /work/over3');
        await side.gate.set('refuse');
        try {
            await slow.done;
            const seen = result(responseOf(slow).result);
            assert.ok(seen.isError);
            assert.match(seen.text, /not known/);
            assert.doesNotMatch(seen.text, /nothing was run|stopped|killed/i);
        } finally {
            await side.gate.set('pass');
        }
        await release(name, held);
        assert.equal((await output('cat /work/over3', chat)).trim(), 'over');
    });
});

test('the image is missing', async () => {
    const side = await Side.start({
        engineDirect: dockerSocket,
        settings: { BACKTALK_IMAGE: 'backtalk-sandbox:no-such-tag' },
    });
    try {
        const chat = { to: side.to, conversation: conversation() };
        await toldSoon(CALLS, /image/i, chat);
    } finally {
        await side.stop();
    }
});

test('the gate refuses', async () => {
    const side = await Side.start({ settings: { BACKTALK_MEMORY_MIB: '1000' } });
    try {
        const chat = { to: side.to, conversation: conversation() };
        await toldSoon(CALLS, /machine/i, chat);
    } finally {
        await side.stop();
    }
});
