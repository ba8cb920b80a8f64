// The walk: small tasks done wrongly the way small models do them, then rightly. Each file of walk/
// is one chat, and holds every result letter for letter (times and process ids aside).
// UPDATE_WALK=1 writes the results anew: read them before you commit them.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { call } from './lib/mcp.mjs';
import { conversation } from './lib/stack.mjs';

const folder = new URL('walk/', import.meta.url);
const files = readdirSync(folder).filter((name) => /^\d.*\.md$/.test(name)).sort();

const indent = (text) => text.split('\n').map((line) => (line ? `    ${line}` : '')).join('\n');

// "name: `value`", "name: 7", or "name:" and the value as an indented block.
function readArguments(lines) {
    const args = {};
    let name;
    for (const line of lines) {
        const start = /^([a-z_]+):(?: (.*))?$/.exec(line);
        if (start) {
            [, name] = start;
            const value = start[2];
            args[name] = value === undefined ? [] : value.replace(/^`(.*)`$/, '$1');
        } else if (Array.isArray(args[name])) {
            args[name].push(line.replace(/^ {4}/, ''));
        }
    }
    for (const [key, value] of Object.entries(args))
        if (Array.isArray(value)) {
            const text = value.join('\n').replace(/^\n+|\n+$/g, '');
            args[key] = key === 'content' || key === 'code' ? `${text}\n` : text;
        }
    if (args.timeout)
        args.timeout = Number(args.timeout);
    return args;
}

// The file as [introduction, {tool, said, result}...]; said: the text of the arguments.
function readWalk(text) {
    const [introduction, ...calls] = text.split(/^## /m);
    return [introduction, ...calls.map((part) => {
        const [request, result = ''] = part.split(/^### Result\n\n/m);
        const [tool, ...lines] = request.split('\n');
        return { tool, lines, said: request.trimEnd(), result: result.trimEnd() };
    })];
}

function steady(text) {
    return text
        .replace(/\(\d+\.\d+ s\)/g, '(0.00 s)')
        .replace(/\b(pid|process) \d+/gi, '$1 N')
        .replace(/^\[\d+ /gm, '[N ')
        .replace(/\d+-\d+-\d+ \d+:\d+:\d+/g, 'DATE TIME');
}

for (const file of files) {
    const [introduction, ...calls] = readWalk(readFileSync(new URL(file, folder), 'utf8'));

    // All results of the chat, on a machine of its own.
    async function play() {
        const chat = { conversation: conversation() };
        try {
            const got = [];
            for (const { tool, lines } of calls) {
                const { text } = await call(tool, readArguments(lines), chat);
                got.push(indent(steady(text).trimEnd()));
            }
            return got;
        } finally {
            await call('reset', {}, chat);
        }
    }

    test(introduction.split('\n')[0].replace(/^# /, ''), async () => {
        let got = await play();
        if (process.env.UPDATE_WALK) {
            writeFileSync(new URL(file, folder), introduction + calls.map(({ said }, i) =>
                `## ${said}\n\n### Result\n\n${got[i]}\n`).join('\n'));
            return;
        }
        // What a hint looks up has to be there within two seconds, or the hint is not said: on a
        // machine that is busy with something else the chat gets another chance.
        for (let again = 0; again < 2 && !calls.every(({ result }, i) => got[i] === result); again++)
            got = await play();
        for (const [i, { result }] of calls.entries())
            assert.equal(got[i], result, `call ${i + 1} of walk/${file}`);
    });
}

test('there are twenty', () => assert.ok(files.length >= 20, `${files.length} files`));
