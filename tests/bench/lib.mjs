// What the benchmarks need: the stack's environment, tool calls and the Docker Engine's API over
// kept connections. Node's standard library only.
import http from 'node:http';
import { randomUUID } from 'node:crypto';

for (const name of ['BACKTALK_URL', 'BACKTALK_KEY'])
    if (!process.env[name])
        throw new Error(`${name} is not set: start a stack and load its var/backtalk.env first`);

const url = new URL(process.env.BACKTALK_URL);
const dockerSocket = process.env.BACKTALK_DOCKER_SOCKET || '/var/run/docker.sock';

function exchange(agent, options, headers, body) {
    return new Promise((resolve, reject) => {
        const request = http.request({ agent, ...options, headers: { ...headers,
            'Content-Length': body ? Buffer.byteLength(body) : 0 } }, (response) => {
            const chunks = [];
            response.on('data', (bytes) => chunks.push(bytes));
            response.on('end', () => resolve(
                { status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') }));
            response.on('error', reject);
        });
        request.on('error', reject);
        request.end(body);
    });
}

// A chat with its own connection to nginx.
export class Chat {
    constructor(conversation = randomUUID()) {
        this.conversation = conversation;
        this.agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
        this.id = 0;
    }

    async ask(method, params) {
        const answer = await exchange(this.agent,
            { host: url.hostname, port: url.port, path: url.pathname, method: 'POST' }, {
                'Content-Type': 'application/json',
                Accept: 'application/json',
                Authorization: `Bearer ${process.env.BACKTALK_KEY}`,
                'MCP-Protocol-Version': '2025-11-25',
                'X-Conversation-Id': this.conversation,
            }, JSON.stringify({ jsonrpc: '2.0', id: ++this.id, method, params }));
        const message = answer.status === 200 ? JSON.parse(answer.text) : {};
        if (!message.result)
            throw new Error(`${method}: ${answer.status} ${answer.text}`);
        return message.result;
    }

    async tool(name, given) {
        const { content: [{ text }], isError } = await this.ask('tools/call',
            { name, arguments: given });
        if (isError)
            throw new Error(`${name} ${JSON.stringify(given).slice(0, 200)}: ${text}`);
        return text;
    }

    run(command) {
        return this.tool('run', { command });
    }

    async close() {
        await this.ask('tools/call', { name: 'reset', arguments: {} });
        this.agent.destroy();
    }
}

// The Engine's API, spoken directly on its socket.
export class Engine {
    constructor() {
        this.agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    }

    // One file into a container, as a tar archive.
    async put(container, folder, name, text) {
        const header = Buffer.alloc(512);
        header.write(name);
        header.write('0000644\0', 100);
        header.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124);
        header.write('        0', 148);
        const sum = header.reduce((a, b) => a + b, 0);
        header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
        const end = Buffer.alloc(1024 + (512 - text.length % 512) % 512);
        await this.send('PUT', `/containers/${container}/archive?path=${folder}`,
            'application/x-tar', Buffer.concat([header, Buffer.from(text), end]));
    }

    async send(method, path, type, body) {
        const answer = await exchange(this.agent, { socketPath: dockerSocket, path, method },
            { Host: 'docker', ...(body ? { 'Content-Type': type } : {}) }, body);
        if (answer.status >= 400)
            throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
        return answer.text;
    }

    async ask(method, path, body) {
        const text = await this.send(method, path, 'application/json',
            body ? JSON.stringify(body) : undefined);
        return /^[[{]/.test(text) ? JSON.parse(text) : text;
    }

    // What the engine knows of a chat's machine, which finds its own id among its mounts.
    async machineOf(chat) {
        const text = await chat.run(
            'grep -oE "[0-9a-f]{64}/hostname" /proc/self/mountinfo | head -n 1');
        return this.ask('GET', `/containers/${/^([0-9a-f]{64})\/hostname$/m.exec(text)[1]}/json`);
    }

    close() {
        this.agent.destroy();
    }
}

export function percentile(values, share) {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

export async function timed(work) {
    const start = process.hrtime.bigint();
    await work();
    return Number(process.hrtime.bigint() - start) / 1e6;
}
