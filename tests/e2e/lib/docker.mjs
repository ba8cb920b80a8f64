// What the Docker Engine itself knows: asked on its own socket, never through the product.
import http from 'node:http';
import { dockerSocket, instance } from './stack.mjs';

export async function docker(method, path, body) {
    return new Promise((resolve, reject) => {
        const request = http.request({
            socketPath: dockerSocket,
            method,
            path,
            headers: { Host: 'docker', ...(body ? { 'Content-Type': 'application/json' } : {}) },
            agent: false,
        }, (response) => {
            const chunks = [];
            response.on('data', (bytes) => chunks.push(bytes));
            response.on('end', () => {
                const text = Buffer.concat(chunks).toString('utf8');
                const isJson = /json/.test(response.headers['content-type'] ?? '') && text;
                const json = isJson ? JSON.parse(text) : null;
                resolve({ status: response.statusCode, text, json });
            });
            response.on('error', reject);
        });
        request.on('error', reject);
        request.end(body ? JSON.stringify(body) : undefined);
    });
}

async function good(method, path, body) {
    const answer = await docker(method, path, body);
    if (answer.status >= 300 && answer.status !== 304)
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
}

// Names of all sandboxes of this installation, running or not.
export async function sandboxNames() {
    const filters = JSON.stringify({ label: [`backtalk.instance=${instance}`] });
    const list = await good('GET',
        `/containers/json?all=1&filters=${encodeURIComponent(filters)}`);
    return list.flatMap((c) => c.Names).map((n) => n.slice(1));
}

export async function inspect(name) {
    const answer = await docker('GET', `/containers/${name}/json`);
    return answer.status === 404 ? null : answer.json;
}

// [process id on the host, command line] of every process in the container.
async function table(name) {
    const answer = await docker('GET', `/containers/${name}/top?ps_args=-eo%20pid,args`);
    const rows = answer.status === 200 ? answer.json.Processes : [];
    return rows.map(([pid, ...args]) => [Number(pid), args.join(' ')]);
}

// Command lines of every process in the container.
export async function processes(name) {
    return (await table(name)).map(([, args]) => args);
}

// A command that says `hold()` somewhere waits there until release() is called, so a test need not
// hurry while something runs. bash notes on stderr that its sleep was terminated.
let holds = 0;

export function hold() {
    holds += 1;
    return `sleep ${86_000 + holds}`;
}

export async function release(name, held) {
    const found = (await table(name)).filter(([, args]) => args === held);
    for (const [pid] of found)
        process.kill(pid, 'SIGTERM');
    if (found.length === 0)
        throw new Error(`"${held}" does not run in ${name}`);
}

export const kill = (name, signal = 'KILL') =>
    good('POST', `/containers/${name}/kill?signal=${signal}`);
export const stop = (name) => good('POST', `/containers/${name}/stop?t=5`);
export const remove = (name) => good('DELETE', `/containers/${name}?force=1&v=1`);
