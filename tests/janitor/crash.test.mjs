// Two janitors at once, a janitor that is killed at every step, an engine or a record that is not
// there: nothing is left locked, half done or unsaid.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inspect } from '../e2e/lib/docker.mjs';
import { run } from '../e2e/lib/mcp.mjs';
import { conversation } from '../e2e/lib/stack.mjs';
import { until } from '../e2e/lib/wait.mjs';
import { Relay } from '../faults/side.mjs';
import { age, clear, containerOf, janitor, notice, owner, sql, start } from './lib.mjs';

const settings = { BACKTALK_WORK_S: '0' };
const locks = () => sql(`select count(*) from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and a.usename = 'backtalk_janitor'`);

const chat = async () => {
    const c = { conversation: conversation() };
    const first = await run('echo kept > /work/kept', c);
    assert.equal(first.exitCode, 0, first.text);
    return { ...c, name: await containerOf(c.conversation) };
};

describe('crashes', () => {
    let dir;
    let record;
    let gate;
    before(async () => {
        await clear();
        const { uid, gid } = await owner();
        dir = fs.mkdtempSync(path.join(os.tmpdir(), 'janitor-'));
        fs.chownSync(dir, uid, gid);
        const socket = `.s.PGSQL.${process.env.PGPORT}`;
        record = new Relay(path.join(dir, socket), path.join(process.env.PGHOST, socket), { uid, gid });
        gate = new Relay(path.join(dir, 'gate.sock'),
            path.join(path.dirname(process.env.PGHOST), 'docker-janitor.sock'), { uid, gid });
        await Promise.all([record.set('pass'), gate.set('pass')]);
    });
    after(() => {
        record.child.disconnect();
        gate.child.disconnect();
        fs.rmSync(dir, { recursive: true, force: true });
    });
    const through = () => ({ settings, recordHost: dir, gatePath: path.join(dir, 'gate.sock') });

    test('another pass is under way: says so and ends well', async () => {
        const other = spawn('psql', ['-XAtq'], { stdio: ['pipe', 'pipe', 'inherit'] });
        other.stdin.write('select pg_advisory_lock(hashtext(\'backtalk\'), hashtext(\'janitor\'));\n');
        await once(other.stdout, 'data');
        const { code, err, pass } = await janitor();
        assert.equal(code, 0);
        assert.equal(pass.end, 'busy');
        assert.deepEqual(pass.actions, []);
        assert.match(err, /another pass is under way: nothing was done/);
        other.kill('SIGKILL');
        await until('its lock is gone', async () => (await janitor()).pass.end === 'done');
    });

    test('two at once do each thing once', async () => {
        const c = await chat();
        await age(c.conversation, '15 days');
        const args = ['--json', '--passes', '10', '--every-s', '0'];
        const both = await Promise.all([janitor({}, { args }), janitor({}, { args })]);
        assert.deepEqual(both.map((x) => x.code), [0, 0], both.map((x) => x.err).join('\n'));
        assert.equal(await inspect(c.name), null);
        assert.equal(await sql(`select count(*) from backtalk.evictions where container = :'n'`,
            { n: c.name }), '1');
    });

    test('no engine: says so, changes nothing', async () => {
        const c = await chat();
        await age(c.conversation, '15 days');
        const { code, err, pass } = await janitor({}, { gatePath: path.join(dir, 'nothing') });
        assert.equal(code, 3);
        assert.equal(pass.end, 'no-engine');
        assert.match(err, /^backtalk-janitor\[\d+\] error: .*container engine does not answer.*Nothing was changed\.\n$/);
        assert.equal(await sql(`select state from backtalk.sandbox where container = :'n'`, { n: c.name }), 'running');
        assert.match(await sql('select janitor_says from backtalk.health'), /container engine does not answer/);
        await janitor();
        assert.equal(await inspect(c.name), null, 'afterwards it does');
    });

    test('no record: says so once, changes nothing', async () => {
        const c = await chat();
        const { code, err } = await janitor({},
            { recordHost: path.join(dir, 'nothing'), args: ['--passes', '3', '--every-s', '0'] });
        assert.equal(code, 4);
        assert.match(err, /record \(PostgreSQL\) cannot be reached.*Nothing was changed\.\n$/);
        assert.equal(err.trim().split('\n').length, 1, err);
        assert.ok((await inspect(c.name)).State.Running);
    });

    test('wrong usage and wrong settings', async () => {
        for (const args of [['--nonsense'], ['--passes'], ['--passes', 'x'], ['--every-s', '-1'], ['word']])
            assert.equal((await janitor({}, { args })).code, 2, args.join(' '));
        const wrong = await janitor({ BACKTALK_KEPT: '0' }, { args: ['--once'] });
        assert.equal(wrong.code, 2);
        assert.match(wrong.err, /BACKTALK_KEPT/);
        assert.match((await janitor({}, { args: ['--help'] })).out, /--dry-run[\s\S]*BACKTALK_KEPT_MIB/);
    });

    test('SIGTERM between passes ends it', async () => {
        const child = await start(['--passes', '0', '--every-s', '3600'], { settings });
        await until('it has made its pass', async () => await sql(`select ended_at > now() - interval '5 s'
            from backtalk.janitor_state`) === 't');
        await until('and left', async () => await locks() === '0');
        child.kill('SIGTERM');
        assert.deepEqual(await once(child, 'exit'), [0, null]);
    });

    // Kills a janitor once it has sent so many bytes; false: it was through before.
    const killed = async (relay, bytes) => {
        for (;;) {
            await relay.set('hold', { after: bytes });
            const child = await start(['--once'], through());
            const gone = once(child, 'exit');
            const held = await until('it is held, or ends', () => (child.exitCode === null
                ? relay.heldNow && 'held' : 'ended'), { ms: 120_000, every: 5 }) === 'held';
            child.kill('SIGKILL');
            await gone;
            await relay.set('refuse');
            await relay.set('pass');
            // 3 and 4: the machine is so busy that it gave up waiting; that is no pass
            if (held || child.exitCode === 0)
                return held;
        }
    };

    // Everything a pass does, broken off. Whatever it came to, the next pass, or the chat, finds a house
    // in order.
    const round = async (relay, bytes) => {
        const [idle, old] = [await chat(), await chat()];
        await sql(`insert into backtalk.call (started, member_id, key_id, sandbox_id, conversation, tool,
                arguments, command, nonce)
            select now(), member_id, key_id, sandbox_id, conversation, 'run', '{}', 'lost one', 77
              from backtalk.call where conversation = :'c' limit 1;
            insert into backtalk.pending (call_id, started, lock_key, member_id, key_id, sandbox_id,
                command_sha256, nonce, backend_pid)
            select id, started, backtalk.chat_key(member_id, conversation), member_id, key_id, sandbox_id,
                   '', 77, 0 from backtalk.call where command = 'lost one' and conversation = :'c'`,
        { c: idle.conversation });
        await age(idle.conversation, '61 minutes');
        await age(old.conversation, '15 days');
        await sql(`update backtalk.sandbox set cpu_ns = 0, cpu_at = now() - interval '1 day'
            where container = :'n'`, { n: idle.name });
        const held = await killed(relay, bytes);
        await until('its locks are gone', async () => await locks() === '0', { ms: 60_000 });
        await until('the house is in order', async () => {
            const { pass } = await janitor(settings);
            return pass.end === 'done' && pass.actions.length === 0;
        }, { ms: 120_000, every: 100 });
        assert.equal(await inspect(old.name), null);
        assert.equal((await inspect(idle.name)).State.Running, false);
        const said = notice((await run('cat /work/kept', idle)).text);
        assert.match(said, /^\[This chat's machine was stopped/);
        assert.match(said, /It was: lost one\. It is not known whether it ran/);
        assert.match(notice((await run('true', old)).text), /was removed on .* because it was not used for 14 days/);
        await sql('select count(backtalk.reset_sandbox(container)) from backtalk.sandbox where removed_at is null');
        await janitor();
        return held;
    };

    for (const [what, step] of [['record', 600], ['gate', 400]]) {
        test(`killed after every ${step} bytes to the ${what}`, async () => {
            let rounds = 0;
            while (await round(what === 'record' ? record : gate, rounds * step))
                rounds++;
            console.log(`# killed ${rounds} times, a house in order ${rounds} times`);
            assert.ok(rounds >= 3, `${rounds} rounds`);
        });
    }
});
