// How an answer travels: JSON or a stream of events, when its first bytes come, what is in it.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { begin, beginCall, call, finish, post, responseOf, run } from './lib/mcp.mjs';
import { conversation } from './lib/stack.mjs';

const chat = { conversation: conversation() };
after(() => call('reset', {}, chat));

const JSON_ONLY = { ...chat, accept: 'application/json' };
const SSE_ONLY = { ...chat, accept: 'text/event-stream' };

function assertStream(exchange) {
    assert.match(exchange.response.headers['content-type'], /^text\/event-stream/);
    assert.equal(exchange.response.headers['content-length'], undefined);
    for (const { fields } of exchange.events.filter((e) => e.fields)) {
        assert.equal(fields.id, undefined, 'no id: fields');
        assert.ok(fields.event === undefined || fields.event === 'message', fields.event);
        assert.doesNotThrow(() => JSON.parse(fields.data));
    }
    const last = exchange.events.filter((e) => e.fields).at(-1);
    assert.ok('result' in JSON.parse(last.fields.data), 'the response comes last');
    responseOf(exchange);
}

describe('one call', () => {
    test('a short one is JSON', async () => {
        await run('true', chat); // makes the machine, which may take longer than 2 s
        const { exchange } = await run('echo short', chat);
        assert.match(exchange.response.headers['content-type'], /^application\/json/);
    });

    for (const era of ['legacy', 'modern']) {
        test(`a long one turns into a stream, its head comes early (${era})`, async () => {
            const seen = await run('sleep 5; echo done', { ...chat, era });
            assert.match(seen.text, /^done$/m);
            assertStream(seen.exchange);
            const { startedAt, headersAt, endedAt } = seen.exchange;
            assert.ok(endedAt - headersAt > 1500, `head after ${headersAt - startedAt} ms`);
        });
    }

    test('a long one is JSON when the client takes nothing else', async () => {
        const { exchange, text } = await run('sleep 3; echo done', JSON_ONLY);
        assert.match(exchange.response.headers['content-type'], /^application\/json/);
        assert.match(text, /^done$/m);
    });

    test('a short one is a stream when the client takes nothing else', async () => {
        const { exchange } = await run('echo short', SSE_ONLY);
        assertStream(exchange);
    });

    test('any other Accept gets JSON, never 406', async () => {
        for (const accept of ['*/*', 'text/html', '', undefined]) {
            const exchange = begin('ping', undefined, { ...chat, accept });
            await exchange.done;
            assert.equal(exchange.status, 200);
            assert.deepEqual(responseOf(exchange).result, {});
        }
    });

    test('silence is filled with comments', async () => {
        const seen = await run('sleep 23; echo done', chat);
        assertStream(seen.exchange);
        const comments = seen.exchange.events.filter((e) => 'comment' in e);
        assert.ok(comments.length >= 2, `${comments.length} comments in 23 s`);
    });
});

describe('progress', () => {
    for (const era of ['legacy', 'modern']) {
        for (const token of ['tok-1', 7, 0]) {
            test(`${era}, token ${JSON.stringify(token)}`, async () => {
                const seen = await finish(beginCall('run',
                    { command: 'for i in 1 2 3 4 5 6 7 8; do echo "step $i"; sleep 0.4; done' },
                    { ...chat, era, token }));
                assertStream(seen.exchange);
                const notes = seen.exchange.messages.filter(
                    (m) => m.method === 'notifications/progress');
                assert.ok(notes.length >= 1, seen.exchange.text);
                assert.ok(notes.length <= 6, `${notes.length} in about 3 s: one a second at most`);
                let before = -1;
                for (const { params } of notes) {
                    assert.equal(params.progressToken, token);
                    assert.ok(params.progress > before, 'progress rises');
                    before = params.progress;
                }
                assert.ok(notes.some((n) => /^step \d$/.test(n.params.message ?? '')),
                    'the message is the last line of output');
                assert.match(seen.text, /^step 8$/m);
            });
        }
    }

    test('none without a token', async () => {
        const seen = await run('for i in 1 2 3; do echo $i; sleep 1; done', chat);
        assert.equal(seen.exchange.messages.length, 1);
    });

    test('a big token comes back byte for byte', async () => {
        const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run",'
            + '"arguments":{"command":"echo x; sleep 2.5"},'
            + '"_meta":{"progressToken":123456789012345678901234567890}}}';
        const exchange = post(body, chat);
        await exchange.done;
        assert.match(exchange.text, /"progressToken": ?123456789012345678901234567890[,}]/);
    });
});

describe('batch', () => {
    const message = (id, method, params) => ({ jsonrpc: '2.0', id, method, params });

    for (const version of [undefined, '2025-03-26']) {
        test(`up to sixteen, version header ${version}`, async () => {
            const batch = Array.from({ length: 15 }, (_, i) => message(i, 'ping'));
            batch.push(message('call', 'tools/call',
                { name: 'run', arguments: { command: 'echo from a batch' } }));
            const exchange = post(JSON.stringify(batch),
                { ...JSON_ONLY, headers: { 'MCP-Protocol-Version': version } });
            await exchange.done;
            assert.equal(exchange.status, 200, exchange.text);
            const [answers] = exchange.messages;
            assert.equal(answers.length, 16);
            for (const { id } of batch)
                assert.equal(answers.filter((a) => a.id === id).length, 1);
            const text = answers.find((a) => a.id === 'call').result.content[0].text;
            assert.match(text, /^from a batch$/m);
        });
    }

    test('only notifications and responses: 202, nothing in it', async () => {
        for (const body of [
            [{ jsonrpc: '2.0', method: 'notifications/initialized' }],
            { jsonrpc: '2.0', method: 'notifications/initialized' },
            { jsonrpc: '2.0', method: 'notifications/of/no/known/kind', params: {} },
            { jsonrpc: '2.0', id: 5, result: {} },
            { jsonrpc: '2.0', id: 5, error: { code: 1, message: 'x' } },
        ]) {
            const exchange = post(JSON.stringify(body),
                { ...chat, headers: { 'MCP-Protocol-Version': undefined } });
            await exchange.done;
            assert.equal(exchange.status, 202, `${JSON.stringify(body)}: ${exchange.text}`);
            assert.equal(exchange.body.length, 0);
        }
    });
});

test('ids come back byte for byte', async () => {
    for (const id of ['0', '-1', '123456789012345678901234567890', '1.0', '1e3', '"a"', '""',
        '"\\u00e9\\n\\""', '"\u00e9\u{1f600}"', `"${'x'.repeat(500)}"`]) {
        for (const method of ['ping', 'tools/list']) {
            const exchange = post(`{"jsonrpc":"2.0","id":${id},"method":"${method}"}`, JSON_ONLY);
            await exchange.done;
            assert.equal(exchange.status, 200, exchange.text);
            const found = [',', '}'].some((end) => exchange.text.includes(`"id":${id}${end}`));
            assert.ok(found, `${id} in ${exchange.text.slice(0, 300)}`);
        }
    }
});

test('a modern result carries what the revision asks for', async () => {
    const options = { ...JSON_ONLY, era: 'modern' };
    for (const method of ['server/discover', 'tools/list']) {
        const exchange = begin(method, {}, options);
        await exchange.done;
        const { result } = responseOf(exchange);
        assert.equal(result.resultType, 'complete');
        assert.ok(result._meta['io.modelcontextprotocol/serverInfo'].name);
        assert.ok(Number.isInteger(result.ttlMs));
        assert.equal(result.cacheScope, 'public');
    }
    const { exchange } = await run('true', options);
    assert.equal(responseOf(exchange).result.resultType, 'complete');
});
