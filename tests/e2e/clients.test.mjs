// The official clients as applications use them: 1.x the way LibreChat does, 2.x in both eras.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 }
    from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Transport2 }
    from '@modelcontextprotocol/client';
import { processes } from './lib/docker.mjs';
import { call, result } from './lib/mcp.mjs';
import { containerOf } from './lib/record.mjs';
import { note } from './lib/seen.mjs';
import { conversation, key, url } from './lib/stack.mjs';
import { until } from './lib/wait.mjs';

const TOOLS = ['run', 'run_code', 'write_file', 'reset'];

const requestInit = (chat, user) => ({
    headers: {
        Authorization: `Bearer ${key}`,
        'X-Conversation-Id': chat,
        ...(user ? { 'X-User-Id': user } : {}),
    },
});

// Each client: how to connect it, and what is special to it.
const CLIENTS = {
    '1.x': {
        async connect(chat) {
            const client = new Client1({ name: 'e2e', version: '1' });
            await client.connect(new Transport1(url, { requestInit: requestInit(chat, 'u1') }));
            return client;
        },
        call: (client, params, options) => client.callTool(params, undefined, options),
    },
    '2.x legacy': client2('legacy', 'legacy'),
    '2.x auto': client2('auto', 'modern'),
    '2.x modern': client2({ pin: '2026-07-28' }, 'modern'),
};

function client2(mode, era) {
    return {
        async connect(chat) {
            const client = new Client2({ name: 'e2e', version: '1' },
                { versionNegotiation: { mode } });
            await client.connect(new Transport2(url, { requestInit: requestInit(chat) }));
            assert.equal(client.getProtocolEra(), era);
            return client;
        },
        call: (client, params, options) => client.callTool(params, options),
    };
}

for (const [name, kind] of Object.entries(CLIENTS)) {
    describe(name, () => {
        const chat = conversation();
        after(() => call('reset', {}, { conversation: chat }));

        async function connected(use) {
            const client = await kind.connect(chat);
            try {
                return await use(client);
            } finally {
                await client.close();
            }
        }

        async function tool(client, tool, args, options) {
            const seen = result(await kind.call(client, { name: tool, arguments: args }, options));
            note({ conversation: chat }, seen.text);
            return seen;
        }

        test('lists the tools', () => connected(async (client) => {
            const { tools } = await client.listTools();
            assert.deepEqual(tools.map((t) => t.name), TOOLS);
            assert.ok(client.getServerVersion().name);
        }));

        test('calls every tool', () => connected(async (client) => {
            const ran = await tool(client, 'run', { command: 'echo "from a client"; exit 5' });
            assert.match(ran.text, /^from a client$/m);
            assert.equal(ran.exitCode, 5);
            const written = await tool(client, 'write_file', { path: 'a.txt', content: 'x' });
            assert.equal(written.isError, false);
            const code = await tool(client, 'run_code',
                { language: 'python', code: 'print(6 * 7)', expected: '42' });
            assert.match(code.text, /^PASS/m);
            const clean = await tool(client, 'reset', {});
            assert.equal(clean.isError, false);
        }));

        test('reads a stream', () => connected(async (client) => {
            const long = await tool(client, 'run', { command: 'sleep 4; echo late' });
            assert.match(long.text, /^late$/m);
        }));

        test('is told about progress, and waits on for it', () => connected(async (client) => {
            const heard = [];
            const long = await tool(client, 'run',
                { command: 'for i in 1 2 3 4 5 6 7 8; do echo "part $i"; sleep 1; done' },
                { onprogress: (p) => heard.push(p), timeout: 6000, resetTimeoutOnProgress: true });
            assert.match(long.text, /^part 8$/m);
            assert.ok(heard.length >= 2, `${heard.length} notes`);
            assert.match(heard.at(-1).message, /^part \d$/);
        }));

        test('a cancelled call stops the command', () => connected(async (client) => {
            await tool(client, 'run', { command: 'true' });
            const stop = new AbortController();
            const slow = kind.call(client, { name: 'run', arguments: { command: 'sleep 7501' } },
                { signal: stop.signal });
            const lost = assert.rejects(slow);
            const container = await containerOf(chat);
            const runs = async () => (await processes(container)).some((p) => p === 'sleep 7501');
            await until('the command runs', runs);
            stop.abort('enough');
            await lost;
            await until('the command is gone', async () => !(await runs()));
            const next = await tool(client, 'run', { command: 'echo usable' });
            assert.match(next.text, /^usable$/m);
        }));

        test('an unknown tool is an error of the protocol', () => connected(async (client) => {
            await assert.rejects(kind.call(client, { name: 'rm', arguments: {} }),
                (e) => e.code === -32602);
        }));

        test('wrong arguments are a result', () => connected(async (client) => {
            const seen = await tool(client, 'run', {});
            assert.ok(seen.isError);
            assert.match(seen.text, /command/);
        }));

        test('several calls at once', () => connected(async (client) => {
            const all = await Promise.all([1, 2, 3].map((n) =>
                tool(client, 'run', { command: `echo "number ${n}"` })));
            all.forEach((seen, i) => assert.match(seen.text, new RegExp(`^number ${i + 1}$`, 'm')));
        }));

        test('a wrong key is refused at once', async () => {
            const client = name === '1.x' ? new Client1({ name: 'e2e', version: '1' })
                : new Client2({ name: 'e2e', version: '1' });
            const Transport = name === '1.x' ? Transport1 : Transport2;
            await assert.rejects(client.connect(new Transport(url,
                { requestInit: { headers: { Authorization: 'Bearer wrong' } } })));
        });
    });
}

test('a connection for each turn of a chat, as LibreChat makes them', async () => {
    const chat = conversation();
    for (let turn = 1; turn <= 3; turn++) {
        const client = await CLIENTS['1.x'].connect(chat);
        await client.listTools();
        const seen = result(await client.callTool({ name: 'run',
            arguments: { command: `echo ${turn} >> turns; wc -l < turns` } }));
        note({ conversation: chat }, seen.text);
        assert.match(seen.text, new RegExp(`^${turn}$`, 'm'));
        await client.ping();
        await client.close();
    }
    await call('reset', {}, { conversation: chat });
});
