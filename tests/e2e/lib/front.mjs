// A small nginx in front of the stack that adds what a client cannot send itself: the key and the
// chat. Runs in the foreground of this process's life, in a folder of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { which } from './programs.mjs';
import { key, url } from './stack.mjs';
import { until } from './wait.mjs';

const config = (dir, port, conversation, target) => `
master_process off;
daemon off;
pid ${dir}/pid;
error_log ${dir}/error.log;
events {}
http {
    access_log off;
    client_body_temp_path ${dir}/body;
    proxy_temp_path ${dir}/proxy;
    fastcgi_temp_path ${dir}/fastcgi;
    uwsgi_temp_path ${dir}/uwsgi;
    scgi_temp_path ${dir}/scgi;
    server {
        listen 127.0.0.1:${port};
        listen [::1]:${port};
        client_max_body_size 0;
        location / {
            proxy_pass ${target};
            proxy_http_version 1.1;
            proxy_buffering off;
            proxy_read_timeout 3600s;
            proxy_set_header Host $http_host;
            proxy_set_header Authorization "Bearer ${key}";
            proxy_set_header X-Conversation-Id "${conversation}";
        }
    }
}
`;

const hasIpv6 = () => Object.values(os.networkInterfaces()).flat()
    .some((address) => address.address === '::1');

const listens = (port) => new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true) || socket.destroy());
    socket.once('error', () => resolve(false));
});

// { url, stop }: `url` says localhost, as clients with rebinding checks expect. target: what it stands
// before, the stack when nothing else is said.
export async function front(port, conversation, target = url.origin) {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'e2e-nginx-'));
    const file = path.join(dir, 'nginx.conf');
    let text = config(dir, port, conversation, target);
    if (!hasIpv6())
        text = text.replace(/.*\[::1\].*\n/, '');
    fs.writeFileSync(file, text, { mode: 0o600 });
    const child = spawn(which('nginx'), ['-c', file, '-p', dir, '-e', `${dir}/error.log`],
        { stdio: ['ignore', 'ignore', 'inherit'] });
    const gone = once(child, 'exit');
    await until('the front nginx listens', () => {
        if (child.exitCode !== null)
            throw new Error(fs.readFileSync(`${dir}/error.log`, 'utf8'));
        return listens(port);
    });
    return {
        url: `http://localhost:${port}${url.pathname}`,
        async stop() {
            child.kill('SIGTERM');
            await gone;
            fs.rmSync(dir, { recursive: true, force: true });
        },
    };
}
