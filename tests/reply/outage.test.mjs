// The record is down: answers flow all the same, without the program. A backtalk-reply of the test's own,
// with a relay before the record that fails on command.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { newMember } from '../e2e/lib/record.mjs';
import { Side } from '../faults/side.mjs';
import { ask, converse, leave, read } from './lib/chat.mjs';
import { call, say, script, start } from './lib/model.mjs';

let model, side, turn;
before(async () => {
    model = await start();
    side = await Side.start({ name: 'backtalk-reply' });
    const got = await converse(script(call(['run_code', { language: 'python', code: 'print(8)' }]), say('.')));
    turn = { chat: got.chat, messages: got.messages };
});
after(async () => {
    await leave(turn.chat);
    await side.stop();
    await model.stop();
});

const final = async (more = {}) => ask({ model: script(say('Done.')), stream: true,
    messages: turn.messages }, { chat: turn.chat, to: side.to, ...more }).done;
const log = () => fs.readFileSync(side.log, 'utf8');
const COMPLETE = /^Done\.\n\nThis is the program that was run \(ran, output not compared\)/;

test('with the record', async () => {
    assert.match(read(await final()).text, COMPLETE);
});

for (const mode of ['refuse', 'hang'])
    test(`without it (${mode}): the answer flows, the log says so`, async () => {
        await side.record.set(mode);
        const got = read(await final());
        assert.equal(got.text, 'Done.');
        assert.equal(got.finish, 'stop');
        assert.match(log(), /nothing is appended: the record \(PostgreSQL\) cannot be reached/);
        await side.record.set('pass');
        assert.match(read(await final()).text, COMPLETE);
    });

test('a key nobody has seen waits for the record', async () => {
    const key = await newMember('reply-outage');
    await side.record.set('refuse');
    const refused = await final({ key });
    assert.equal(refused.status, 503);
    assert.equal(JSON.parse(refused.text).error.code, 'record_unavailable');
    await side.record.set('pass');
    assert.equal(read(await final({ key })).text, 'Done.');
    await side.record.set('refuse');
    assert.equal(read(await final({ key })).text, 'Done.');
    await side.record.set('pass');
});

test('a worker that is killed costs its answer only', async () => {
    const [pid] = side.workers();
    const cut = ask({ model: script((_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write('data: {}\n\n');
    }), stream: true, messages: turn.messages }, { chat: turn.chat, to: side.to });
    await cut.headers;
    process.kill(pid, 'SIGKILL');
    assert.doesNotMatch((await cut.done).text, /finish_reason|DONE/);
    assert.match(read(await final()).text, COMPLETE);
});
