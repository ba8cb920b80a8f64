// HTTP as it is on the wire: a request on its own connection, the answer with the time of each
// piece, server-sent events taken apart. For what the official clients hide or forbid.
import http from 'node:http';
import { once } from 'node:events';
import { url } from './stack.mjs';

// Takes an event stream apart: `push` gets bytes, `events` fills with
// { at, comment } or { at, fields: { event, data, id, ... } }.
export class EventReader {
    constructor() {
        this.events = [];
        this.rest = '';
        this.fields = null;
        this.decoder = new TextDecoder('utf-8', { fatal: true });
    }

    push(bytes) {
        const lines = (this.rest + this.decoder.decode(bytes, { stream: true })).split('\n');
        this.rest = lines.pop();
        for (const line of lines)
            this.line(line.endsWith('\r') ? line.slice(0, -1) : line);
    }

    line(line) {
        if (line === '') {
            if (this.fields)
                this.events.push({ at: Date.now(), fields: this.fields });
            this.fields = null;
        } else if (line.startsWith(':')) {
            this.events.push({ at: Date.now(), comment: line.slice(1).trim() });
        } else {
            const colon = line.indexOf(':');
            const name = colon < 0 ? line : line.slice(0, colon);
            const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
            this.fields ??= {};
            this.fields[name] = name in this.fields ? `${this.fields[name]}\n${value}` : value;
        }
    }
}

// One exchange in progress. `headers` resolves when the answer's head has come, `done` when the
// answer is complete; both reject when the connection breaks first.
export class Exchange {
    constructor({ method = 'POST', to = url, path = to.pathname + to.search, headers = {}, body,
        timeoutMs = 120_000 } = {}) {
        this.startedAt = Date.now();
        this.chunks = [];
        this.reader = new EventReader();
        this.request = http.request({
            ...(to.socketPath ? { socketPath: to.socketPath }
                : { host: to.hostname, port: to.port }),
            method,
            path,
            agent: false,
            headers: body === undefined ? headers
                : { 'Content-Length': Buffer.byteLength(body), ...headers },
        });
        this.timer = setTimeout(
            () => this.request.destroy(new Error(`no whole answer in ${timeoutMs} ms`)), timeoutMs);
        this.headers = once(this.request, 'response').then(([response]) => this.answer(response));
        this.done = this.headers.then(() => this.whole);
        this.done.then(() => clearTimeout(this.timer), () => clearTimeout(this.timer));
        this.headers.catch(() => {});
        this.request.on('error', () => {}); // whoever awaits headers or done hears of it
        if (body !== undefined)
            this.request.end(body);
        else if (method !== 'POST')
            this.request.end();
    }

    answer(response) {
        this.response = response;
        this.status = response.statusCode;
        this.headersAt = Date.now();
        this.streams = /^text\/event-stream\b/.test(response.headers['content-type'] ?? '');
        response.on('data', (bytes) => {
            this.chunks.push(bytes);
            if (this.streams)
                this.reader.push(bytes);
        });
        this.whole = new Promise((resolve, reject) => {
            response.on('end', () => {
                this.endedAt = Date.now();
                resolve(this);
            });
            response.on('error', reject);
            response.on('close', () => reject(new Error('the connection broke in the middle')));
        });
        this.whole.catch(() => {});
        return this;
    }

    get body() {
        return Buffer.concat(this.chunks);
    }

    get text() {
        return this.body.toString('utf8');
    }

    get events() {
        return this.reader.events;
    }

    // The JSON-RPC messages of the answer, in order, however it came.
    get messages() {
        if (!this.streams)
            return this.body.length ? [JSON.parse(this.text)] : [];
        return this.events.filter((e) => e.fields).map((e) => JSON.parse(e.fields.data));
    }

    // The client goes away.
    abort() {
        clearTimeout(this.timer);
        this.done.catch(() => {});
        this.request.destroy();
    }
}

export async function send(options) {
    return new Exchange(options).done;
}
