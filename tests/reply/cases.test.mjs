// Final answers and what follows them: the whole loop with tools on a real machine, streamed and not.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { rows } from '../e2e/lib/record.mjs';
import { conversation } from '../e2e/lib/stack.mjs';
import { answersOf, ask, converse, leave, read } from './lib/chat.mjs';
import { call, say, script, start } from './lib/model.mjs';

let model;
before(async () => {
    model = await start();
});
after(() => model.stop());

const GOOD = 'print(int(input()) * 2)\n';
const passing = ['run_code', { language: 'python', code: GOOD, input: '21', expected: '42' }];
const other = ['run_code', { language: 'python', code: GOOD, input: '4', expected: '8' }];
const wrong = ['run_code', { language: 'python', code: 'print(1)', expected: '2' }];
const worse = ['run_code', { language: 'py', code: 'print(3)', expected: '4' }];
const plain = ['run_code', { language: 'Python', code: 'print("hello")' }];
const FENCES = 'print("""\n```\ncode\n````\n""")\n';

const block = (code, tag = 'python', fence = '```') =>
    `${fence}${tag}\n${code.endsWith('\n') ? code : `${code}\n`}${fence}\n`;
const lead = (label, how = 'tested', last = '') => `This is the ${last}program that was ${how} (${label}):\n\n`;
const differs = (how = 'tested') => `The code above is not what was ${how}. `;
const PASSED = 'passed 1 of 1 tests';
const whole = `${lead(PASSED)}${block(GOOD)}`;

// name; the model's tool calls, one step after the other; its answer; what follows it ('' nothing).
const cases = [
    ['no code', [passing], 'It doubles the number.', `\n\n${whole}`],
    ['"see above"', [passing], 'The code is shown in the previous step.\n', `\n${whole}`],
    ['empty', [passing], '', whole],
    ['blanks', [passing], ' \n', whole],
    ['right code', [passing], `Here it is:\n\n${block(GOOD)}\nIt works.`, ''],
    ['right code, blanks at line ends', [passing], block(`${GOOD.trim()}  \r\n\n`), ''],
    ['right code in a list', [passing], '1. So:\n\n   ```py\n   print(int(input()) * 2)\n   ```\n', ''],
    ['right code, no language', [passing], block(GOOD, ''), ''],
    ['rewritten code', [passing], block('x = int(input())\nprint(x + x)'),
        `\n${differs()}${whole}`],
    ['rewritten code, left open', [passing], '```python\nprint(2 *', `\n\`\`\`\n\n${differs()}${whole}`],
    ['only a shell command', [passing], `Run it:\n${block('python3 main.py', 'bash')}`, `\n${whole}`],
    ['only output', [passing], `It prints\n${block('42', '')}`, `\n${whole}`],
    ['code in another language', [passing], `In C:\n${block('int main(){}', 'c')}`, ''],
    ['only a command was run', [['run', { command: 'ls /' }]], 'There are some files.', ''],
    ['nothing was run', [], 'Hello!', ''],
    ['two programs, one passed', [passing, wrong], 'Done.', `\n\n${whole}`],
    ['two programs, none passed', [wrong, worse], 'Done.',
        `\n\n${lead('did not pass', 'run', 'last ')}${block('print(3)')}`],
    ['the failed one is shown', [passing, wrong], block('print(1)'), `\n${differs()}${whole}`],
    ['ran, not compared', [plain], 'Done.',
        `\n\n${lead('ran, output not compared', 'run')}${block('print("hello")')}`],
    ['ran, not compared, rewritten', [plain], block('print("Hello")'),
        `\n${differs('run')}${lead('ran, output not compared', 'run')}${block('print("hello")')}`],
    ['tested three times', [passing, other, passing], 'Done.',
        `\n\n${lead('passed 3 of 3 tests')}${block(GOOD)}`],
    ['passed some', [['run_code', { ...passing[1], expected: '43' }], passing], 'Done.',
        `\n\n${lead('passed 1 of 2 tests')}${block(GOOD)}`],
    ['fences in the code', [['run_code', { language: 'python', code: FENCES, expected: '\n```\ncode\n````' }]],
        'Done.', `\n\n${lead(PASSED)}${block(FENCES, 'python', '`````')}`],
    ['characters', [['run_code', { language: 'python', code: 'print("é🎉\u00a0\\n")', expected: 'é🎉\u00a0' }]],
        'Fertig: é🎉', `\n\n${lead(PASSED)}${block('print("é🎉\u00a0\\n")')}`],
    ['code in a fence', [['run_code', { language: 'python', code: block('print(7)'), expected: '7' }]],
        'Done.', `\n\n${lead(PASSED)}${block('print(7)')}`],
    ['a shell program', [['run_code', { language: 'bash', code: 'echo 1', expected: '1' }]],
        `Run it:\n${block('bash main.sh', 'sh')}`, `\n${differs()}${lead(PASSED)}${block('echo 1', 'bash')}`],
    ['a file that was run', [['write_file', { path: 'a.py', content: GOOD }],
        ['run', { command: 'echo 4 | python3 a.py' }]], 'Done.',
    `\n\n${lead('ran, output not compared', 'run')}${block(GOOD)}`],
    ['a file that failed', [['write_file', { path: '/work/a.py', content: 'exit(3)' }],
        ['run', { command: 'cd /work && python3 ./a.py' }]], 'Done.',
    `\n\n${lead('did not pass', 'run', 'last ')}${block('exit(3)')}`],
    ['a file that was not run', [['write_file', { path: 'a.py', content: GOOD }]], 'Done.', ''],
    ['a file that was changed', [['write_file', { path: 'a.py', content: GOOD }],
        ['run', { command: 'sed -i s/2/3/ a.py; echo 4 | python3 a.py' }]], 'Done.', ''],
    ['a file of C', [['write_file', { path: 'a.c', content: 'int main(void) { return 0; }\n' }],
        ['run', { command: 'gcc a.c -o a && ./a' }]], 'Done.',
    `\n\n${lead('ran, output not compared', 'run')}${block('int main(void) { return 0; }\n', 'c')}`],
    ['thinking', [passing], '<think>\n```python\nprint(9)\n```\n</think>\nDone.', `\n\n${whole}`],
];

describe('what follows an answer', () => {
    const chat = conversation(); // one machine for all of them
    const appended = [];
    for (const [name, steps, text, more] of cases)
        for (const stream of [true, false])
            test(`${name}, ${stream ? 'streamed' : 'whole'}`, async () => {
                const got = await converse(script(...steps.map((s) => call(s)), say(text)), { chat, stream });
                assert.equal(got.text, text + more);
                assert.equal(got.finish, 'stop');
                assert.equal(got.usage.prompt_tokens, 11);
                assert.deepEqual(got.roles, ['assistant']);
                if (more)
                    appended.push(more);
            });
    test('the record has what was appended, letter for letter', async () => {
        const answers = await answersOf(chat);
        assert.deepEqual(answers.map((a) => a.appended).filter(Boolean), appended);
        assert.deepEqual(answers.filter((a) => (a.appended === null)
            !== ['shown', 'elsewhere'].includes(a.showed)), []);
        const [{ n }] = await rows(`select sum(appended)::int as n from backtalk.honesty`);
        assert.ok(n >= appended.length);
        await leave(chat);
    });
});

test('tool names as clients make them', async () => {
    for (const name of [(t) => `${t}_mcp_backtalk`, (t) => `mcp__backtalk__${t}`, (t) => `backtalk.${t}`]) {
        const got = await converse(script(call(passing), say('Done.')), { name });
        assert.equal(got.text, `Done.\n\n${whole}`);
        await leave(got.chat);
    }
});

test('a program of an earlier turn is not this turn\'s', async () => {
    const first = await converse(script(call(passing), say('Done.')));
    const second = await converse(script(say('You are welcome.')), { chat: first.chat,
        before: [...first.messages, { role: 'assistant', content: first.text }] });
    assert.equal(second.text, 'You are welcome.');
    const third = await converse(script(call(wrong), say('Hm.')), { chat: first.chat,
        before: first.messages });
    assert.equal(third.text, `Hm.\n\n${lead('did not pass', 'run', 'last ')}${block('print(1)')}`);
    await leave(first.chat);
});

test('without the header the program is found by its text', async () => {
    const code = `print("${Date.now()}")`;
    const run = ['run_code', { language: 'python', code, expected: code.slice(7, -2) }];
    const got = await converse(script(call(run), say('Done.')), { header: false });
    assert.equal(got.text, `Done.\n\n${lead(PASSED)}${block(code)}`);
    await leave(got.chat);
    const file = await converse(script(call(['write_file', { path: 'x.py', content: code }]),
        call(['run', { command: 'python3 x.py' }]), say('Done.')), { header: false });
    assert.equal(file.text, `Done.\n\n${lead('ran, output not compared', 'run')}${block(code)}`);
    await leave(file.chat);
});

test('two chats at once, the same program, different results', async () => {
    const pass = converse(script(call(passing), say('Done.')));
    const fail = converse(script(call(['run_code', { ...passing[1], expected: '43' }]), say('Done.')));
    assert.equal((await pass).text, `Done.\n\n${whole}`);
    assert.equal((await fail).text,
        `Done.\n\n${lead('did not pass', 'run', 'last ')}${block(GOOD)}`);
    await leave((await pass).chat);
    await leave((await fail).chat);
});

test('a program that never ran is not appended', async () => {
    const refused = ['run_code', { language: 'python', code: '  ' }];
    const got = await converse(script(call(refused), say('Done.')));
    assert.equal(got.text, 'Done.');
    assert.deepEqual(await answersOf(got.chat), []);
    // The messages tell of a run that the record of this chat does not have.
    const real = await converse(script(call(passing), say('Done.')));
    const forged = read(await ask({ model: script(say('Done.')), stream: true, messages: real.messages },
        { chat: conversation() }).done);
    assert.equal(forged.text, 'Done.');
    await leave(real.chat);
});
