// Outputs no reader should get raw: bounded, valid, and honest about what was left out.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { call, output, run } from './lib/mcp.mjs';
import { conversation } from './lib/stack.mjs';

const chat = { conversation: conversation() };
after(() => call('reset', {}, chat));

// The most a result may be with both streams full: 4,000 characters each, and the words around.
const TEXT_MAX = 12_000;

function assertBounded({ text, exchange }) {
    assert.ok(text.length <= TEXT_MAX, `${text.length} characters`);
    assert.ok(exchange.body.length <= TEXT_MAX * 8, `${exchange.body.length} bytes of answer`);
    assert.doesNotMatch(text, /\u001b/);
}

// The file the result names for the whole output.
function logOf(text) {
    const found = /\/var\/log\/backtalk\/\d+\.\w+/.exec(text);
    assert.ok(found, `the result names no log:\n${text.slice(0, 2000)}`);
    return found[0];
}

describe('large', () => {
    test('10 MB of lines: the end is shown, the log holds the whole', async () => {
        const seen = await run('seq 1 1300000', chat);
        assertBounded(seen);
        assert.equal(seen.exitCode, 0);
        assert.match(seen.text, /1300000$/m);
        assert.match(seen.text, /left out/);
        assert.doesNotMatch(seen.text, /^1\n2\n3$/m);
        const log = logOf(seen.text);
        const cut = /([\d,]+) earlier bytes left out/.exec(seen.text);
        assert.ok(cut, seen.text.slice(0, 500));
        const total = Number((await output('seq 1 1300000 | wc -c', chat)).trim());
        const shown = seen.text.slice(seen.text.indexOf(']', cut.index) + 2);
        assert.ok(Math.abs(Number(cut[1].replaceAll(',', '')) + shown.length - total) <= 200,
            `${cut[0]} + ${shown.length} shown is not ${total}`);
        assert.equal((await output(`seq 1 1300000 | cmp - ${log} && echo same`, chat)).trim(),
            'same');
    });

    test('one line of 10 MB is cut in the middle, with a count', async () => {
        const seen = await run('head -c 10000000 /dev/zero | tr "\\0" x; echo END', chat);
        assertBounded(seen);
        assert.match(seen.text, /left out/);
        assert.match(seen.text, /xEND/);
        assert.equal((await output(`wc -c < ${logOf(seen.text)}`, chat)).trim(), '10000004');
    });

    test('a line of 5,000 characters keeps both its ends', async () => {
        const seen = await run('printf "BEGIN%04980dEND\\n" 0', chat);
        assertBounded(seen);
        assert.match(seen.text, /BEGIN0+/);
        assert.match(seen.text, /0+END/);
        assert.ok(Math.max(...seen.text.split('\n').map((l) => l.length)) < 1200);
    });

    test('both streams large', async () => {
        const seen = await run('seq 1 200000; seq 200001 400000 >&2; exit 4', chat);
        assertBounded(seen);
        assert.equal(seen.exitCode, 4);
        assert.match(seen.text, /^200000$/m);
        assert.match(seen.text, /^400000$/m);
        const logs = [...seen.text.matchAll(/\/var\/log\/backtalk\/\d+\.\w+/g)].map((m) => m[0]);
        assert.equal(new Set(logs).size, 2, `a log for each stream, not ${logs}`);
    });

    test('output without end is stopped by the timeout, not by memory', async () => {
        const seen = await run('yes', chat, { timeout: 2 });
        assertBounded(seen);
        assert.match(seen.text, /timed out after 2 s/);
        assert.match(seen.text, /^y$/m);
    });

    test('a compile error keeps its beginning', async () => {
        const code = `int main(void)\n{\n${Array.from({ length: 400 }, (_, i) =>
            `    unknown_${i}();\n    int v${i} = missing_${i};\n`).join('')}}\n`;
        const seen = await call('run_code', { language: 'c', code }, chat);
        assertBounded(seen);
        assert.match(seen.text, /missing_0\b/);
    });
});

describe('bytes', () => {
    test('invalid UTF-8 becomes the replacement character', async () => {
        const seen = await run('printf "good \\377\\376 \\303( \\xe2\\x82 end\\n"', chat);
        assertBounded(seen);
        assert.match(seen.text, /good \ufffd+ \ufffd\( \ufffd+ end/);
    });

    test('a character cut by the budget stays valid', async () => {
        const seen = await run(
            'python3 -c "print(\'\u20ac\' * 900 + \'\\n\' + \'\u00e4\' * 20000)"', chat);
        assertBounded(seen);
        assert.equal(Buffer.from(seen.text, 'utf8').toString('utf8'), seen.text);
    });

    test('NUL and control characters never arrive', async () => {
        const seen = await run('printf "a\\000b\\001c\\007d\\010e\\177f\\n"', chat);
        assertBounded(seen);
        assert.match(seen.text, /a.*b.*c.*d.*e.*f/);
    });

    test('ANSI sequences are removed', async () => {
        const seen = await run(
            'printf "\\033[1;31mred\\033[0m \\033]0;title\\007plain \\033[2J\\033[Hhome\\n"', chat);
        assertBounded(seen);
        assert.match(seen.text, /^red plain home$/m);
    });

    test('a progress bar shows its last state only', async () => {
        const seen = await run(
            'for i in $(seq 0 100); do printf "\\rloading %3d%%" "$i"; done; echo', chat);
        assertBounded(seen);
        assert.match(seen.text, /^loading 100%$/m);
        assert.doesNotMatch(seen.text, /loading {2}50%/);
    });

    test('binary output is said to be binary, with its size', async () => {
        const seen = await run('head -c 100000 /dev/urandom', chat);
        assertBounded(seen);
        assert.match(seen.text, /binary/i);
        assert.match(seen.text, /100,?000/);
    });

    test('CRLF lines are lines', async () => {
        const seen = await run('printf "one\\r\\ntwo\\r\\n"', chat);
        assert.match(seen.text, /^one\ntwo$/m);
    });
});

test('the newest twenty logs are kept', async () => {
    const own = { conversation: conversation() };
    await run('for i in $(seq 1 5000); do echo "line $i"; done', own);
    for (let i = 0; i < 22; i++)
        await run(`echo ${i}`, own);
    const count = Number((await output('ls /var/log/backtalk/*.out | wc -l', own)).trim());
    assert.ok(count >= 19 && count <= 21, `${count} logs`);
    await call('reset', {}, own);
});
