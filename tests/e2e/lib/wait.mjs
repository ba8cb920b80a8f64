// Waiting for something to become true, with a deadline; never for a fixed time.
import { setTimeout as pause } from 'node:timers/promises';

// Calls probe until it returns something truthy and returns that. Fails after `ms`, naming `what`.
export async function until(what, probe, { ms = 30_000, every = 50 } = {}) {
    const deadline = Date.now() + ms;
    for (;;) {
        const value = await probe();
        if (value)
            return value;
        if (Date.now() > deadline)
            throw new Error(`waited ${ms} ms in vain for: ${what}`);
        await pause(every);
    }
}
