// Tool calls as plain JSON-RPC over HTTP, in the form the official clients send them.
import assert from 'node:assert/strict';
import { Exchange } from './http.mjs';
import { key as ownKey, url } from './stack.mjs';
import { note } from './seen.mjs';

export const LEGACY = '2025-11-25';
export const MODERN = '2026-07-28';
export const BOTH = 'application/json, text/event-stream';

// Words and numbers that make clients stop or start a sign-in when they meet them in an error.
export const FORBIDDEN_WORDS = /\b(401|429)\b|unauthori[sz]ed|authentication|rate limit|oauth/i;

let lastId = 0;

export function modernMeta(more = {}) {
    return {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientInfo': { name: 'e2e', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
        ...more,
    };
}

// Options everywhere: conversation, user, key (null: none), accept, era ('legacy' | 'modern'),
// session, origin, headers (added last), timeoutMs, to (another URL).
export function headersFor({ conversation, user, key = ownKey, accept = BOTH, era = 'legacy',
    session, origin, headers = {} }, method, name) {
    const all = {
        'Content-Type': 'application/json',
        Accept: accept,
        'MCP-Protocol-Version': era === 'modern' ? MODERN : LEGACY,
    };
    if (key !== null)
        all.Authorization = `Bearer ${key}`;
    if (conversation !== undefined)
        all['X-Conversation-Id'] = conversation;
    if (user !== undefined)
        all['X-User-Id'] = user;
    if (session)
        all['Mcp-Session-Id'] = session;
    if (origin)
        all.Origin = origin;
    if (era === 'modern') {
        all['Mcp-Method'] = method;
        if (name)
            all['Mcp-Name'] = name;
    }
    Object.assign(all, headers);
    for (const [header, value] of Object.entries(all))
        if (value === undefined)
            delete all[header];
    return all;
}

// Posts a body as it stands.
export function post(body, options = {}) {
    return new Exchange({
        to: options.to ?? url,
        headers: headersFor(options, options.method, options.name),
        body,
        timeoutMs: options.timeoutMs,
    });
}

// Starts one request; `exchange.id` is its id.
export function begin(method, params, options = {}) {
    const id = options.id ?? ++lastId;
    const message = { jsonrpc: '2.0', id, method, params };
    if (options.era === 'modern')
        message.params = { ...params, _meta: { ...modernMeta(), ...params?._meta } };
    const exchange = post(JSON.stringify(message), { ...options, method, name: params?.name });
    exchange.id = id;
    return exchange;
}

export function beginCall(tool, args, options = {}) {
    const params = { name: tool, arguments: args };
    if (options.token !== undefined)
        params._meta = { progressToken: options.token };
    const exchange = begin('tools/call', params, options);
    exchange.options = options;
    return exchange;
}

// The one response among an exchange's messages.
export function responseOf(exchange) {
    const responses = exchange.messages.filter((m) => 'result' in m || 'error' in m);
    assert.equal(responses.length, 1, `exactly one response, not:\n${exchange.text}`);
    return responses[0];
}

// Waits for a tools/call: { text, isError, exitCode, seconds, exchange }.
export async function finish(exchange) {
    await exchange.done;
    assert.equal(exchange.status, 200, exchange.text);
    const response = responseOf(exchange);
    assert.deepEqual(response.id, exchange.id);
    assert.ok(response.result, `a result, not:\n${exchange.text}`);
    const seen = result(response.result);
    note(exchange.options, seen.text);
    return { ...seen, exchange };
}

// What a reader gets out of a CallToolResult, its form checked.
export function result(raw) {
    assert.equal(raw.structuredContent, undefined);
    assert.equal(raw.content.length, 1);
    assert.equal(raw.content[0].type, 'text');
    const text = raw.content[0].text;
    assert.ok(text.length > 0, 'a result is never empty');
    assert.doesNotMatch(text, /[\x00-\x08\x0b-\x1f\x7f]/, 'no control characters');
    const exit = /^exit code (\d+)\b.*\(([\d.,]+) s\)$/m.exec(text);
    return {
        text,
        isError: raw.isError === true,
        exitCode: exit ? Number(exit[1]) : null,
        seconds: exit ? Number(exit[2].replace(',', '')) : null,
    };
}

export async function call(tool, args, options) {
    return finish(beginCall(tool, args, options));
}

export const run = (command, options, more = {}) => call('run', { command, ...more }, options);

// Runs a command that must succeed and gives what it printed, without the header.
export async function output(command, options) {
    const seen = await run(command, options);
    assert.equal(seen.exitCode, 0, seen.text);
    return seen.text.slice(seen.text.indexOf('\n\n') + 2);
}
