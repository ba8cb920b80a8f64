// A chat that comes back to a machine something happened to: what it reads is true, and no file is
// lost that still exists.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { docker, inspect, remove, stop } from '../e2e/lib/docker.mjs';
import { run } from '../e2e/lib/mcp.mjs';
import { newMember } from '../e2e/lib/record.mjs';
import { conversation, instance } from '../e2e/lib/stack.mjs';
import { clear, containerOf, deeds, janitor, notice, sql } from './lib.mjs';

const exec = promisify(execFile);
const network = process.env.BACKTALK_NETWORK || 'backtalk';
const networkScript = new URL('../../sandbox-image/network.sh', import.meta.url).pathname;

const chat = async (more = {}) => {
    const c = { conversation: conversation(), ...more };
    const first = await run('echo kept > /work/kept', c);
    assert.equal(first.exitCode, 0, first.text);
    return { ...c, name: await containerOf(c.conversation) };
};
// The file is there; what the result said before.
const back = async (c) => {
    const next = await run('cat /work/kept', c);
    assert.match(next.text, /^kept$/m, next.text);
    return notice(next.text);
};
const stopped = (ago, why) => new RegExp(`^\\[This chat's machine was stopped${ago}${why}\\. It has been`
    + ' started again now\\. Files and installed packages are as they were\\. Nothing that ran before'
    + ' is running: start servers again\\.\\]$');
const row = (c, what) => sql(`select ${what} from backtalk.sandbox where conversation = :'c'
    order by id desc limit 1`, { c: c.conversation });
const upS = () => Math.ceil(Number(fs.readFileSync('/proc/uptime', 'utf8').split(' ')[0]));

describe('coming back', () => {
    before(clear);

    test('stopped two weeks ago', async () => {
        const c = await chat();
        await stop(c.name);
        await sql(`update backtalk.sandbox set state = 'stopped', stop_reason = 'idle',
            stopped_at = now() - interval '13 days 23 hours' where container = :'n'`, { n: c.name });
        assert.match(await back(c), stopped(' 13 days ago', ' because it was not in use'));
    });

    test('the computer was restarted: before the janitor has looked, and after', async () => {
        const c = await chat();
        const reboot = async () => {
            await stop(c.name);
            await sql(`update backtalk.sandbox set last_used_at = now() - interval '1 s' * ${upS() + 60}
                where container = :'n'`, { n: c.name });
        };
        await reboot();
        const why = ' because the computer it is on was restarted';
        assert.match(await back(c), stopped(' \\d+ \\w+ ago', why));
        await reboot();
        assert.deepEqual(await deeds(c.name, { BACKTALK_IDLE_S: '9000000' }), ['see host']);
        assert.match(await back(c), stopped(' \\d+ \\w+ ago', why));
        assert.equal(await back(c), '', 'told once');
    });

    test('stopped behind our back, as by an engine that was restarted', async () => {
        const c = await chat();
        await stop(c.name);
        assert.match(await back(c), stopped('', ''));
        await stop(c.name);
        assert.deepEqual(await deeds(c.name), ['see']);
        assert.equal(await row(c, 'state'), 'stopped');
        assert.match(await back(c), stopped(' \\d+ \\w+ ago', ''));
        await stop(c.name);
        await docker('POST', `/containers/${c.name}/start`);
        assert.deepEqual(await deeds(c.name), []);
        assert.equal(await back(c), '', 'it runs: nothing to tell');
    });

    test('the record is an older backup', async () => {
        const c = await chat();
        // of a moment when the chat had not begun
        await sql(`delete from backtalk.sandbox where container = :'n'`, { n: c.name });
        assert.deepEqual(await deeds(c.name), ['note'], 'the container is kept');
        assert.deepEqual(await deeds(c.name), []);
        assert.equal(await back(c), '', 'it is the chat\'s as it was');
        await janitor();
        assert.equal(await sql(`select count(*) from backtalk.stray where container = :'n'`,
            { n: c.name }), '0', 'and no stray any more');
        // of a moment when the chat's earlier machine was removed
        await sql(`update backtalk.sandbox set state = 'removed', remove_reason = 'unused',
            removed_at = now() - interval '9 days' where container = :'n'`, { n: c.name });
        assert.deepEqual(await deeds(c.name), ['adopt']);
        assert.equal(await row(c, 'state'), 'running');
        assert.equal(await back(c), '');
        // of a moment when it was stopped
        await sql(`update backtalk.sandbox set state = 'stopped', stopped_at = now(),
            stop_reason = 'idle' where container = :'n' and removed_at is null`, { n: c.name });
        assert.equal(await back(c), '', 'it runs: nothing is claimed');
    });

    test('a container that stays unexplained is removed in time', async () => {
        const c = await chat();
        await sql(`delete from backtalk.sandbox where container = :'n'`, { n: c.name });
        assert.deepEqual(await deeds(c.name), ['note']);
        await sql(`update backtalk.stray set seen_at = now() - interval '15 days'
            where container = :'n'`, { n: c.name });
        assert.deepEqual(await deeds(c.name), ['clear']);
        assert.equal(await inspect(c.name), null);
    });

    test('removed by hand: before the janitor has looked, and after', async () => {
        const c = await chat();
        const gone = (when) => `[This is a new machine. This chat's earlier machine is gone${when}; it is `
            + 'not known why. Its files and installed packages are gone.]';
        await remove(c.name);
        assert.equal(notice((await run('true', c)).text), gone(''));
        await remove(c.name);
        assert.deepEqual(await deeds(c.name), ['missing missing']);
        assert.equal(await row(c, `state || ' ' || remove_reason`), 'removed missing');
        assert.equal(notice((await run('true', c)).text), gone(' since TODAY'));
        assert.equal(notice((await run('true', c)).text), '');
    });

    test('removed by the operator', async () => {
        const c = await chat();
        assert.equal(await sql('select backtalk.reset_sandbox(:\'n\')', { n: c.name }), 't');
        assert.equal(await back(c), '', 'not before the janitor has been there');
        assert.deepEqual(await deeds(c.name), ['remove operator']);
        assert.equal(await inspect(c.name), null);
        assert.equal(notice((await run('true', c)).text), '[This is a new machine. This chat\'s earlier '
            + 'machine was removed on TODAY by the operator. Its files and installed packages are gone.]');
    });

    test('its member was purged', async () => {
        const key = await newMember('janitors-purged');
        const c = await chat({ key });
        assert.equal(await sql('select backtalk.purge_member(\'janitors-purged\')'), c.name);
        assert.deepEqual(await deeds(c.name), ['clear']);
        assert.equal(await inspect(c.name), null);
        assert.equal(await sql('select count(*) from backtalk.stray'), '0');
    });

    test('the image was updated', async () => {
        const c = await chat();
        const told = '[This machine was made before its image was updated. It works as before; its programs'
            + ' are the older ones.]';
        const newer = { BACKTALK_IMAGE: 'backtalk-sandbox:newer' };
        assert.deepEqual(await deeds(c.name, newer), ['image']);
        assert.deepEqual(await deeds(c.name, newer), [], 'once');
        assert.equal(await back(c), told);
        assert.equal(await back(c), '', 'told once');
        assert.deepEqual(await deeds(c.name), ['image'], 'and back');
        assert.equal(await back(c), '');
    });

    test('the network was made again', async () => {
        const c = await chat();
        const filters = encodeURIComponent(JSON.stringify({ label: [`backtalk.instance=${instance}`] }));
        for (const other of (await docker('GET', `/containers/json?filters=${filters}`)).json)
            await stop(other.Id);
        await exec(networkScript, ['remove', network]);
        await exec(networkScript, ['create', network]);
        assert.match(await back(c), stopped('', ''), 'files are kept');
        assert.match((await run('cat /sys/class/net/eth0/operstate', c)).text, /^up$/m, 'it has a network');
    });
});
