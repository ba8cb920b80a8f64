// Requests that must not reach a machine: each gets the right answer, in a form clients can read,
// and after each the record and the engine are as they were.
import assert from 'node:assert/strict';
import net from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { sandboxNames } from './lib/docker.mjs';
import { Exchange, send } from './lib/http.mjs';
import { begin, beginCall, FORBIDDEN_WORDS, headersFor, LEGACY, MODERN, modernMeta, post,
    responseOf, result } from './lib/mcp.mjs';
import { rows } from './lib/record.mjs';
import { conversation, url } from './lib/stack.mjs';

const chat = { conversation: conversation() };

const COMMAND = { command: 'echo ran' };
const rpc = (id, method, params) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const runBody = rpc(1, 'tools/call', { name: 'run', arguments: COMMAND });

async function world() {
    const [{ calls }] = await rows(`select count(*)::int as calls from backtalk.call
        where outcome is distinct from 'refused'`);
    return { calls, sandboxes: (await sandboxNames()).sort() };
}

let before;
beforeEach(async () => {
    before = await world();
});
afterEach(async () => assert.deepEqual(await world(), before, 'something was run'));

// The exchange's error, checked: HTTP status, JSON-RPC code, id, and none of the words that make
// clients give up.
async function refused(exchange, status, code, id) {
    await exchange.done;
    assert.equal(exchange.status, status, exchange.text);
    if (code === null) {
        assert.doesNotMatch(exchange.text, FORBIDDEN_WORDS);
        return null;
    }
    assert.match(exchange.response.headers['content-type'], /^application\/json/);
    const message = JSON.parse(exchange.text);
    assert.equal(message.jsonrpc, '2.0');
    assert.equal(message.error?.code, code, exchange.text);
    assert.equal(typeof message.error.message, 'string');
    assert.ok(message.error.message.length > 0);
    assert.doesNotMatch(message.error.message, FORBIDDEN_WORDS);
    assert.ok(!exchange.text.includes(chat.conversation), 'no id of a chat in an error');
    if (id !== undefined)
        assert.deepEqual(message.id, id);
    return message.error;
}

describe('the chat is not named', () => {
    for (const [what, value] of [
        ['no header', undefined], ['empty', ''], ['"new"', 'new'], ['"New"', 'New'],
        ['"null"', 'null'], ['"undefined"', 'undefined'],
        ['not expanded', '{{LIBRECHAT_BODY_CONVERSATIONID}}'], ['too long', 'x'.repeat(300)],
        ['a space in it', 'my chat'], ['not ASCII', 'caf\u00e9'],
    ]) {
        test(what, async () => {
            const exchange = beginCall('run', COMMAND, { conversation: value });
            await exchange.done;
            assert.equal(exchange.status, 200, exchange.text);
            const { text, isError } = result(responseOf(exchange).result);
            assert.ok(isError);
            assert.match(text, /X-Conversation-Id/, 'says what to configure');
            assert.doesNotMatch(text, FORBIDDEN_WORDS);
        });
    }

    test('listing tools needs no chat', async () => {
        const exchange = begin('tools/list', {}, {});
        await exchange.done;
        assert.equal(responseOf(exchange).result.tools.length, 4);
    });
});

describe('the key', () => {
    for (const [what, options] of [
        ['none', { key: null }],
        ['wrong', { key: 'bt_wrong' }],
        ['empty', { key: '' }],
        ['a huge one', { key: 'x'.repeat(4000) }],
        ['another scheme', { key: null, headers: { Authorization: 'Basic dXNlcjpwYXNz' } }],
    ]) {
        test(`${what}: 401 before the body is looked at`, async () => {
            for (const body of [runBody, '{ not JSON', '']) {
                const exchange = post(body, { ...chat, ...options });
                await exchange.done;
                assert.equal(exchange.status, 401, exchange.text);
                assert.match(exchange.response.headers['www-authenticate'], /^Bearer\b/);
                assert.ok(!exchange.text.includes(chat.conversation));
            }
        });
    }
});

describe('HTTP', () => {
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'PUT']) {
        test(`${method} is not offered`, async () => {
            const exchange = await send({ method, headers: headersFor(chat) });
            assert.equal(exchange.status, 405);
            assert.equal(exchange.response.headers.allow, 'POST');
        });
    }

    test('a page of another origin is refused, a program without one is not', async () => {
        for (const origin of ['http://evil.example', 'null', 'https://localhost.evil.example'])
            await refused(post(runBody, { ...chat, origin }), 403, null);
        const exchange = begin('ping', undefined, chat);
        await exchange.done;
        assert.equal(exchange.status, 200);
    });

    test('only JSON is read', async () => {
        for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx',
            undefined])
            await refused(post(runBody, { ...chat, headers: { 'Content-Type': type } }), 415, null);
        const exchange = post(rpc(1, 'ping'),
            { ...chat, headers: { 'Content-Type': 'application/json; charset=utf-8' } });
        await exchange.done;
        assert.equal(exchange.status, 200);
    });

    test('1 GiB announced is refused before it is sent', async () => {
        const exchange = new Exchange({
            headers: { ...headersFor(chat), 'Content-Length': String(1 << 30) },
        });
        exchange.request.on('error', () => {});
        let sent = 0;
        const piece = Buffer.alloc(1 << 16, 0x20);
        const pump = () => {
            if (exchange.response || sent >= (1 << 30))
                return;
            sent += piece.length;
            if (exchange.request.write(piece))
                setImmediate(pump);
            else
                exchange.request.once('drain', pump);
        };
        exchange.request.once('socket', pump);
        await exchange.headers;
        assert.equal(exchange.status, 413);
        assert.ok(sent < (64 << 20), `${sent} bytes went out first`);
        exchange.abort();
    });

    test('a body without announced end is cut off', async () => {
        const socket = net.connect(Number(url.port), url.hostname);
        socket.on('error', () => {});
        const head = Object.entries({ ...headersFor(chat), Host: url.host,
            'Transfer-Encoding': 'chunked' }).map(([k, v]) => `${k}: ${v}\r\n`).join('');
        socket.write(`POST ${url.pathname} HTTP/1.1\r\n${head}\r\n`);
        const piece = `10000\r\n${' '.repeat(0x10000)}\r\n`;
        let sent = 0;
        const status = await new Promise((resolve) => {
            socket.once('data', (bytes) => resolve(bytes.toString('latin1').split(' ')[1]));
            socket.once('close', () => resolve('closed'));
            const pump = () => {
                while (sent < (1 << 30) && !socket.destroyed) {
                    sent += piece.length;
                    if (!socket.write(piece)) {
                        socket.once('drain', pump);
                        return;
                    }
                }
            };
            pump();
        });
        socket.destroy();
        assert.equal(status, '413');
        assert.ok(sent < (256 << 20), `${sent} bytes were read`);
    });
});

describe('bodies', () => {
    const nested = (levels) => rpc(1, 'tools/call', { name: 'run', arguments: { command: 0 } })
        .replace('"command":0', `"command":${'['.repeat(levels)}${']'.repeat(levels)}`);

    for (const [what, body, code] of [
        ['empty', '', -32700],
        ['not JSON', 'hello', -32700],
        ['half JSON', runBody.slice(0, -5), -32700],
        ['JSON and more', `${runBody} x`, -32700],
        ['two messages', `${runBody}\n${runBody}`, -32700],
        ['100 levels deep', nested(100), -32700],
        ['100,000 levels deep', nested(100_000), -32700],
        ['invalid UTF-8', Buffer.concat([Buffer.from(runBody.slice(0, -6)),
            Buffer.from([0xff, 0xfe]), Buffer.from(runBody.slice(-6))]), -32700],
        ['a NUL byte', runBody.replace('echo ran', 'echo \0ran'), -32700],
        ['a NUL byte at the end', `${runBody}\0`, -32700],
        ['a number', '5', -32600],
        ['a string', '"tools/call"', -32600],
        ['null', 'null', -32600],
        ['an empty object', '{}', -32600],
        ['no version', JSON.stringify({ id: 1, method: 'ping' }), -32600],
        ['another version', JSON.stringify({ jsonrpc: '1.0', id: 1, method: 'ping' }), -32600],
        ['a method that is no text', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 5 }), -32600],
        ['an id that is an object',
            JSON.stringify({ jsonrpc: '2.0', id: {}, method: 'ping' }), -32600],
        ['an empty batch', '[]', -32600],
    ]) {
        test(what, async () => {
            await refused(post(body, chat), 400, code, code === -32700 ? null : undefined);
        });
    }

    test('a batch of seventeen', async () => {
        const batch = Array.from({ length: 17 }, (_, id) => ({ ...JSON.parse(runBody), id }));
        await refused(post(JSON.stringify(batch),
            { ...chat, headers: { 'MCP-Protocol-Version': undefined } }), 400, -32600);
    });

    test('a batch in a revision without batches', async () => {
        for (const version of ['2025-06-18', LEGACY])
            await refused(post(`[${runBody}]`,
                { ...chat, headers: { 'MCP-Protocol-Version': version } }), 400, -32600);
        await refused(post(`[${runBody}]`, { ...chat, era: 'modern', method: 'tools/call',
            name: 'run' }), 400, -32600);
    });
});

describe('methods and params', () => {
    test('unknown tool', async () => {
        await refused(begin('tools/call', { name: 'rm', arguments: {} }, { ...chat, id: 9 }),
            200, -32602, 9);
    });

    test('malformed params', async () => {
        for (const params of [undefined, {}, { name: 5 }, { name: 'run', arguments: 'echo' },
            { name: 'run', arguments: [COMMAND] }])
            await refused(begin('tools/call', params, chat), 200, -32602);
    });

    test('unknown method: 200 for the legacy era, 404 for the modern', async () => {
        for (const method of ['resources/list', 'prompts/list', 'nonsense', ''])
            await refused(begin(method, {}, { ...chat, id: 'm' }), 200, -32601, 'm');
        await refused(begin('resources/list', {}, { ...chat, era: 'modern' }), 404, -32601);
    });

    test('a cursor', async () => {
        await refused(begin('tools/list', { cursor: 'next' }, chat), 200, -32602);
    });

    test('arguments that are wrong are answered in words, with a right call', async () => {
        for (const [tool, args, named] of [
            ['run', undefined, /command/], ['run', {}, /command/],
            ['run', { command: '' }, /command/],
            ['run', { command: 5 }, /command/], ['run', { command: null }, /command/],
            ['run', { command: { a: 1 } }, /command/],
            ['run', { command: 'echo a\0b' }, /command/],
            ['run_code', {}, /language|code/], ['run_code', { language: 'python' }, /code/],
            ['run_code', { code: 'print(1)' }, /language/],
            ['run_code', { language: 5, code: 'x' }, /language/],
            ['run_code', { language: 'python', code: [1] }, /code/],
            ['write_file', { path: 'x' }, /content/], ['write_file', { content: 'x' }, /path/],
            ['write_file', { path: '', content: 'x' }, /path/],
            ['write_file', { path: 'a\0b', content: 'x' }, /path/],
            ['write_file', { path: 'x'.repeat(6000), content: 'x' }, /path/],
        ]) {
            const exchange = beginCall(tool, args, chat);
            await exchange.done;
            assert.equal(exchange.status, 200, exchange.text);
            const seen = result(responseOf(exchange).result);
            const what = `${JSON.stringify(args)?.slice(0, 80)}: ${seen.text.slice(0, 500)}`;
            assert.ok(seen.isError, what);
            assert.match(seen.text, named, what);
            assert.ok(seen.text.includes(`"${FIRST_ARGUMENT[tool]}"`), `no right call in ${what}`);
            assert.doesNotMatch(seen.text, FORBIDDEN_WORDS);
        }
    });
});

// What a right call of each tool shows first.
const FIRST_ARGUMENT = { run: 'command', run_code: 'language', write_file: 'path' };

describe('the legacy era', () => {
    test('initialize takes any revision and answers one it knows', async () => {
        for (const [asked, given] of [['2025-11-25', '2025-11-25'], ['2025-06-18', '2025-06-18'],
            ['2025-03-26', '2025-03-26'], ['2024-11-05', '2024-11-05'], ['1999-01-01', LEGACY],
            [MODERN, LEGACY]]) {
            const exchange = begin('initialize', { protocolVersion: asked, capabilities: {},
                clientInfo: { name: 'e2e', version: '1' } },
            { ...chat, headers: { 'MCP-Protocol-Version': undefined } });
            await exchange.done;
            assert.equal(exchange.status, 200, exchange.text);
            const { result: answer } = responseOf(exchange);
            assert.equal(answer.protocolVersion, given);
            assert.deepEqual(answer.capabilities, { tools: {} });
            assert.ok(answer.serverInfo.name && answer.serverInfo.version);
            assert.match(exchange.response.headers['mcp-session-id'], /^[\x21-\x7e]{16,}$/);
        }
    });

    test('sessions are neither needed nor remembered', async () => {
        for (const session of ['made-up', 'x'.repeat(100)]) {
            const exchange = begin('ping', undefined, { ...chat, session });
            await exchange.done;
            assert.equal(exchange.status, 200);
        }
    });

    test('a revision nobody knows', async () => {
        const exchange = begin('ping', undefined,
            { ...chat, headers: { 'MCP-Protocol-Version': '2020-01-01' } });
        await exchange.done;
        assert.equal(exchange.status, 400);
        assert.match(exchange.text, /2025-11-25/);
        assert.match(exchange.text, /2026-07-28/);
    });
});

describe('the modern era', () => {
    const modern = { ...chat, era: 'modern' };
    const body = (meta, method = 'tools/call', more = { name: 'run', arguments: COMMAND }) =>
        rpc(3, method, { ...more, ...(meta === null ? {} : { _meta: meta }) });
    const incomplete = modernMeta();
    delete incomplete['io.modelcontextprotocol/clientCapabilities'];

    for (const [what, text, options, status, code] of [
        ['no _meta', body(null), {}, 400, -32602],
        ['_meta incomplete', body(incomplete), {}, 400, -32602],
        ['the version differs', body(modernMeta()),
            { headers: { 'MCP-Protocol-Version': LEGACY } }, 400, -32020],
        ['no version header', body(modernMeta()),
            { headers: { 'MCP-Protocol-Version': undefined } }, 400, -32020],
        ['the method differs', body(modernMeta()), { headers: { 'Mcp-Method': 'ping' } },
            400, -32020],
        ['no Mcp-Method', body(modernMeta()), { headers: { 'Mcp-Method': undefined } },
            400, -32020],
        ['no Mcp-Name', body(modernMeta()), { headers: { 'Mcp-Name': undefined } }, 400, -32020],
        ['the name differs', body(modernMeta()), { headers: { 'Mcp-Name': 'reset' } }, 400, -32020],
    ]) {
        test(what, async () => {
            await refused(post(text, { ...modern, method: 'tools/call', name: 'run', ...options }),
                status, code);
        });
    }

    test('a revision of the future: told what is supported', async () => {
        const meta = modernMeta({ 'io.modelcontextprotocol/protocolVersion': '2099-01-01' });
        const error = await refused(post(body(meta), { ...modern, method: 'tools/call', name: 'run',
            headers: { 'MCP-Protocol-Version': '2099-01-01' } }), 400, -32022);
        assert.ok(error.data.supported.includes(MODERN));
        assert.equal(error.data.requested, '2099-01-01');
    });

    test('a name in base64 is understood', async () => {
        const name = `=?base64?${Buffer.from('rm').toString('base64')}?=`;
        await refused(post(body(modernMeta(), 'tools/call', { name: 'rm', arguments: {} }),
            { ...modern, method: 'tools/call', name }), 200, -32602);
    });
});

test('what tools/list shows is small and plain', async () => {
    for (const era of ['legacy', 'modern']) {
        const exchange = begin('tools/list', {}, { ...chat, era });
        await exchange.done;
        const { tools, nextCursor } = responseOf(exchange).result;
        assert.equal(nextCursor, undefined);
        assert.deepEqual(tools.map((t) => t.name), ['run', 'run_code', 'write_file', 'reset']);
        assert.doesNotMatch(JSON.stringify(tools),
            /"(\$schema|\$ref|anyOf|oneOf|allOf|const|outputSchema)"/);
        for (const { inputSchema, description } of tools) {
            assert.equal(inputSchema.type, 'object');
            assert.ok(description.length > 10);
        }
        const named = Object.fromEntries(tools.map((t) => [t.name, t.inputSchema]));
        assert.deepEqual(Object.keys(named.run.properties).sort(), ['command', 'timeout']);
        assert.deepEqual(Object.keys(named.run_code.properties).sort(),
            ['code', 'expected', 'input', 'language']);
        assert.deepEqual(Object.keys(named.write_file.properties).sort(), ['content', 'path']);
        assert.deepEqual(Object.keys(named.reset.properties ?? {}), []);
    }
});
