// Workers of the test's own beside the running stack: same program, same record, same engine, but
// with relays in between that can fail on command, and with processes the test may kill.
//
//     client -> nginx -> workers --relay "gate"--> the stack's gate -> engine
//                                --relay "record"--> the stack's PostgreSQL
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { which } from '../e2e/lib/programs.mjs';
import { until } from '../e2e/lib/wait.mjs';
import { url } from '../e2e/lib/stack.mjs';

const relayProgram = new URL('relay.mjs', import.meta.url).pathname;

const pidsNow = () => fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);

function readProc(pid, what) {
    try {
        return fs.readFileSync(`/proc/${pid}/${what}`, 'utf8');
    } catch {
        return ''; // it ended
    }
}

const parentOf = (pid) => Number(/\) \S (\d+)/.exec(readProc(pid, 'stat'))?.[1] ?? 0);
const nameOf = (pid) => readProc(pid, 'comm').trim();

const DATABASE = { 'backtalk-fcgi': 'BACKTALK_DATABASE', 'backtalk-reply': 'BACKTALK_REPLY_DATABASE' };

// A worker of the running stack: its program, its environment, whose it is. It tells all that is
// needed to start one like it.
function pattern(name) {
    for (const pid of pidsNow().filter((p) => nameOf(p) === name)) {
        const env = Object.fromEntries(readProc(pid, 'environ').split('\0').filter(Boolean)
            .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
        if (!env[DATABASE[name]]?.includes(`host=${process.env.PGHOST} `))
            continue;
        const { uid, gid } = fs.statSync(`/proc/${pid}`);
        return { program: `/proc/${pid}/exe`, env, uid, gid };
    }
    throw new Error('no running worker found: start the stack on this host');
}

export class Relay {
    constructor(listen, target, owner) {
        this.path = listen;
        this.child = fork(relayProgram, [listen, target], owner);
        this.waiting = [];
        this.heldNow = false;
        this.passed = ''; // towards the target since the last set()
        this.child.on('message', (message) => {
            if (message.held)
                this.heldNow = true;
            else if (message.passed !== undefined)
                this.passed += message.passed;
            else
                this.waiting.shift()();
        });
    }

    set(mode, more = {}) {
        this.heldNow = false;
        this.passed = '';
        return new Promise((resolve) => {
            this.waiting.push(resolve);
            this.child.send({ mode, ...more });
        });
    }
}

const nginxText = (dir, user) => `
${user ? `user ${user};` : ''}
worker_processes 1;
daemon off;
pid ${dir}/nginx.pid;
error_log ${dir}/nginx.log;
events {}
http {
    access_log off;
    client_max_body_size 32m;
    client_body_temp_path ${dir}/body;
    proxy_temp_path ${dir}/proxy;
    fastcgi_temp_path ${dir}/fastcgi;
    uwsgi_temp_path ${dir}/uwsgi;
    scgi_temp_path ${dir}/scgi;
    server {
        listen unix:${dir}/http.sock;
        location / {
            fastcgi_pass unix:${dir}/fcgi.sock;
            fastcgi_param REQUEST_METHOD $request_method;
            fastcgi_param CONTENT_TYPE $content_type;
            fastcgi_param CONTENT_LENGTH $content_length;
            fastcgi_param BACKTALK_TARGET $request_uri;
            fastcgi_buffering off;
            fastcgi_read_timeout 3600s;
        }
    }
}
`;

export class Side {
    // name: the program; settings: BACKTALK_* values that differ from the stack's; engineDirect: past
    // the gate.
    static async start({ name = 'backtalk-fcgi', workers = 1, settings = {}, engineDirect = null } = {}) {
        const side = new Side();
        const like = pattern(name);
        side.name = name;
        const owner = process.getuid() === 0 ? { uid: like.uid, gid: like.gid } : {};
        side.dir = fs.mkdtempSync(path.join(os.tmpdir(), 'faults-'));
        fs.chmodSync(side.dir, 0o755);
        const inner = path.join(side.dir, 'r');
        fs.mkdirSync(inner);
        if (owner.uid !== undefined)
            fs.chownSync(inner, owner.uid, owner.gid);

        const port = process.env.PGPORT || '5432';
        side.gate = new Relay(path.join(inner, 'gate.sock'),
            engineDirect ?? like.env.BACKTALK_GATE ?? '/nowhere', engineDirect ? {} : owner);
        side.record = new Relay(path.join(inner, `.s.PGSQL.${port}`),
            path.join(process.env.PGHOST, `.s.PGSQL.${port}`), owner);
        if (engineDirect)
            fs.chmodSync(inner, 0o777);
        await Promise.all([side.gate.set('pass'), side.record.set('pass')]);

        const env = {
            ...like.env,
            BACKTALK_GATE: side.gate.path,
            [DATABASE[name]]: like.env[DATABASE[name]].replace(/\bhost=\S+/, `host=${inner}`),
            ...settings,
        };
        side.log = path.join(side.dir, 'workers.log');
        const log = fs.openSync(side.log, 'a');
        const program = path.join(side.dir, name);
        fs.copyFileSync(like.program, program);
        fs.chmodSync(program, 0o755);
        side.crew = spawn(which('spawn-fcgi'), ['-n', '-s', path.join(side.dir, 'fcgi.sock'),
            '-M', '0666', '--', program],
        { env: { ...env, BACKTALK_WORKERS: String(workers), BACKTALK_REPLY_WORKERS: String(workers) }, stdio: ['ignore', log, log] });
        fs.writeFileSync(path.join(side.dir, 'nginx.conf'),
            nginxText(side.dir, process.getuid() === 0 ? 'root' : ''));
        side.nginx = spawn(which('nginx'), ['-c', path.join(side.dir, 'nginx.conf'), '-p', side.dir,
            '-e', path.join(side.dir, 'nginx.log')],
        { stdio: ['ignore', log, log] });
        fs.closeSync(log);
        await until('nginx and the workers are there', () =>
            fs.existsSync(path.join(side.dir, 'http.sock')) && side.workers().length === workers,
        { ms: 10_000 });
        return side;
    }

    // What mcp.mjs wants as `to`.
    get to() {
        return { socketPath: path.join(this.dir, 'http.sock'), pathname: url.pathname, search: '' };
    }

    // Pids of the workers, whose parent starts another when one dies (spawn-fcgi -n becomes it).
    workers() {
        return pidsNow().filter((pid) => parentOf(pid) === this.crew.pid
            && nameOf(pid) === this.name);
    }

    async stop() {
        for (const child of [this.nginx, this.crew]) {
            if (child.exitCode === null && child.signalCode === null) {
                const gone = once(child, 'exit');
                child.kill('SIGTERM');
                await gone;
            }
        }
        this.gate.child.disconnect();
        this.record.child.disconnect();
        fs.rmSync(this.dir, { recursive: true, force: true });
    }
}
