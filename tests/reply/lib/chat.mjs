// A client of the chat API with tools: asks, runs the tools the model calls over MCP, asks again.
import assert from 'node:assert/strict';
import { call as callTool } from '../../e2e/lib/mcp.mjs';
import { Exchange } from '../../e2e/lib/http.mjs';
import { conversation, key as ownKey, url } from '../../e2e/lib/stack.mjs';
import { rows } from '../../e2e/lib/record.mjs';

export const api = new URL('/v1/', url);

export const TOOLS = ['run', 'run_code', 'write_file', 'reset'].map((name) => ({
    type: 'function',
    function: { name, description: name, parameters: { type: 'object', properties: {} } },
}));

// One request. Options: chat (X-Conversation-Id; null: none), user, key, path, method, headers, to.
export function ask(body, { chat = null, user, key = ownKey, path = 'chat/completions',
    method = 'POST', headers = {}, to = api } = {}) {
    return new Exchange({
        to,
        method,
        path: `/v1/${path}`,
        headers: {
            ...(key ? { Authorization: `Bearer ${key}` } : {}),
            ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
            ...(chat ? { 'X-Conversation-Id': chat } : {}),
            ...(user ? { 'X-User-Id': user } : {}),
            ...headers,
        },
        body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
}

// What an answer says, streamed or whole: { text, calls, finish, usage, roles, data }.
export function read(exchange) {
    assert.equal(exchange.status, 200, exchange.text);
    if (!exchange.streams) {
        const answer = JSON.parse(exchange.text);
        const [{ message, finish_reason: finish }] = answer.choices;
        return { text: message.content ?? '', calls: message.tool_calls ?? [], finish,
            usage: answer.usage, roles: [message.role], answer };
    }
    const data = exchange.events.filter((e) => e.fields).map((e) => e.fields.data);
    const got = { text: '', calls: [], finish: null, usage: null, roles: [], data };
    for (const text of data.filter((d) => d !== '[DONE]')) {
        const chunk = JSON.parse(text);
        got.usage = chunk.usage ?? got.usage;
        for (const { delta, finish_reason: finish } of chunk.choices) {
            assert.equal(got.finish, null, `nothing follows the finish reason: ${text}`);
            got.finish = finish;
            if (delta.role)
                got.roles.push(delta.role);
            got.text += delta.content ?? '';
            for (const part of delta.tool_calls ?? []) {
                got.calls[part.index] ??= { id: part.id, type: 'function',
                    function: { name: part.function.name, arguments: '' } };
                got.calls[part.index].function.arguments += part.function.arguments ?? '';
            }
        }
    }
    return got;
}

// The whole loop for one message of the user. `model` has been scripted. Options: chat (the chat's
// machine; a fresh one), header (tell the model server's API of it), stream, before (messages of
// earlier turns), name (of a tool, as the client calls it), request (more members).
export async function converse(model, { chat = conversation(), header = true, stream = true,
    before = [], name = (tool) => tool, request = {}, key = ownKey, user } = {}) {
    const messages = [...before, { role: 'user', content: 'Write the program.' }];
    for (;;) {
        const exchange = ask({ model, stream, messages, tools: TOOLS,
            ...(stream ? { stream_options: { include_usage: true } } : {}), ...request },
        { chat: header ? chat : null, key, user });
        const got = read(await exchange.done);
        if (got.calls.length === 0)
            return { ...got, exchange, chat, messages };
        messages.push({ role: 'assistant', content: got.text || null, tool_calls: got.calls.map((c) => (
            { ...c, function: { ...c.function, name: name(c.function.name) } })) });
        for (const { id, function: f } of got.calls) {
            const { text } = await callTool(f.name, JSON.parse(f.arguments),
                { conversation: chat, key, user });
            messages.push({ role: 'tool', tool_call_id: id, content: text });
        }
    }
}

// The machine of a chat is not needed any more.
export const leave = (chat, options = {}) =>
    callTool('reset', {}, { conversation: chat, ...options });

export const answersOf = (chat) => rows(
    `select * from backtalk.answers where conversation = :'chat' order by id`, { chat });
