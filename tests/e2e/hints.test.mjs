// Sentences of the hints in results, and the operator's switch.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { call, run } from './lib/mcp.mjs';
import { rows } from './lib/record.mjs';
import { conversation } from './lib/stack.mjs';

const chat = { conversation: conversation() };
const RULE = 'file-missing';

const setRule = (on) => rows(`select backtalk.set_rule(:'rule', :'on', 'e2e') as done`,
    { rule: RULE, on });

describe('a hint', () => {
    after(async () => {
        await setRule(true);
        await call('reset', {}, chat);
    });

    test('is said, and the record names its rule', async () => {
        const { text } = await run('python3 absent.py', chat);
        assert.match(text, /^\[absent\.py does not exist\. /m);
        const [last] = await rows(`select hint_ids from backtalk.calls
            where conversation = :'c' order by id desc limit 1`, { c: chat.conversation });
        assert.deepEqual(last.hint_ids, [RULE]);
    });

    test('of a rule that is switched off is not said from the next call on', async () => {
        await setRule(false);
        const off = await run('python3 absent2.py', chat);
        assert.doesNotMatch(off.text, /^\[/m, off.text);
        await setRule(true);
        const on = await run('python3 absent3.py', chat);
        assert.match(on.text, /^\[absent3\.py does not exist\. /m);
    });
});
