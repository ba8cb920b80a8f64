// Each tool as a model uses it: what runs, what the result says, what stays on the machine.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { call, output, run } from './lib/mcp.mjs';
import { conversation } from './lib/stack.mjs';
import { until } from './lib/wait.mjs';

const chat = { conversation: conversation() };
after(() => call('reset', {}, chat));

describe('run', () => {
    test('shows the command, the exit line, then the output', async () => {
        const { text, isError } = await run('echo hello', chat);
        assert.match(text, /^\$ echo hello\nexit code 0 \(\d+\.\d+ s\)\n\nhello$/m);
        assert.equal(isError, false);
    });

    test('a failing command says so in words', async () => {
        const { text, exitCode } = await run('ls /nowhere-at-all', chat);
        assert.equal(exitCode, 2);
        assert.match(text, /\/nowhere-at-all/);
    });

    test('labels the streams only when both have text', async () => {
        const both = await run('echo out; echo err >&2; exit 3', chat);
        assert.equal(both.exitCode, 3);
        assert.match(both.text, /^stdout:\nout\nstderr:\nerr$/m);
        const one = await run('echo err >&2', chat);
        assert.doesNotMatch(one.text, /^stdout:/m);
        assert.match(one.text, /^err$/m);
    });

    test('says when there was no output', async () => {
        const { text } = await run('true', chat);
        assert.match(text, /\(no output\)/);
    });

    test('starts in /work, as root, without a terminal, with nothing on stdin', async () => {
        assert.equal((await output('pwd', chat)).trim(), '/work');
        assert.equal((await output('id -u', chat)).trim(), '0');
        assert.match(await output('test -t 0 || test -t 1 || echo none', chat), /none/);
        assert.match(await output('(: </dev/tty) 2>&1 || true', chat), /No such device/);
        assert.equal((await output('cat | wc -c', chat)).trim(), '0');
    });

    test('puts exit codes into words', async () => {
        const missing = await run('no-such-program-here', chat);
        assert.equal(missing.exitCode, 127);
        assert.match(missing.text, /not found/);
        const closed = await run('printf x > /work/closed; chmod 644 /work/closed; ./closed', chat);
        assert.equal(closed.exitCode, 126);
        const { text } = await run('sh -c \'kill -SEGV $$\'', chat);
        assert.match(text, /segmentation fault/i);
    });

    test('ends a command at its timeout', async () => {
        for (const timeout of [1, '1']) {
            const { text, exchange } = await run('echo before; sleep 60', chat, { timeout });
            assert.match(text, /timed out after 1 s/);
            assert.match(text, /before/);
            assert.ok(exchange.endedAt - exchange.startedAt < 15_000);
        }
    });

    test('a timeout also ends daemons of that call, and nothing of earlier calls', async () => {
        await run('setsid sleep 7101 </dev/null >/dev/null 2>&1 &', chat);
        const late = await run('setsid sleep 7102 & sleep 60', chat, { timeout: 1 });
        assert.match(late.text, /timed out/);
        const left = await output('ps -eo args', chat);
        assert.match(left, /sleep 7101/);
        assert.doesNotMatch(left, /sleep 7102/);
        await run('pkill -f "sleep 7101"', chat);
    });

    test('refuses a timeout out of range and names it', async () => {
        for (const timeout of [0, -1, 100_000, 'soon', [1]]) {
            const { text, isError } = await run('echo never > /work/never', chat, { timeout });
            assert.ok(isError, JSON.stringify(timeout));
            assert.match(text, /timeout/);
        }
        assert.match(await output('ls /work/never 2>&1 || true', chat), /No such file/);
    });

    test('a server in the background returns at once and serves a later call', async () => {
        const started = await run(
            'echo served > page.txt; python3 -m http.server 8123 > server.log 2>&1 &', chat);
        assert.equal(started.exitCode, 0);
        assert.ok(started.seconds < 5, started.text);
        await until('the server answers', async () =>
            /served/.test((await run('curl -s http://127.0.0.1:8123/page.txt', chat)).text));
        const inherited = await run('python3 -m http.server 8124 &', chat);
        assert.equal(inherited.exitCode, 0);
        assert.ok(inherited.exchange.endedAt - inherited.exchange.startedAt < 10_000);
        await until('the server whose output nobody took answers', async () =>
            /served/.test((await run('curl -s http://127.0.0.1:8124/page.txt', chat)).text));
    });

    test('keeps files, installs and machine between calls', async () => {
        await run('mkdir -p deep/er && echo kept > deep/er/file', chat);
        assert.equal((await output('cat deep/er/file', chat)).trim(), 'kept');
        await run('cd / && export SHOUT=1', chat);
        assert.match(await output('pwd; echo "[$SHOUT]"', chat), /^\/work\n\[\]\n/);
    });

    test('takes any shell text', async () => {
        const odd = '"quotes" \'single\' $dollar `back` \\ \u00e4\u{1f600}';
        assert.equal((await output(`cat <<'END'\n${odd}\nEND`, chat)).trim(), odd);
        const syntax = await run('if true; then', chat);
        assert.notEqual(syntax.exitCode, 0);
        assert.match(syntax.text, /syntax error/);
    });

    test('survives a command that kills everything it may', async () => {
        await run('kill -9 -1', chat);
        assert.equal((await output('echo alive', chat)).trim(), 'alive');
        await run('exec </dev/null >/dev/null 2>&1; pkill -9 bash', chat);
        assert.equal((await output('echo alive', chat)).trim(), 'alive');
    });
});

// What each language must do, told in that language.
const DOUBLE = {
    python: 'import sys\nfor line in sys.stdin:\n    print(int(line) * 2)\n',
    c: '#include <stdio.h>\nint main(void)\n{\n    int n;\n    while (scanf("%d", &n) == 1)\n'
        + '        printf("%d\\n", n * 2);\n    return 0;\n}\n',
    cpp: '#include <iostream>\nint main()\n{\n    int n;\n    while (std::cin >> n)\n'
        + '        std::cout << n * 2 << "\\n";\n}\n',
    javascript: 'const fs = require("fs");\n'
        + 'for (const line of fs.readFileSync(0, "utf8").trim().split("\\n"))\n'
        + '    console.log(Number(line) * 2);\n',
    bash: 'while read -r n; do\n    echo "$((n * 2))"\ndone\n',
};

const BROKEN = {
    python: ['print("a"\n', /SyntaxError/],
    c: ['int main(void) { return nothing; }\n', /nothing/],
    cpp: ['int main() { return nothing; }\n', /nothing/],
    javascript: ['let x = ;\n', /SyntaxError/],
    bash: ['if true; then\n', /syntax error|unexpected|parse/i],
};

const CRASH = {
    python: 'raise ValueError("boom")\n',
    c: '#include <stdlib.h>\nint main(void) { abort(); }\n',
    cpp: '#include <cstdlib>\nint main() { std::abort(); }\n',
    javascript: 'throw new Error("boom");\n',
    bash: 'echo boom >&2\nexit 7\n',
};

const ENDLESS = {
    python: 'while True:\n    pass\n',
    c: 'int main(void) { for (;;) { } }\n',
    cpp: 'int main() { volatile int n = 0; for (;;) n = n + 1; }\n',
    javascript: 'for (;;);\n',
    bash: 'while true; do :; done\n',
};

describe('run_code', () => {
    for (const language of Object.keys(DOUBLE)) {
        test(`${language}: PASS on the expected output`, async () => {
            const { text, isError } = await call('run_code',
                { language, code: DOUBLE[language], input: '4\n5\n', expected: '8\n10' }, chat);
            assert.match(text, /^PASS: the output is exactly the expected output\.$/m);
            assert.doesNotMatch(text, /FAIL/);
            assert.equal(isError, false);
        });

        test(`${language}: FAIL names the line that differs`, async () => {
            const { text } = await call('run_code',
                { language, code: DOUBLE[language], input: '4\n5\n', expected: '8\n11' }, chat);
            assert.match(text, /^FAIL/m);
            assert.match(text, /line 2/);
            assert.match(text, /11/);
            assert.doesNotMatch(text, /^PASS/m);
            assertLastWord(text);
        });

        test(`${language}: without expected neither PASS nor FAIL`, async () => {
            const { text } = await call('run_code',
                { language, code: DOUBLE[language], input: '21' }, chat);
            assert.match(text, /^42$/m);
            assert.doesNotMatch(text, /PASS|FAIL/);
        });

        test(`${language}: a program that does not compile`, async () => {
            const [code, error] = BROKEN[language];
            const { text } = await call('run_code', { language, code, expected: '1' }, chat);
            assert.match(text, error);
            assert.doesNotMatch(text, /^PASS/m);
            assertLastWord(text);
        });

        test(`${language}: a crash`, async () => {
            const { text } = await call('run_code',
                { language, code: CRASH[language], expected: '1' }, chat);
            assert.match(text, /exit code [1-9]|killed by signal 6|abort/i);
            assert.doesNotMatch(text, /^PASS/m);
            assertLastWord(text);
        });
    }

    // All at once, each in its own chat: they take the stack's whole BACKTALK_TIMEOUT_S.
    test('programs that never end', async () => {
        const chats = Object.keys(ENDLESS).map((language) =>
            ({ language, conversation: conversation(), timeoutMs: 400_000 }));
        await Promise.all(chats.map(async (own) => {
            const { text, isError } = await call('run_code',
                { language: own.language, code: ENDLESS[own.language], expected: '1' }, own);
            assert.match(text, /timed out after \d+ s/);
            assert.doesNotMatch(text, /^PASS/m);
            assert.ok(isError);
            assertLastWord(text);
            await call('reset', {}, own);
        }));
    });

    test('takes what is almost right', async () => {
        const fenced = await call('run_code',
            { language: ' PY ', code: '```python\nprint(40 + 2)\n```', expected: 42 }, chat);
        assert.match(fenced.text, /^PASS/m);
        const list = await call('run_code', { language: 'js', expected: [1, 2],
            code: 'console.log(JSON.stringify([1, 2]))\r\n' }, chat);
        assert.match(list.text, /^PASS/m);
    });

    test('an unknown language is answered with the known ones', async () => {
        const { text, isError } = await call('run_code',
            { language: 'klingon', code: 'x' }, chat);
        assert.ok(isError);
        assert.match(text, /language/);
        assert.match(text, /python/);
    });
});

// Every failure ends with the one sentence that keeps a small model working.
function assertLastWord(text) {
    const last = text.trimEnd().split('\n').at(-1);
    assert.match(last, /Don't answer yet/);
    assert.match(last, /run_code/);
}

describe('write_file', () => {
    test('relative paths are under /work, parents are made', async () => {
        const { text, isError } = await call('write_file',
            { path: 'notes/today/list.txt', content: 'one\ntwo\n' }, chat);
        assert.equal(isError, false);
        assert.match(text, /\/work\/notes\/today\/list\.txt/);
        assert.equal(await output('cat /work/notes/today/list.txt', chat), 'one\ntwo');
    });

    test('absolute paths are taken as they are', async () => {
        await call('write_file', { path: '/srv/data/empty', content: '' }, chat);
        assert.equal((await output('stat -c %s /srv/data/empty', chat)).trim(), '0');
    });

    test('replaces what was there, byte for byte', async () => {
        const content = 'tab\tCR\r\nUmlaut \u00e4 emoji \u{1f680} no newline at the end';
        await call('write_file', { path: 'exact', content: 'longer than what follows'.repeat(9) },
            chat);
        await call('write_file', { path: 'exact', content }, chat);
        const hex = await output('od -An -v -tx1 exact | tr -d " \\n"', chat);
        assert.equal(hex.trim(), Buffer.from(content).toString('hex'));
    });

    test('4 MiB arrive whole', async () => {
        const line = 'The quick brown fox jumps over the lazy dog 0123456789\n';
        const content = line.repeat(Math.ceil((4 << 20) / line.length));
        await call('write_file', { path: 'big.txt', content }, chat);
        assert.equal((await output('wc -c < big.txt', chat)).trim(), String(content.length));
        assert.match(await output(`grep -vc "^${line.trim()}$" big.txt || true`, chat), /^0/);
    });

    test('says in words what cannot be written', async () => {
        await run('mkdir -p /work/folder && echo text > /work/plain', chat);
        for (const [path, reason] of [
            ['folder', /folder|directory/i],
            ['/proc/x', /\/proc\/x/],
            ['plain/below', /plain/],
            ['/', /folder|directory/i],
        ]) {
            const { text, isError } = await call('write_file', { path, content: 'x' }, chat);
            assert.ok(isError, `${path}: ${text}`);
            assert.match(text, reason);
        }
        assert.equal((await output('cat /work/plain', chat)).trim(), 'text');
    });

    test('refuses 20 MiB in words', async () => {
        const { text, isError } = await call('write_file',
            { path: 'huge', content: 'x'.repeat(20 << 20) }, chat);
        assert.ok(isError);
        assert.match(text, /content/);
        assert.match(text, /8/);
        assert.match(await output('ls /work/huge 2>&1 || true', chat), /No such file/);
    });
});

describe('reset', () => {
    test('gives a clean machine', async () => {
        const own = { conversation: conversation() };
        await run('echo old > /work/old; echo old > /etc/old', own);
        const { isError } = await call('reset', {}, own);
        assert.equal(isError, false);
        const gone = await run('ls /work/old /etc/old', own);
        assert.equal(gone.exitCode, 2);
        await call('reset', {}, own);
    });

    test('works for a chat that has no machine yet', async () => {
        const { isError } = await call('reset', {}, { conversation: conversation() });
        assert.equal(isError, false);
    });
});
