// After all faults: the record is whole. Runs last.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rows } from '../e2e/lib/record.mjs';
import { until } from '../e2e/lib/wait.mjs';

test('nothing is locked and no database session waits', async () => {
    await until('the locks are let go', async () => (await rows(
        `select pid from pg_locks where locktype = 'advisory' and database =
         (select oid from pg_database where datname = current_database())`)).length === 0);
});

test('a call that looks finished is finished', async () => {
    const bad = await rows(`select id, outcome from backtalk.call where (ended is null) <>
        (outcome is null) or (outcome <> 'lost' and sent is null)`);
    assert.deepEqual(bad, []);
});

test('a call is open only where its chat has not come back', async () => {
    const bad = await rows(`select c.id from backtalk.call c where c.ended is null
        and exists (select from backtalk.call later
                     where later.sandbox_id = c.sandbox_id and later.id > c.id)`);
    assert.deepEqual(bad, []);
});
