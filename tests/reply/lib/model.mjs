// A scripted model server that speaks OpenAI's API: which script a request gets stands in its
// `model`. Started once a test file, on the port the stack has as BACKTALK_UPSTREAM.
import http from 'node:http';
import { once } from 'node:events';
import { setImmediate as soon } from 'node:timers/promises';

const { port } = new URL(process.env.BACKTALK_UPSTREAM ?? 'http://127.0.0.1:0/v1');
const scripts = new Map();
let count = 0;

// Every request that came: { method, url, headers, body, closed }.
export const seen = [];

// Registers what answers the requests of one chat, one after the other: functions of
// (request, response, body). Returns the model name to ask for.
export function script(...answers) {
    const name = `script-${process.pid}-${++count}`;
    scripts.set(name, answers);
    return name;
}

async function serve(request, response) {
    const chunks = [];
    for await (const bytes of request)
        chunks.push(bytes);
    const body = Buffer.concat(chunks);
    const entry = { method: request.method, url: request.url, headers: request.headers, body };
    entry.closed = once(response, 'close');
    seen.push(entry);
    let json = null;
    try {
        json = JSON.parse(body.toString('utf8'));
    } catch {
        // not every body is JSON
    }
    const answers = scripts.get(json?.model ?? request.headers['user-agent']);
    const answer = answers?.length > 1 ? answers.shift() : answers?.[0];
    if (!answer)
        return response.writeHead(404).end('no such script');
    return answer(request, response, json ?? body, entry);
}

export async function start() {
    const server = http.createServer((request, response) => {
        serve(request, response).catch((error) => response.destroy(error));
    });
    server.listen(Number(port), '127.0.0.1');
    await once(server, 'listening');
    return {
        async stop() {
            server.closeAllConnections();
            server.close();
            await once(server, 'close');
        },
    };
}

// ---- answers ----------------------------------------------------------------------------------

let ids = 0;

// The data of a streamed answer's events. Options: finish, usage (a last chunk tells it), role (the
// first chunk tells it), lastText (rides with the finish reason), more (members of each chunk).
export function chunks(pieces, { finish = 'stop', usage = true, role = true, lastText, calls = [],
    more = {} } = {}) {
    const base = { id: `chatcmpl-${++ids}`, object: 'chat.completion.chunk', created: 1764460800,
        model: 'scripted', system_fingerprint: 'fp_1', ...more };
    const chunk = (delta, reason = null) => ({ ...base,
        choices: [{ index: 0, delta, finish_reason: reason }] });
    const list = [];
    if (role)
        list.push(chunk({ role: 'assistant', content: null }));
    list.push(...pieces.map((content) => chunk({ content })));
    calls.forEach(({ id, name, args }, index) => {
        list.push(chunk({ tool_calls: [{ index, id, type: 'function',
            function: { name, arguments: '' } }] }));
        for (const part of args.match(/.{1,17}/gsu) ?? [])
            list.push(chunk({ tool_calls: [{ index, function: { arguments: part } }] }));
    });
    list.push(chunk(lastText === undefined ? {} : { content: lastText }, finish));
    if (usage)
        list.push({ ...base, choices: [],
            usage: { prompt_tokens: 11, completion_tokens: pieces.length, total_tokens: 11 + pieces.length } });
    return list.map((c) => JSON.stringify(c));
}

export function eventStream(list, { end = '\n\n', done = true } = {}) {
    return list.concat(done ? ['[DONE]'] : []).map((data) => `data: ${data}${end}`).join('');
}

// Small pieces of a text, as a tokenizer makes them.
export const tokens = (text) => text.match(/[\s\S]{1,3}/gu) ?? [];

export const EVENTS = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' };

// Sends the pieces one by one, each on its way before the next.
export async function sendPieces(response, pieces, headers = EVENTS) {
    response.writeHead(200, headers);
    response.flushHeaders();
    response.socket.setNoDelay(true);
    for (const piece of pieces) {
        if (!response.write(piece))
            await once(response, 'drain');
        await soon();
    }
    response.end();
}

// An answer in the form the request asks for.
export function say(text, options = {}) {
    return (request, response, body) => {
        if (body.stream)
            return sendPieces(response, chunks(tokens(text), options).map((c) => `data: ${c}\n\n`)
                .concat('data: [DONE]\n\n'));
        response.writeHead(200, { 'Content-Type': 'application/json' });
        return response.end(JSON.stringify(whole(text, options)));
    };
}

export function whole(text, { finish = 'stop', calls = [], more = {} } = {}) {
    return {
        id: `chatcmpl-${++ids}`, object: 'chat.completion', created: 1764460800, model: 'scripted',
        choices: [{
            index: 0,
            message: { role: 'assistant', content: text, ...(calls.length ? {
                tool_calls: calls.map(({ id, name, args }) => (
                    { id, type: 'function', function: { name, arguments: args } })),
            } : {}) },
            finish_reason: finish,
        }],
        usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
        timings: { predicted_ms: 12.345, predicted_per_second: 1e3 },
        ...more,
    };
}

// Calls of tools: [name, arguments] each.
export function call(...list) {
    const calls = list.map(([name, args]) => ({ id: `call_${++ids}`, name,
        args: typeof args === 'string' ? args : JSON.stringify(args) }));
    return say('', { finish: 'tool_calls', calls });
}
