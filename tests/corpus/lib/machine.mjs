// A case played in a chat of its own, so on a machine of its own, that is removed afterwards.
import { setTimeout as pause } from 'node:timers/promises';
import { call, run } from '../../e2e/lib/mcp.mjs';
import { rows } from '../../e2e/lib/record.mjs';
import { conversation } from '../../e2e/lib/stack.mjs';

const LONG_S = 300; // a set-up may install packages; a call that is not about time must not meet a limit
const CLIENT_MS = 400_000;

async function has(need, chat) {
    if (need.startsWith('run_code ')) {
        const seen = await call('run_code', { language: need.slice(9), code: 'x' }, chat);
        return !seen.text.startsWith('There is no language');
    }
    const look = need.startsWith('/') ? `[ -e ${need} ]`
        : need.includes(' ') ? `timeout 30 ${need}` : `type -P ${need}`;
    return !(await run(look, chat)).isError;
}

// What cases need and the machine has not: programs, absolute paths, languages of run_code
// ("run_code go"), or other commands that must succeed.
export async function absent(needs) {
    const chat = { conversation: conversation(), timeoutMs: CLIENT_MS };
    const lacking = new Set();
    await run('true', chat);
    for (const need of needs)
        if (!await has(need, chat))
            lacking.add(need);
    await call('reset', {}, chat);
    return lacking;
}

// The engine may be too busy to make a machine; the result says that nothing was run, and to send the
// same call again.
async function patiently(tool, args, chat) {
    const seen = await call(tool, args, chat);
    if (!/^Nothing was run\. Wait a minute, then send the same call again\.$/m.test(seen.text))
        return seen;
    console.log('# the engine did not answer; the call is sent again');
    await pause(20_000);
    return call(tool, args, chat);
}

function argumentsOf(one) {
    if (one.tool !== 'run')
        return one.call;
    return { command: one.call.command, timeout: one.exit === 'timeout' ? one.timeout_s : LONG_S };
}

// An empty /work again, for the next case on the same machine.
async function clean(chat) {
    const seen = await patiently('run', { command: 'find /work -mindepth 1 -delete' }, chat);
    if (seen.isError)
        throw new Error(`/work could not be emptied:\n${seen.text}`);
}

async function playOn(chat, one) {
    const began = Date.now();
    for (const command of one.setup) {
        const seen = await patiently('run', { command, timeout: LONG_S }, chat);
        if (seen.isError && !one.setup_may_fail)
            throw new Error(`the set-up failed:\n${seen.text}`);
    }
    const result = await patiently(one.tool, argumentsOf(one), chat);
    const [{ hint_ids: rules }] = await rows(`select hint_ids from backtalk.calls
        where conversation = :'conversation' order by id desc limit 1`, chat);
    return { result, rules: rules ?? [], ms: Date.now() - began };
}

// Plays cases one after the other on one machine and removes it. `tell` gets each case with what
// came of it: { result, rules (those the record names), ms }, or an Error.
export async function play(cases, tell) {
    const chat = { conversation: conversation(), timeoutMs: CLIENT_MS };
    for (const one of cases) {
        const empty = one === cases[0] ? Promise.resolve() : clean(chat);
        tell(one, await empty.then(() => playOn(chat, one)).catch((fault) => fault));
    }
    await call('reset', {}, chat).catch((fault) => console.log(`# ${fault.message}`));
}
