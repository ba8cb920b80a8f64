// The official Inspector's command line, in both eras.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { call, result } from './lib/mcp.mjs';
import { note } from './lib/seen.mjs';
import { conversation, key, url } from './lib/stack.mjs';

const program = new URL('node_modules/.bin/mcp-inspector', import.meta.url).pathname;
const exec = promisify(execFile);
const chat = conversation();
let home;
before(() => {
    home = fs.mkdtempSync(path.join(os.tmpdir(), 'inspector-'));
});
after(async () => {
    fs.rmSync(home, { recursive: true, force: true });
    await call('reset', {}, { conversation: chat });
});

// Exit status and the JSON it printed.
async function inspector(era, ...args) {
    const all = [program, '--cli', '--server-url', url.href, '--transport', 'http',
        '--header', `Authorization: Bearer ${key}`, '--header', `X-Conversation-Id: ${chat}`,
        '--protocol-era', era, '--format', 'json', '--quiet', ...args];
    const options = { env: { ...process.env, HOME: home }, maxBuffer: 1 << 26, timeout: 120_000 };
    try {
        const { stdout } = await exec(process.execPath, all, options);
        return { status: 0, json: JSON.parse(stdout) };
    } catch (error) {
        if (typeof error.code !== 'number')
            throw error;
        return { status: error.code, stderr: error.stderr,
            json: error.stdout.trim() ? JSON.parse(error.stdout) : null };
    }
}

const text = (seen) => {
    assert.ok(seen.json, seen.stderr);
    const read = result(seen.json.result ?? seen.json);
    note({ conversation: chat }, read.text);
    return read.text;
};

for (const era of ['legacy', 'modern']) {
    describe(era, () => {
        test('tools/list, held to the strict rules for schemas', async () => {
            const seen = await inspector(era, '--method', 'tools/list', '--strict');
            assert.equal(seen.status, 0, seen.stderr);
            const { tools } = seen.json.result ?? seen.json;
            assert.deepEqual(tools.map((t) => t.name), ['run', 'run_code', 'write_file', 'reset']);
        });

        test('tools/call', async () => {
            const seen = await inspector(era, '--method', 'tools/call', '--tool-name', 'run',
                '--tool-arg', 'command=echo from the inspector');
            assert.match(text(seen), /^from the inspector$/m);
        });

        test('a call that is streamed', async () => {
            const seen = await inspector(era, '--method', 'tools/call', '--tool-name', 'run',
                '--tool-args-json', JSON.stringify({ command: 'sleep 3; echo late' }));
            assert.match(text(seen), /^late$/m);
        });

        test('a wrong call', async () => {
            const seen = await inspector(era, '--method', 'tools/call', '--tool-name', 'run',
                '--tool-args-json', '{}');
            assert.notEqual(seen.status, 0);
        });
    });
}
