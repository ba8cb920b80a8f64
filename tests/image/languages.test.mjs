// Every language the machine has, through run_code: a first program, one that reads its input, one that
// does not compile, one that fails while it runs. A language is a row of sandbox-image/languages.json
// and a folder of programs here.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { call, run } from '../e2e/lib/mcp.mjs';
import { conversation } from '../e2e/lib/stack.mjs';
import { allRows, folders, offered, program } from './lib/languages.mjs';

const chat = { conversation: conversation(), timeoutMs: 300_000 };
after(() => call('reset', {}, chat));

const ANSWER_LATER = /Don't answer yet[^\n]*$/;
const rows = await offered(chat.conversation);
console.log(`# ${rows.length} languages: ${rows.map(({ id }) => id).join(' ')}`);

test('each row has its programs, a file name of its own, and the first six are everywhere', () => {
    assert.deepEqual(folders.toSorted?.() ?? [...folders].sort(), allRows.map(({ id }) => id).sort());
    assert.equal(new Set(allRows.map(({ file }) => file)).size, allRows.length);
    for (const id of ['python', 'cpp', 'c', 'javascript', 'bash', 'perl'])
        assert.ok(rows.some((row) => row.id === id), id);
});

const runCode = (row, name, more) =>
    call('run_code', { language: row.name, code: program(row, name), ...more }, chat);

for (const row of rows)
    describe(row.name, () => {
        test('says hello', async () => {
            const { text } = await runCode(row, 'hello', { expected: 'hello' });
            assert.match(text, /^PASS: the output is exactly the expected output\./m, text);
            assert.doesNotMatch(text, /\nstderr:/, text);
        });

        test('reads its input', async () => {
            const { text } = await runCode(row, 'stdin', { input: '1 2 3\n4', expected: '10' });
            assert.match(text, /^PASS: /m, text);
        });

        test('shows why a program does not compile', async () => {
            const { text } = await runCode(row, 'broken');
            assert.doesNotMatch(text, /exit code (0|12[67]) .*\n(?!\$)/, text);
            if (row.compile)
                assert.match(text, /^not run$/m, text);
            assert.match(text, /\n\n.*[a-z]/i, text);
            assert.match(text, ANSWER_LATER, text);
        });

        test('shows where a program fails', async () => {
            const { text, isError } = await runCode(row, 'fails');
            assert.ok(isError, text);
            assert.match(text, /^before$/m, text);
            assert.match(text, /^(exit code [1-9]|killed by signal)/m, text);
            assert.match(text, ANSWER_LATER, text);
        });
    });

test('g++ takes the precompiled header with the flags of run_code', async () => {
    const { compile } = allRows.find(({ id }) => id === 'cpp');
    const flags = compile.filter((word) => word.startsWith('-') && word !== '-o').join(' ');
    const { text } = await run(`echo '#include <bits/stdc++.h>' > all.cpp && g++ ${flags} -H -S -o /dev/null `
        + 'all.cpp 2>&1 | head -n 1', chat);
    assert.match(text, /^! .*\/bits\/stdc\+\+\.h\.gch\//m, text);
    const other = await run(`g++ ${flags} -DNDEBUG -H -S -o /dev/null all.cpp 2>&1 | head -n 1`, chat);
    assert.match(other.text, /^[x.] /m, `with other flags it is not taken:\n${other.text}`);
});
