// The official client of the chat API reads what comes; the example for LibreChat is what LibreChat's own
// schema takes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import yaml from 'js-yaml';
import { configSchema } from 'librechat-data-provider';
import { key } from '../e2e/lib/stack.mjs';
import { api, converse, leave } from './lib/chat.mjs';
import { call, say, script, start } from './lib/model.mjs';

let model, turn, client;
const MORE = '\n\nThis is the program that was tested (passed 1 of 1 tests):\n\n```python\nprint(6)\n```\n';

before(async () => {
    model = await start();
    const got = await converse(script(call(['run_code', { language: 'python', code: 'print(6)', expected: '6' }]),
        say('.')));
    turn = { chat: got.chat, messages: got.messages };
    client = new OpenAI({ apiKey: key, baseURL: api.href, maxRetries: 0,
        defaultHeaders: { 'X-Conversation-Id': turn.chat } });
});
after(async () => {
    await leave(turn.chat);
    await model.stop();
});

test('openai: a stream', async () => {
    const stream = client.chat.completions.stream({ model: script(say('Done.')), messages: turn.messages,
        stream_options: { include_usage: true } });
    let text = '';
    stream.on('content', (delta) => {
        text += delta;
    });
    const answer = await stream.finalChatCompletion();
    assert.equal(text, `Done.${MORE}`);
    assert.equal(answer.choices[0].message.content, text);
    assert.equal(answer.choices[0].message.role, 'assistant');
    assert.equal(answer.choices[0].finish_reason, 'stop');
    assert.equal(answer.usage.prompt_tokens, 11);
});

test('openai: tool calls in a stream', async () => {
    const answer = await client.chat.completions.stream({ model: script(call(['run', { command: 'ls' }])),
        messages: turn.messages }).finalChatCompletion();
    assert.equal(answer.choices[0].message.tool_calls[0].function.name, 'run');
    assert.equal(answer.choices[0].finish_reason, 'tool_calls');
});

test('openai: whole', async () => {
    const answer = await client.chat.completions.create({ model: script(say('Done.')),
        messages: turn.messages });
    assert.equal(answer.choices[0].message.content, `Done.${MORE}`);
});

test('openai: errors keep their kind', async () => {
    const wrong = new OpenAI({ apiKey: 'bt_wrong', baseURL: api.href, maxRetries: 0 });
    await assert.rejects(wrong.models.list(), OpenAI.AuthenticationError);
    const busy = script((_, response) => {
        response.writeHead(429, { 'Content-Type': 'application/json' });
        response.end('{"error":{"message":"slow down","type":"x","code":"y"}}');
    });
    await assert.rejects(client.chat.completions.create({ model: busy, messages: turn.messages }),
        (error) => error instanceof OpenAI.RateLimitError && /slow down/.test(error.message));
});

test('the librechat.yaml of nginx-conf/README.md', () => {
    const readme = fs.readFileSync(new URL('../../nginx-conf/README.md', import.meta.url), 'utf8');
    const text = /```yaml\n(version[\s\S]*?)```/.exec(readme)[1];
    const config = configSchema.strict().parse(yaml.load(text));
    const [endpoint] = config.endpoints.custom;
    const { backtalk } = config.mcpServers;
    assert.equal(endpoint.headers['X-Conversation-Id'], '{{LIBRECHAT_BODY_CONVERSATIONID}}');
    assert.deepEqual({ ...endpoint.headers, Authorization: `Bearer ${endpoint.apiKey}` }, backtalk.headers);
    assert.equal(new URL(endpoint.baseURL).pathname, '/v1');
    const wrong = yaml.load(text);
    wrong.endpoints.custom[0].models = 'your-model';
    assert.equal(configSchema.strict().safeParse(wrong).success, false, 'the schema can say no');
});
