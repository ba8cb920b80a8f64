// What an idle worker and an idle machine's agent cost in memory, as the kernel counts it.
import fs from 'node:fs';
import { Chat, Engine } from './lib.mjs';

// { Rss, Pss, Private_Dirty, ... } of a process in KiB.
function rollup(pid) {
    const text = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Object.fromEntries([...text.matchAll(/^(\w+): +(\d+) kB$/gm)]
        .map(([, name, kib]) => [name, Number(kib)]));
}

const parentOf = (pid) => /\) \S (\d+)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))[1];

// The workers of this stack, and their parent: by program name and the stack's name.
function crew() {
    const instance = process.env.BACKTALK_INSTANCE || 'backtalk';
    const pids = fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
        try {
            if (fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'backtalk-fcgi')
                return false;
            const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
            return environment.includes(`BACKTALK_INSTANCE=${instance}`);
        } catch {
            return false; // it ended meanwhile
        }
    });
    const workers = pids.filter((pid) => pids.includes(parentOf(pid)));
    return { workers, parents: pids.filter((pid) => !workers.includes(pid)) };
}

function show(what, pids, column, limitKib) {
    const sizes = pids.map(rollup);
    const values = sizes.map((s) => s[column]).sort((a, b) => a - b);
    const most = (name) => Math.max(...sizes.map((s) => s[name] ?? 0));
    console.log(`${what}: ${pids.length} of them, ${column} median `
        + `${values[Math.floor(values.length / 2)]} KiB, max ${values.at(-1)} KiB `
        + `(RSS ${most('Rss')} KiB, private dirty ${most('Private_Dirty')} KiB)`
        + (limitKib ? `; goal at most ${limitKib} KiB: `
            + (values.at(-1) <= limitKib ? 'reached' : 'missed') : ''));
    return !limitKib || values.at(-1) <= limitKib;
}

const chat = new Chat();
const engine = new Engine();
try {
    await chat.run('true');
    const { workers, parents } = crew();
    if (workers.length === 0)
        throw new Error('no worker found: is the stack on this host?');
    // As many calls at once as there are workers, so that every one of them has worked.
    const lanes = workers.map(() => new Chat(chat.conversation));
    for (let round = 0; round < 5; round++)
        await Promise.all(lanes.map((lane) => lane.run('seq 1000; sleep 0.1')));
    const agent = String((await engine.machineOf(chat)).State.Pid);
    const good = [
        show('idle worker', workers, 'Pss', 2048),
        show('parent of the workers', parents, 'Pss'),
        show('agent of an idle machine', [agent], 'Rss', 1023),
    ];
    process.exitCode = good.every(Boolean) ? 0 : 1;
} finally {
    await chat.close();
    engine.close();
}
