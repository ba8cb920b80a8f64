// What the janitor does to machines that are idle, old, too many or too large, and what their chats
// read afterwards.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { hold, inspect, release } from '../e2e/lib/docker.mjs';
import { beginCall, finish, responseOf, result, run } from '../e2e/lib/mcp.mjs';
import { newMember } from '../e2e/lib/record.mjs';
import { conversation } from '../e2e/lib/stack.mjs';
import { until } from '../e2e/lib/wait.mjs';
import { processes } from '../e2e/lib/docker.mjs';
import { age, clear, containerOf, decided, deeds, janitor, notice, sql } from './lib.mjs';

const chat = async (command = 'echo kept > /work/kept', more = {}) => {
    const c = { conversation: conversation(), ...more };
    const first = await run(command, c);
    assert.equal(first.exitCode, 0, first.text);
    return { ...c, name: await containerOf(c.conversation) };
};
const runs = async (name) => (await inspect(name))?.State.Running;
const lost = (why) => '[This is a new machine. This chat\'s earlier machine was removed on '
    + `TODAY because ${why}. Its files and installed packages are gone.]`;
const fill = (c, mib) => run(`dd if=/dev/zero of=/work/fill bs=1M count=${mib} status=none`, c);

describe('limits', () => {
    before(clear);

    test('idle: stopped, and told what was stopped with it', async () => {
        const c = await chat('echo kept > /work/kept; python3 -m http.server 8000 >/dev/null 2>&1 &');
        assert.deepEqual(await deeds(c.name), [], 'not while it is in use');
        await age(c.conversation, '61 minutes');
        assert.deepEqual(await decided(c.name), ['stop idle']);
        assert.equal(await runs(c.name), false);
        assert.deepEqual(await deeds(c.name), [], 'once');
        const next = await run('cat /work/kept', c);
        assert.match(next.text, /^kept$/m);
        assert.match(notice(next.text), new RegExp('^\\[This chat\'s machine was stopped \\d+ seconds?'
            + ' ago because it was not in use\\. It has been started again now\\. Files and installed'
            + ' packages are as they were\\. Nothing that ran before is running: start servers again\\.'
            + ' These were stopped with it: python3 -m http\\.server 8000\\.\\]$'));
        assert.equal(notice((await run('true', c)).text), '', 'told once');
    });

    test('idle: background work counts as use, for a time', async () => {
        const c = await chat('while :; do :; done >/dev/null 2>&1 &');
        await age(c.conversation, '61 minutes');
        assert.deepEqual(await decided(c.name), []);
        assert.equal(await runs(c.name), true);
        assert.equal(await sql('select worked_at > last_used_at from backtalk.sandbox'
            + ' where container = :\'n\'', { n: c.name }), 't');
        await age(c.conversation, '1 day');
        assert.deepEqual(await decided(c.name), ['stop idle'], 'a day after the last call it does not');
    });

    test('a call in flight counts as use', async () => {
        const c = await chat();
        const held = hold();
        const slow = beginCall('run', { command: `${held}; echo ended`, timeout: 300 }, c);
        await until('it runs', async () => (await processes(c.name)).includes(held));
        await age(c.conversation, '15 days');
        assert.deepEqual(await deeds(c.name, { BACKTALK_IDLE_S: '1', BACKTALK_KEPT: '1' }), []);
        await release(c.name, held);
        assert.match((await finish(slow)).text, /^ended$/m);
    });

    test('unused for 14 days: removed', async () => {
        const c = await chat();
        await age(c.conversation, '14 days 1 minute');
        assert.deepEqual(await deeds(c.name), ['remove unused']);
        assert.equal(await inspect(c.name), null);
        const next = await run('ls /work', c);
        assert.equal(notice(next.text), lost('it was not used for 14 days'));
        assert.equal(notice((await run('true', c)).text), '', 'told once');
    });

    test('unused, in compressed time', async () => {
        const c = await chat();
        assert.deepEqual(await until('it is old enough', async () => {
            const done = await deeds(c.name, { BACKTALK_UNUSED_S: '2' });
            return done.length > 0 && done;
        }, { every: 500 }), ['remove unused']);
        assert.equal(notice((await run('true', c)).text), lost('it was not used for a long time'));
    });

    test('more machines than are kept: the longest unused go', async () => {
        await clear();
        const [a, b, c] = [await chat(), await chat(), await chat()];
        await age(b.conversation, '2 hours');
        await age(a.conversation, '1 hour');
        const dry = await janitor({ BACKTALK_KEPT: '2', BACKTALK_IDLE_S: '90000' }, { args: ['--dry-run'] });
        assert.match(dry.out, new RegExp(`^would remove machine \\d+ \\(${b.name}\\): count: `
            + 'the limit of all machines is 2$', 'm'));
        assert.equal(await runs(b.name), true, 'a dry run changes nothing');
        const { pass } = await janitor({ BACKTALK_KEPT: '2', BACKTALK_IDLE_S: '90000' });
        assert.deepEqual(pass.actions.map((x) => [x.act, x.reason, x.container, x.end]),
            [['remove', 'count', b.name, 'done']]);
        assert.ok(await runs(a.name) && await runs(c.name));
        assert.equal(notice((await run('true', b)).text),
            lost('there were too many machines (the limit is 2)'));
    });

    test('more disk than is kept: the longest unused go', async () => {
        await clear();
        const [a, b] = [await chat(), await chat()];
        await fill(a, 40);
        await fill(b, 40);
        await age(b.conversation, '10 minutes');
        assert.deepEqual(await deeds(b.name, { BACKTALK_KEPT_MIB: '64' }), ['remove space']);
        assert.equal(await runs(a.name), true);
        assert.equal(notice((await run('true', b)).text),
            lost('all machines together used too much disk (the limit is 64 MiB)'));
    });

    test('a member\'s own limits', async () => {
        const key = await newMember('janitors-member');
        const limit = (running, kept) => sql('select backtalk.set_limits(\'janitors-member\', null,'
            + ` ${running}, ${kept})`);
        await limit('null', 'null');
        const [a, b] = [await chat(undefined, { key }), await chat(undefined, { key })];
        await age(a.conversation, '10 minutes');
        await limit(1, 'null');
        assert.deepEqual(await deeds(a.name), ['stop limit']);
        assert.equal(await runs(b.name), true);
        await limit(20, 'null');
        assert.match(notice((await run('true', a)).text), /because too many machines were running\./);
        await age(b.conversation, '10 minutes');
        await limit(20, 1);
        assert.deepEqual(await deeds(b.name), ['remove count']);
        assert.equal(notice((await run('true', b)).text),
            lost('there were too many machines (the limit is 1)'));
        await limit('null', 'null');
    });

    test('disk: told, stopped, left alone while it is cleared, removed', async () => {
        const small = { BACKTALK_DISK_MIB: '64' };
        const c = await chat();
        await fill(c, 55);
        assert.deepEqual(await deeds(c.name, small), ['warn disk']);
        assert.deepEqual(await deeds(c.name, small), [], 'once');
        assert.match(notice((await run('true', c)).text),
            /^\[Disk: this machine uses 5\d(\.\d)? MiB of its limit of 64 MiB \(8\d %\)\. Delete files/);
        await fill(c, 70);
        assert.deepEqual(await deeds(c.name, small), ['stop disk']);
        const over = notice((await run('echo started > /work/started', c)).text);
        assert.match(over, /was stopped .* because it used more disk than its limit\./);
        assert.match(over, /^\[Disk: this machine uses 7\d(\.\d)? MiB\. That is over its limit of 64 MiB\./m);
        assert.deepEqual(await deeds(c.name, small), [], 'it has a moment to delete something');
        await run('rm /work/fill', c);
        assert.deepEqual(await deeds(c.name, small), []);
        assert.equal(notice((await run('true', c)).text), '', 'then it is not told any more');
        await fill(c, 110);
        assert.deepEqual(await deeds(c.name, small), ['remove disk']);
        assert.equal(notice((await run('true', c)).text), lost('it used more disk than its limit of 64 MiB'));
    });

    test('disk: also in the middle of a call', async () => {
        const c = await chat();
        const held = hold();
        const slow = beginCall('run', { timeout: 300,
            command: `dd if=/dev/zero of=/work/fill bs=1M count=70 status=none; ${held}` }, c);
        await until('it has written', async () => (await processes(c.name)).includes(held));
        assert.deepEqual(await deeds(c.name, { BACKTALK_DISK_MIB: '64' }), ['stop disk']);
        await slow.done;
        const seen = result(responseOf(slow).result);
        assert.ok(seen.isError);
        assert.match(seen.text, /The machine stopped in the middle of this call/);
        assert.match(notice((await run('true', c)).text), /because it used more disk than its limit\./);
    });
});
