// What passes through unchanged, what is refused, and what happens when something behind is down.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newMember, rows } from '../e2e/lib/record.mjs';
import { ask, converse, leave, read } from './lib/chat.mjs';
import { call, chunks, eventStream, say, script, seen, sendPieces, start, tokens } from './lib/model.mjs';

let model;
before(async () => {
    model = await start();
});
after(() => model.stop());

const echo = (status, headers, text) => script((_, response) => {
    response.writeHead(status, headers);
    response.end(text);
});
const ours = ['x-powered-by', 'server', 'set-cookie', 'location', 'x-accel-redirect', 'authorization'];

test('any path: method, status, headers that matter, body', async () => {
    const answer = '{"object":"list","data":[{"id":"m"}]}';
    const agent = echo(200, { 'Content-Type': 'application/json', 'X-Request-Id': 'r1',
        'X-RateLimit-Remaining-Tokens': '5', Server: 'inside', 'Set-Cookie': 'a=b',
        'X-Accel-Redirect': '/etc/passwd', Location: 'http://inside.example/' }, answer);
    for (const [method, path, body] of [['GET', 'models', undefined], ['GET', 'models/a%2Fb?x=1&y=%20', undefined],
        ['POST', 'embeddings', '{"input":"x"}'], ['DELETE', 'files/f-1', undefined],
        ['PUT', 'files/f-1', 'x'], ['PATCH', 'x', '{}']]) {
        const exchange = await ask(body, { method, path, headers: { 'User-Agent': agent,
            Accept: 'application/json' } }).done;
        const got = seen.at(-1);
        assert.equal(exchange.status, 200);
        assert.equal(exchange.text, answer);
        assert.equal(exchange.response.headers['content-type'], 'application/json');
        assert.equal(exchange.response.headers['x-request-id'], 'r1');
        assert.equal(exchange.response.headers['x-ratelimit-remaining-tokens'], '5');
        for (const name of ours.slice(2))
            assert.equal(exchange.response.headers[name], undefined);
        assert.equal(got.method, method);
        assert.equal(got.url, `/v1/${path}`);
        assert.equal(got.body.toString(), body ?? '');
        assert.equal(got.headers.accept, 'application/json');
    }
});

test('the model server sees its own key, and nothing of ours', async () => {
    const got = await ask({ model: script(say('x')), messages: [{ role: 'user', content: 'x' }] },
        { chat: 'secret-chat', user: 'secret-user' }).done;
    assert.equal(got.status, 200);
    const { headers } = seen.at(-1);
    assert.equal(headers.authorization, `Bearer ${process.env.BACKTALK_UPSTREAM_KEY}`);
    assert.doesNotMatch(JSON.stringify(headers), /secret-chat|secret-user|bt_/);
    assert.doesNotMatch(JSON.stringify(got.response.headers) + got.text, /sk-/);
});

test('errors of the model server are its own', async () => {
    for (const [status, headers, text] of [
        [400, { 'Content-Type': 'application/json' }, '{"error":{"message":"context too long"}}'],
        [401, { 'Content-Type': 'application/json' }, '{"error":{"message":"bad key"}}'],
        [404, { 'Content-Type': 'text/plain' }, 'no'],
        [429, { 'Content-Type': 'application/json', 'Retry-After': '7' }, '{}'],
        [500, { 'Content-Type': 'text/html' }, '<html>'],
        [503, {}, ''], [204, {}, '']]) {
        const exchange = await ask({ model: echo(status, headers, text), messages: [] }).done;
        assert.equal(exchange.status, status);
        assert.equal(exchange.text, text);
        assert.equal(exchange.response.headers['retry-after'], headers['Retry-After']);
        if (headers['Content-Type'])
            assert.equal(exchange.response.headers['content-type'], headers['Content-Type']);
    }
});

test('keys', async () => {
    const body = { model: script(say('x')), messages: [] };
    const before_ = seen.length;
    for (const key of [null, 'bt_wrong', process.env.BACKTALK_UPSTREAM_KEY]) {
        const exchange = await ask(body, { key }).done;
        assert.equal(exchange.status, 401);
        assert.equal(JSON.parse(exchange.text).error.code, 'invalid_api_key');
    }
    assert.equal(seen.length, before_, 'nothing reached the model server');
    const key = await newMember('reply-keys');
    assert.equal((await ask(body, { key }).done).status, 200);
});

test('addresses that are none', async () => {
    const before_ = seen.length;
    for (const path of ['../v1/models/../../x', './x', 'x/%2e%2e/y', 'a%2f..%2fb'])
        assert.ok([400, 404].includes((await ask(undefined, { method: 'GET', path }).done).status), path);
    assert.equal(seen.length, before_);
});

test('members hear of their own programs only', async () => {
    const key = await newMember('reply-other');
    const code = `print("${Date.now()}")`;
    const mine = await converse(script(call(['run_code', { language: 'python', code }]), say('Done.')));
    assert.match(mine.text, /ran, output not compared/);
    const body = { model: script(say('Done.')), stream: true, messages: mine.messages };
    for (const chat of [mine.chat, null])
        assert.equal(read(await ask(body, { chat, key }).done).text, 'Done.');
    await leave(mine.chat);
});

test('users of a front end', async () => {
    const [{ key }] = await rows(`select backtalk.new_front_end_key('replyfront', 'e2e '
        || clock_timestamp()) as key`);
    const run = ['run_code', { language: 'python', code: 'print(5)', expected: '5' }];
    const got = await converse(script(call(run), say('Done.')), { key, user: 'u1' });
    assert.match(got.text, /^Done\.\n\nThis is the program that was tested \(passed 1 of 1 tests\)/);
    const body = { model: script(say('Done.')), stream: true, messages: got.messages };
    for (const user of ['u2', undefined])
        assert.equal(read(await ask(body, { chat: got.chat, key, user }).done).text, 'Done.');
    await leave(got.chat, { key, user: 'u1' });
});

test('a model server that is not there', async () => {
    await model.stop();
    const exchange = await ask({ model: 'x', messages: [] }).done;
    assert.equal(exchange.status, 502);
    assert.equal(JSON.parse(exchange.text).error.code, 'upstream_unreachable');
    assert.doesNotMatch(exchange.text, new RegExp(new URL(process.env.BACKTALK_UPSTREAM).port));
    model = await start();
    assert.equal((await ask({ model: script(say('x')), messages: [] }).done).status, 200);
});

test('many answers one after the other on kept connections, some closed by the server', async () => {
    const name = script((_, response) => {
        response.setHeader('Connection', seen.length % 3 ? 'keep-alive' : 'close');
        return sendPieces(response, [eventStream(chunks(tokens('hello')))]);
    });
    for (let i = 0; i < 40; i++)
        assert.equal(read(await ask({ model: name, stream: true,
            messages: [{ role: 'user', content: 'x' }] }).done).text, 'hello');
});
