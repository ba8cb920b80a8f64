// The janitor of a running stack, run by hand: the same program, user, record and gate, with settings
// of the test's own.
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { containerOf } from '../e2e/lib/record.mjs';
import { instance } from '../e2e/lib/stack.mjs';
import { until } from '../e2e/lib/wait.mjs';

const exec = promisify(execFile);

const readProc = (pid, what) => {
    try {
        return fs.readFileSync(`/proc/${pid}/${what}`, 'utf8');
    } catch {
        return ''; // it ended
    }
};

// Process ids of this stack's own janitor.
function running() {
    return fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)
        && readProc(pid, 'comm').trim() === 'backtalk-janito'
        && readProc(pid, 'environ').split('\0').includes(`BACKTALK_INSTANCE=${instance}`));
}

// The stack's janitor would do at any moment what a test wants to see done: it is ended, as
// `quickstart.sh stop` ends it. What starts it again is its parent.
export async function endOwn() {
    for (const pid of running()) {
        const parent = Number(/\) \S (\d+)/.exec(readProc(pid, 'stat'))?.[1] ?? 0);
        if (parent > 1)
            process.kill(parent, 'SIGTERM');
    }
    await until('the stack\'s janitor has ended', () => running().length === 0, { ms: 60_000 });
}

const program = () => path.join(path.dirname(process.env.BACKTALK_FCGI), 'backtalk-janitor');
const database = (host) =>
    `host=${host} port=${process.env.PGPORT} dbname=backtalk user=backtalk_janitor`;
const gate = path.join(path.dirname(process.env.PGHOST), 'docker-janitor.sock');

let identity;
export async function owner() {
    if (!identity) {
        const [uid, gid] = await Promise.all(['-u', '-g'].map(async (what) =>
            Number((await exec('id', [what, 'backtalk-janitor'])).stdout)));
        identity = { uid, gid };
    }
    return identity;
}

// { settings, recordHost: a folder with another socket of the record, gatePath } as spawn wants them.
async function how({ settings = {}, recordHost = process.env.PGHOST, gatePath = gate } = {}) {
    const env = {
        PATH: process.env.PATH,
        BACKTALK_INSTANCE: instance,
        BACKTALK_IMAGE: process.env.BACKTALK_IMAGE || 'backtalk-sandbox:slim',
        BACKTALK_NETWORK: process.env.BACKTALK_NETWORK || 'backtalk',
        BACKTALK_KEPT: '1000',
        BACKTALK_JANITOR_DATABASE: database(recordHost),
        BACKTALK_JANITOR_GATE: gatePath,
        ...settings,
    };
    return { env, cwd: '/', ...await owner() };
}

export async function start(args = [], options = {}) {
    return spawn(program(), args, { ...await how(options), stdio: 'ignore' });
}

// Runs it to its end: { code, out, err, pass }; pass is the last line of its JSON.
export async function janitor(settings = {}, { args = ['--json'], ...options } = {}) {
    let done;
    try {
        done = { code: 0, ...await exec(program(), args, await how({ settings, ...options })) };
    } catch (e) {
        if (typeof e.code !== 'number')
            throw e;
        done = e;
    }
    const lines = done.stdout.trim().split('\n');
    const pass = args.includes('--json') && lines.at(-1) ? JSON.parse(lines.at(-1)) : null;
    return { code: done.code, out: done.stdout, err: done.stderr, pass };
}

// What a pass did to a chat's machine: ['stop idle', ...]
export async function deeds(container, settings = {}, options = {}) {
    const { pass } = await janitor(settings, options);
    return pass.actions.filter((x) => x.container === container && x.end !== 'skipped')
        .map((x) => `${x.act} ${x.reason}`.trim());
}

// Runs passes until one is past looking whether an idle machine works.
export async function decided(container, settings = {}) {
    let done;
    await until('a second look at the machine', async () => {
        done = await deeds(container, settings);
        return !done.includes('watch');
    }, { ms: 120_000, every: 500 });
    return done;
}

// One statement, as the operator.
export async function sql(statement, values = {}) {
    const set = Object.entries(values).flatMap(([name, value]) => ['-v', `${name}=${value}`]);
    const child = exec('psql', ['-XAtq', '-v', 'ON_ERROR_STOP=1', ...set]);
    child.child.stdin.end(`${statement};\n`);
    return (await child).stdout.trim();
}

// The chat's machine was used this much longer ago.
export const age = (c, interval) => sql(`update backtalk.sandbox
    set last_used_at = last_used_at - interval :'i', worked_at = null, cpu_ns = null
    where conversation = :'c' and removed_at is null`, { c, i: interval });

// What a result says before the command it ran; a date of today's, or of a moment ago, is TODAY.
export function notice(text) {
    const days = [0, 120_000].map((ms) => new Date(Date.now() - ms).toISOString().slice(0, 10));
    return days.reduce((said, day) => said.replaceAll(day, 'TODAY'),
        text.slice(0, text.search(/^\$ /m)).trim());
}

// Only machines that the test makes are there.
export async function clear() {
    await endOwn();
    await sql('select count(backtalk.reset_sandbox(container)) from backtalk.sandbox'
        + ' where removed_at is null');
    await until('everything is removed', async () => {
        const { pass } = await janitor();
        return pass.end === 'done' && await sql('select count(*) from backtalk.sandbox'
            + ' where removed_at is null') === '0';
    }, { ms: 120_000, every: 200 });
}

export { containerOf };
