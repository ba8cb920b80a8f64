// The record against the clients' own notes: runs last. Every result that any test of this run
// received is in the record, letter for letter, in a call that is closed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rows } from './lib/record.mjs';
import { notes } from './lib/seen.mjs';
import { until } from './lib/wait.mjs';

const seen = notes();

function counted(pairs) {
    const counts = new Map();
    for (const pair of pairs)
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
    return counts;
}

test('there is something to hold against the record', () => {
    assert.ok(seen.length > 0, 'no results were noted in this run');
});

test('what was received is what the record says was sent', async () => {
    const conversations = [...new Set(seen.map((s) => s.conversation))];
    const sent = await rows(`select conversation, sent from backtalk.call
        where conversation in (select json_array_elements_text(:'list'::json))`,
    { list: JSON.stringify(conversations) });
    const inRecord = counted(sent.map((s) => JSON.stringify([s.conversation, s.sent])));
    for (const [pair, count] of counted(seen.map((s) => JSON.stringify([s.conversation, s.text]))))
        assert.ok((inRecord.get(pair) ?? 0) >= count,
            `received ${count} times, in the record ${inRecord.get(pair) ?? 0} times: ${pair}`);
});

test('no call is left open', async () => {
    await until('every call is closed', async () => {
        const open = await rows('select id from backtalk.call where ended is null');
        return open.length === 0;
    });
    const bad = await rows(`select id, outcome, sent is null as untold from backtalk.call
        where outcome is null or (sent is null and outcome <> 'lost')`);
    assert.deepEqual(bad, []);
});
