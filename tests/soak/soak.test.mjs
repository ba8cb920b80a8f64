// Chats at work for a long time while parts fail at random. In the end: no answer that was not true, no
// row and no result lost, nothing that grew.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect, remove } from '../e2e/lib/docker.mjs';
import { containerOf, newMember, rows } from '../e2e/lib/record.mjs';
import { instance } from '../e2e/lib/stack.mjs';
import { until } from '../e2e/lib/wait.mjs';
import { Side } from '../faults/side.mjs';
import { Chat, DONE } from './chat.mjs';
import { FAULTS } from './faults.mjs';

const SECONDS = Number(process.env.SOAK_S);
const CHATS = Number(process.env.SOAK_CHATS);
const WORKERS = 6;
const FAULT_EVERY_MS = 1500;
// A process may be larger than at its beginning by so much; descriptors by so many.
const GROWTH_KIB = 4096;
const GROWTH_FDS = 8;
const FINAL_TRIES = 5;

const member = `soak-${process.pid}`;

// { kib, fds } of a process; null when it is gone.
function size(pid) {
    try {
        const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
        return { kib: Number(/^VmRSS:\s+(\d+)/m.exec(status)[1]),
            fds: fs.readdirSync(`/proc/${pid}/fd`).length };
    } catch {
        return null;
    }
}

describe('soak', () => {
    let side;
    let chats;
    const struck = Object.fromEntries(Object.keys(FAULTS).map((name) => [name, 0]));
    const sizes = new Map(); // what -> its sizes, in time's order
    const names = new Map(); // chat -> container

    // The processes that live through the whole soak.
    async function lasting() {
        const found = { 'nginx': childOf(side.nginx.pid), 'spawn-fcgi': side.crew.pid,
            'gate': Number(fs.readFileSync(`/run/quickstart-${instance}/gate.pid`, 'utf8')
                .split(' ')[0]) };
        for (const pid of side.workers())
            found[`worker ${pid}`] = pid;
        for (const chat of chats.slice(0, 5)) {
            const { State } = await inspect(names.get(chat));
            found[`agent ${State.Pid}`] = State.Pid;
        }
        return found;
    }
    const childOf = (pid) => Number(execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
        .split('\n')[0]);
    async function measure() {
        for (const [what, pid] of Object.entries(await lasting())) {
            const now = size(pid);
            if (now)
                sizes.set(what, [...sizes.get(what) ?? [], now]);
        }
    }

    before(async () => {
        side = await Side.start({ workers: WORKERS });
        const key = await newMember(member);
        await rows('select backtalk.set_limits(:\'name\', :n, :n, null)',
            { name: member, n: CHATS + WORKERS });
        chats = Array.from({ length: CHATS }, () => new Chat(side.to, key));
        for (const chat of chats) {
            await until('the chat has a machine', async () => {
                await chat.append();
                return [...chat.lines.values()].includes(DONE);
            });
            names.set(chat, await containerOf(chat.options.conversation));
        }
    });
    after(async () => {
        for (const name of names.values())
            await remove(name);
        await side.stop();
    });

    test(`${CHATS} chats work for ${SECONDS} s while parts fail`, async (t) => {
        const end = Date.now() + SECONDS * 1000;
        const working = chats.map(async (chat) => {
            while (Date.now() < end) {
                await chat.step();
                await pause(Math.random() * 400);
            }
        });
        const failing = (async () => {
            const faults = Object.entries(FAULTS);
            for (let i = 0; Date.now() < end; i += 1) {
                const [name, strike] = i < faults.length ? faults[i]
                    : faults[Math.floor(Math.random() * faults.length)];
                await strike({ side, chats });
                struck[name] += 1;
                await pause(Math.random() * 2 * FAULT_EVERY_MS);
                if (i % 5 === 4)
                    await measure();
            }
        })();
        await Promise.all([...working, failing]);
        for (const [name, count] of Object.entries(struck))
            t.diagnostic(`${String(count).padStart(6)}  ${name}`);
        for (const state of Object.keys(chats[0].told))
            t.diagnostic(`${String(chats.reduce((n, c) => n + c.told[state], 0)).padStart(6)}  calls ${state}`);
        assert.ok(Object.values(struck).every((n) => n > 0), 'every fault struck');
        assert.ok(chats.every((c) => c.told[DONE] > 1), 'every chat got work done');
    });

    test('afterwards every chat works, and its files hold what it was told', async () => {
        await Promise.all(chats.map(async (chat) => {
            for (let i = 0; ; i += 1) {
                const seen = await chat.call('run', { command: 'sort /work/log > /work/sorted' });
                if (seen.state === DONE && seen.exitCode === 0)
                    break;
                assert.ok(i < FINAL_TRIES, `the chat does not work: ${seen.text}`);
            }
            const content = execFileSync('docker', ['exec', names.get(chat), 'cat', '/work/log'],
                { encoding: 'utf8', maxBuffer: 1 << 26 });
            chat.compare(content);
        }));
        assert.deepEqual(chats.flatMap((c) => c.wrong), []);
    });

    test('no row and no result is lost', async (t) => {
        const list = JSON.stringify(chats.map((c) => c.options.conversation));
        const found = await rows(`select conversation, outcome, ended is null as open, sent
            from backtalk.call where conversation in (select json_array_elements_text(:'list'::json))`,
        { list });
        assert.deepEqual(found.filter((r) => r.open), [], 'no call is open');
        assert.deepEqual(found.filter((r) => r.outcome === null
            || (r.sent === null && r.outcome !== 'lost')), []);
        const sent = new Map(chats.map((c) => [c.options.conversation, new Set()]));
        for (const row of found)
            sent.get(row.conversation).add(row.sent);
        let answers = 0;
        for (const chat of chats)
            for (const text of chat.answers.filter((a) => /^exit code /m.test(a))) {
                answers += 1;
                assert.ok(sent.get(chat.options.conversation).has(text), `not in the record: ${text}`);
            }
        t.diagnostic(`${String(found.length).padStart(6)}  rows in the record`);
        t.diagnostic(`${String(answers).padStart(6)}  results held against it`);
    });

    test('nothing grew', async (t) => {
        await measure();
        const grown = [];
        let held = 0;
        for (const [what, list] of sizes) {
            if (list.length < 3)
                continue; // it was killed soon
            held += 1;
            const [first, last] = [list[Math.min(1, list.length - 2)], list.at(-1)];
            t.diagnostic(`${what.padEnd(16)} ${first.kib} -> ${last.kib} KiB, `
                + `${first.fds} -> ${last.fds} descriptors`);
            if (last.kib > first.kib + GROWTH_KIB || last.fds > first.fds + GROWTH_FDS)
                grown.push(what);
        }
        assert.deepEqual(grown, []);
        assert.ok(held >= 3, 'nginx, spawn-fcgi and the gate, at least');
    });
});
