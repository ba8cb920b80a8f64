// The official conformance suite, once for each era. conformance/REVISION.yml lists what it asks of
// fixtures we do not offer; a scenario that fails and is not listed fails here, and so does one
// that is listed and passes.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { front } from './lib/front.mjs';
import { call } from './lib/mcp.mjs';
import { conformancePort, conversation } from './lib/stack.mjs';

const here = new URL('.', import.meta.url).pathname;
const program = path.join(here, 'node_modules/.bin/conformance');

function suite(revision, url, dir) {
    const args = [program, 'server', '--url', url, '--requirements', revision,
        '--expected-failures', path.join(here, 'conformance', `${revision}.yml`),
        '--output-dir', dir];
    return new Promise((resolve) => {
        execFile(process.execPath, args, { maxBuffer: 1 << 28, timeout: 540_000 },
            (error, stdout, stderr) => resolve({ status: error ? error.code ?? error.signal : 0,
                said: stdout + stderr }));
    });
}

describe('conformance', () => {
    const chat = conversation();
    let nginx;
    let dir;
    before(async () => {
        dir = fs.mkdtempSync(path.join(os.tmpdir(), 'e2e-conformance-'));
        nginx = await front(conformancePort, chat);
    });
    after(async () => {
        await nginx.stop();
        fs.rmSync(dir, { recursive: true, force: true });
        await call('reset', {}, { conversation: chat });
    });

    for (const revision of ['2025-11-25', '2026-07-28']) {
        test(revision, async (t) => {
            const { status, said } = await suite(revision, nginx.url, dir);
            const summary = said.slice(said.lastIndexOf('=== '));
            t.diagnostic(summary.replaceAll('\n', ' | ').slice(0, 2000));
            assert.equal(status, 0, said.slice(-6000));
        });
    }
});
