// What fails at random: one row a fault, `strike` does it and puts it right again.
import { setTimeout as pause } from 'node:timers/promises';
import { kill, stop } from '../e2e/lib/docker.mjs';
import { containerOf } from '../e2e/lib/record.mjs';

const any = (list) => list[Math.floor(Math.random() * list.length)];

// For a moment, then as before.
const relay = (which, mode) => async ({ side }) => {
    await side[which].set(mode);
    await pause(300 + Math.random() * 700);
    await side[which].set('pass');
};

const machine = (harm) => async ({ chats }) => {
    const chat = any(chats);
    await harm(await containerOf(chat.options.conversation));
};

export const FAULTS = {
    'a worker is killed': async ({ side }) => {
        const pid = any(side.workers());
        if (pid)
            process.kill(pid, 'SIGKILL');
    },
    'a worker is told to end': async ({ side }) => {
        const pid = any(side.workers());
        if (pid)
            process.kill(pid, 'SIGTERM');
    },
    'the gate refuses': relay('gate', 'refuse'),
    'the gate hangs': relay('gate', 'hang'),
    'the record refuses': relay('record', 'refuse'),
    'the record hangs': relay('record', 'hang'),
    'a client goes away': async ({ chats }) => any(chats).now?.abort(),
    'a machine is killed': machine(kill),
    'a machine is stopped': machine(stop),
};
