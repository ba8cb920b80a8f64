// The running stack, as its environment describes it (var/backtalk.env of quickstart.sh).
import { randomUUID } from 'node:crypto';

function needed(name) {
    const value = process.env[name];
    if (!value)
        throw new Error(`${name} is not set: start a stack and load its var/backtalk.env first`);
    return value;
}

export const url = new URL(needed('BACKTALK_URL'));
export const key = needed('BACKTALK_KEY');
export const instance = process.env.BACKTALK_INSTANCE || 'backtalk';
export const dockerSocket = process.env.BACKTALK_DOCKER_SOCKET || '/var/run/docker.sock';

// Port of the nginx that the conformance suite talks to; http://localhost:PORT must be one of the
// stack's BACKTALK_ORIGINS.
export const conformancePort = Number(process.env.BACKTALK_CONFORMANCE_PORT || 18999);

// A fresh chat, so a fresh machine.
export function conversation() {
    return randomUUID();
}
