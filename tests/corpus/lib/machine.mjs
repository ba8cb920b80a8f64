// A case played in a chat of its own, so on a machine of its own, that is removed afterwards.
import { call, run } from '../../e2e/lib/mcp.mjs';
import { rows } from '../../e2e/lib/record.mjs';
import { conversation } from '../../e2e/lib/stack.mjs';

const LONG_S = 300; // a set-up may install packages; a call that is not about time must not meet a limit
const CLIENT_MS = 400_000;

// What cases need and the machine has not: programs, absolute paths, or commands that must succeed.
export async function absent(needs) {
    const chat = { conversation: conversation(), timeoutMs: CLIENT_MS };
    const lacking = new Set();
    for (const need of needs) {
        const look = need.startsWith('/') ? `[ -e ${need} ]`
            : need.includes(' ') ? `timeout 30 ${need}` : `type -P ${need}`;
        const seen = await run(look, chat);
        if (seen.isError)
            lacking.add(need);
    }
    await call('reset', {}, chat);
    return lacking;
}

function argumentsOf(one) {
    if (one.tool !== 'run')
        return one.call;
    return { command: one.call.command, timeout: one.exit === 'timeout' ? one.timeout_s : LONG_S };
}

async function playOn(chat, one) {
    for (const command of one.setup) {
        const seen = await run(command, chat, { timeout: LONG_S });
        if (seen.isError && !one.setup_may_fail)
            throw new Error(`the set-up failed:\n${seen.text}`);
    }
    const result = await call(one.tool, argumentsOf(one), chat);
    const [{ hint_ids: rules }] = await rows(`select hint_ids from backtalk.calls
        where conversation = :'conversation' order by id desc limit 1`, chat);
    return { result, rules: rules ?? [] };
}

// Plays cases one after the other on one machine and removes it. `tell` gets each case with what
// came of it: { result, rules (those the record names) }, or an Error.
export async function play(cases, tell) {
    const chat = { conversation: conversation(), timeoutMs: CLIENT_MS };
    for (const one of cases)
        tell(one, await playOn(chat, one).catch((fault) => fault));
    await call('reset', {}, chat).catch((fault) => console.log(`# ${fault.message}`));
}
