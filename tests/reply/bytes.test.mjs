// The bytes of a stream: passed on as they are, however they are cut; at once; and whatever is wrong
// with them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { until } from '../e2e/lib/wait.mjs';
import { api, ask, converse, leave, read } from './lib/chat.mjs';
import { call, chunks, EVENTS, eventStream, say, script, sendPieces, start, tokens } from './lib/model.mjs';

let model, turn;
const CODE = 'print("é", """\n```\n""")\n';
const MORE = '\n\nThis is the program that was run (ran, output not compared):\n\n'
    + `\`\`\`\`python\n${CODE}\`\`\`\`\n`;

// One turn with a program that ran: its messages serve all requests here.
before(async () => {
    model = await start();
    const got = await converse(script(call(['run_code', { language: 'python', code: CODE }]), say('.')));
    turn = { chat: got.chat, messages: got.messages };
});
after(async () => {
    await leave(turn.chat);
    await model.stop();
});

const request = (name, more = {}) => ({ model: name, stream: true, messages: turn.messages, ...more });
const final = (answer, more = {}) => ask(request(script(answer), more), { chat: turn.chat });
const TEXT = 'Fertig: é🎉';

test('cut in two at every byte', async () => {
    for (const end of ['\n\n', '\r\n\r\n']) {
        const body = Buffer.from(eventStream(chunks([TEXT], { more: { created: 1 } }), { end }));
        const name = script((_, response, { cut }) =>
            sendPieces(response, [body.subarray(0, cut), body.subarray(cut)].filter((b) => b.length)));
        const at = [...Array(body.length).keys()];
        await Promise.all(Array.from({ length: 4 }, async () => {
            for (let cut = at.pop(); cut !== undefined; cut = at.pop()) {
                const got = read(await ask(request(name, { cut }), { chat: turn.chat }).done);
                assert.equal(got.text, TEXT + MORE, `cut at ${cut} of ${body.length}`);
                assert.equal(got.finish, 'stop');
                assert.equal(got.data.at(-1), '[DONE]');
            }
        }));
    }
});

test('byte by byte', async () => {
    const body = Buffer.from(eventStream(chunks(tokens(TEXT))));
    const got = read(await final((_, response) =>
        sendPieces(response, [...body].map((b) => Buffer.from([b])))).done);
    assert.equal(got.text, TEXT + MORE);
});

test('nothing else of the stream is changed', async () => {
    const list = chunks(['a', 'b']);
    const body = `: hi\n\n${eventStream(list.slice(0, -2), { done: false })}`
        + `event: note\nid: 7\ndata: ${list.at(-2)}\n\n: bye\r\n\r\n${eventStream(list.slice(-1))}`;
    const exchange = await final((_, response) => sendPieces(response, [body])).done;
    const [before_, after_] = body.split('event: note');
    assert.ok(exchange.text.startsWith(before_));
    assert.ok(exchange.text.endsWith(`event: note${after_}`));
    assert.equal(read(exchange).text, `ab${MORE}`);
});

test('the last text rides with the finish reason; the role comes late', async () => {
    const got = read(await final((_, response) => sendPieces(response,
        [eventStream(chunks(['a'], { lastText: 'b', usage: false }))])).done);
    assert.equal(got.text, `ab${MORE}`);
    const empty = read(await final((_, response) => sendPieces(response,
        [eventStream(chunks([], { role: false }))])).done);
    assert.equal(empty.text, MORE.trimStart());
    assert.deepEqual(empty.roles, ['assistant']);
});

test('an answer that goes on with its own beginning', async () => {
    const messages = [...turn.messages, { role: 'assistant', content: `\`\`\`\`python\n${CODE}` }];
    const got = read(await ask(request(script(say('````\n')), { messages }), { chat: turn.chat }).done);
    assert.equal(got.text, '````\n');
});

test('streams that are left alone come as they are', async () => {
    const list = chunks(['a']);
    const bodies = {
        cut: eventStream(chunks(['a'], { finish: 'length' })),
        'no finish reason': eventStream([list[0], list[1]]),
        'broken JSON': `data: {"choices":[{\n\n${eventStream(list)}`,
        error: `data: {"error":{"message":"out of memory"}}\n\n${eventStream(list)}`,
        'two choices': eventStream([JSON.stringify({ choices: [
            { index: 0, delta: { content: 'x' }, finish_reason: 'stop' },
            { index: 1, delta: { content: 'y' }, finish_reason: 'stop' }] })]),
        'no events': 'just text',
        'tool calls that say stop': eventStream(chunks([], { finish: 'stop',
            calls: [{ id: 'c', name: 'run', args: '{}' }] })),
        'a long event': eventStream([JSON.stringify({ choices: [{ index: 0,
            delta: { content: 'x'.repeat((1 << 20) + 9) }, finish_reason: 'stop' }] })]),
    };
    for (const [what, body] of Object.entries(bodies)) {
        const exchange = await final((_, response) => sendPieces(response, [body])).done;
        assert.equal(exchange.text, body, what);
    }
    // the answer has ended, the stream has not
    const open = await final((_, response) => sendPieces(response,
        [`${eventStream(list, { done: false })}data: [DO`])).done;
    assert.equal(read(open).text, `a${MORE}`);
    assert.ok(open.text.endsWith('\n\ndata: [DO'));
});

test('requests that are left alone get what the model says', async () => {
    const body = eventStream(chunks(['a']));
    const name = () => script((_, response) => sendPieces(response, [body]));
    for (const more of [{ n: 2 }, { logprobs: true }, { top_logprobs: 2, logprobs: true },
        { response_format: { type: 'json_object' } }, { grammar: 'root ::= "a"' },
        { messages: [...turn.messages, { role: 'user', content: 'Write a title of 5 words.' }] },
        { messages: [...turn.messages, { role: 'system', content: 'Sum it up.' }] }]) {
        const exchange = await ask(request(name(), more), { chat: turn.chat }).done;
        assert.equal(exchange.text, body, JSON.stringify(Object.keys(more)));
    }
});

test('each token is there before the next is sent', async () => {
    const list = chunks(tokens('one by one'));
    const exchange = final(async (_, response) => {
        response.writeHead(200, EVENTS);
        for (const [i, data] of list.slice(0, -2).entries()) {
            response.write(`data: ${data}\n\n`);
            await until(`event ${i}`, () => exchange.events.length > i, { every: 1 });
        }
        response.end(eventStream(list.slice(-2)));
    });
    assert.equal(read(await exchange.done).text, `one by one${MORE}`);
});

test('a whole answer keeps all it had', async () => {
    const name = script(say('Done.'));
    const { answer } = read(await ask({ model: name, messages: turn.messages }, { chat: turn.chat }).done);
    assert.equal(answer.choices[0].message.content, `Done.${MORE}`);
    assert.deepEqual(answer.timings, { predicted_ms: 12.345, predicted_per_second: 1000 });
    assert.equal(answer.usage.total_tokens, 18);
    const odd = ' {"choices": [ {"message": {"content": "a"}, "finish_reason": "length"} ] }\n';
    const raw = await ask({ model: script((_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(odd);
    }), messages: turn.messages }, { chat: turn.chat }).done;
    assert.equal(raw.text, odd);
});

test('a stream that is cut is cut for the client', async () => {
    const list = chunks(['a', 'b']);
    for (const cut of [1, 30, 2000]) {
        const part = eventStream(list).slice(0, cut);
        const exchange = final(async (_, response) => {
            response.writeHead(200, EVENTS);
            response.write(part);
            await until('the head', () => exchange.status);
            response.socket.destroy();
        });
        await assert.rejects(exchange.done, `after ${cut} bytes`);
    }
    // and a whole one
    const half = ask({ model: script((_, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 });
        response.write('{"choices":');
        setImmediate(() => response.socket.destroy());
    }), messages: turn.messages }, { chat: turn.chat });
    await assert.rejects(half.done);
});

test('a client that goes away cancels the model', async () => {
    for (const messages of [turn.messages, [{ role: 'user', content: 'Hi' }]])
        for (const talk of [true, false]) {
            let closed;
            const name = script((incoming, response, _, entry) => {
                closed = entry.closed.then(() => true);
                if (talk) {
                    response.writeHead(200, EVENTS);
                    response.write('data: {}\n\n');
                }
            });
            const exchange = ask(request(name, { messages }), { chat: turn.chat });
            if (talk)
                await exchange.headers;
            await until('the request arrived', () => closed !== undefined);
            exchange.abort();
            assert.ok(await closed);
        }
});

test('bytes of any kind, in both directions', async () => {
    const blob = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919) >> 3 & 255));
    let got;
    const agent = script(async (incoming, response, body) => {
        got = body;
        response.writeHead(200, { 'Content-Type': 'audio/mpeg' });
        if (!response.write(blob))
            await once(response, 'drain');
        response.end(blob);
    });
    const exchange = await ask(blob.toString('latin1'), { path: 'audio/speech', headers: {
        'Content-Type': 'application/octet-stream', 'User-Agent': agent } }).done;
    assert.equal(exchange.status, 200);
    assert.equal(exchange.response.headers['content-type'], 'audio/mpeg');
    assert.deepEqual(exchange.body, Buffer.concat([blob, blob]));
    assert.deepEqual(got, Buffer.from(blob.toString('latin1')));
    assert.equal(api.pathname, '/v1/');
});
