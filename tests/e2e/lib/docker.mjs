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

// Command lines of every process in the container.
export async function processes(name) {
    const answer = await docker('GET', `/containers/${name}/top?ps_args=-eo%20pid,args`);
    return answer.status === 200 ? answer.json.Processes.map((row) => row.slice(1).join(' ')) : [];
}

export const kill = (name, signal = 'KILL') =>
    good('POST', `/containers/${name}/kill?signal=${signal}`);
export const stop = (name) => good('POST', `/containers/${name}/stop?t=5`);
export const remove = (name) => good('DELETE', `/containers/${name}?force=1&v=1`);
