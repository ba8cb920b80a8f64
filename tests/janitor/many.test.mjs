// A pass over 500 machines with nothing to do asks the engine for one list and the record for one
// snapshot: its cost is counted in questions; its time is printed.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { instance } from '../e2e/lib/stack.mjs';
import { clear, janitor, sql } from './lib.mjs';

const MANY = 500;
const name = (i) => `bt-${'f'.repeat(24)}${String(i).padStart(8, '0')}`;

describe('many', () => {
    let dir;
    let server;
    let asked = [];
    let there = 0;
    before(async () => {
        await clear();
        dir = fs.mkdtempSync(path.join(os.tmpdir(), 'janitor-'));
        fs.chmodSync(dir, 0o755);
        server = http.createServer((request, response) => {
            asked.push(`${request.method} ${request.url}`);
            const list = Array.from({ length: there }, (_, i) => ({
                Names: [`/${name(i)}`], Image: process.env.BACKTALK_IMAGE || 'backtalk-sandbox:slim',
                State: 'exited', Created: 1, Labels: { 'backtalk.instance': instance, 'backtalk.member': '1' },
                HostConfig: { NetworkMode: 'x' }, Status: 'Exited (0) 3 days ago', Filler: 'x'.repeat(900),
            }));
            response.setHeader('Content-Type', 'application/json');
            response.end(JSON.stringify(request.url === '/version' ? { ApiVersion: '1.41' } : list));
        });
        await new Promise((resolve) => { server.listen(path.join(dir, 'engine.sock'), resolve); });
        fs.chmodSync(path.join(dir, 'engine.sock'), 0o777);
        await sql(`insert into backtalk.sandbox (member_id, conversation, container, state, stopped_at,
                stop_reason, last_used_at, sized_at, size_bytes)
            select (select min(id) from backtalk.member), 'many-' || i, :'prefix' || lpad(i::text, 8, '0'),
                   'stopped', now() - interval '3 days', 'idle', now() - interval '3 days', now(), 1000
              from generate_series(0, ${MANY} - 1) i`, { prefix: name(0).slice(0, -8) });
    });
    after(async () => {
        server.close();
        await sql(`delete from backtalk.sandbox where conversation like 'many-%'`);
        fs.rmSync(dir, { recursive: true, force: true });
    });

    test('nothing to do: two questions to the engine, none a machine', async () => {
        there = MANY;
        asked = [];
        const { pass } = await janitor({}, { gatePath: path.join(dir, 'engine.sock') });
        assert.equal(pass.end, 'done');
        assert.equal(pass.machines, MANY);
        assert.deepEqual(pass.actions, []);
        assert.equal(asked.length, 2, asked.join('\n'));
        console.log(`# a pass over ${MANY} machines took ${pass.took_ms} ms: ${asked.length} requests`);
    });

    test('too many: the right number goes, in one pass', async () => {
        const { pass } = await janitor({ BACKTALK_KEPT: '50' },
            { gatePath: path.join(dir, 'engine.sock'), args: ['--json', '--dry-run'] });
        assert.equal(pass.actions.length, MANY - 50);
        assert.ok(pass.actions.every((x) => x.act === 'remove' && x.reason === 'count' && x.end === 'planned'));
    });
});
