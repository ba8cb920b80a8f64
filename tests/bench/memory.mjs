// What an idle worker and an idle machine's agent cost in memory, as the kernel counts it.
import fs from 'node:fs';
import { Chat, Engine } from './lib.mjs';

// { Rss, Pss, Private_Dirty, ... } of a process in KiB.
function rollup(pid) {
    const text = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Object.fromEntries([...text.matchAll(/^(\w+): +(\d+) kB$/gm)]
        .map(([, name, kib]) => [name, Number(kib)]));
}

// The workers of this stack: by program name and, where the stack is named, by its instance.
function workers() {
    const instance = process.env.BACKTALK_INSTANCE;
    return fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
        try {
            if (fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'backtalk-fcgi')
                return false;
            const environment = fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
            return !instance || environment.includes(`BACKTALK_INSTANCE=${instance}`);
        } catch {
            return false; // it ended meanwhile
        }
    });
}

function show(what, pids, column, limitKib) {
    const sizes = pids.map(rollup);
    const values = sizes.map((s) => s[column]).sort((a, b) => a - b);
    const median = values[Math.floor(values.length / 2)];
    console.log(`${what}: ${pids.length} processes, ${column} median ${median} KiB, `
        + `max ${values.at(-1)} KiB (RSS ${Math.max(...sizes.map((s) => s.Rss))} KiB, `
        + `private ${Math.max(...sizes.map((s) => s.Private_Dirty + s.Private_Clean))} KiB); `
        + `goal at most ${limitKib} KiB: ${values.at(-1) <= limitKib ? 'reached' : 'missed'}`);
    return values.at(-1) <= limitKib;
}

const chats = [new Chat(), new Chat()];
const engine = new Engine();
const agents = [];
try {
    for (const chat of chats) {
        for (let i = 0; i < 20; i++) // every worker has worked, then rests
            await chat.run('echo warm');
        agents.push(String((await engine.machineOf(chat)).State.Pid));
    }
    const found = workers();
    if (found.length === 0)
        throw new Error('no worker found: is the stack on this host?');
    const good = [
        show('idle worker', found, 'Pss', 2048),
        show('agent of an idle machine', agents, 'Rss', 1023),
    ];
    process.exitCode = good.every(Boolean) ? 0 : 1;
} finally {
    for (const chat of chats)
        await chat.close();
    engine.close();
}
