// The judge judged: what it takes for a hint, held against the golden results of tests/cases/render,
// and that it can say no.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { parts } from './parts.mjs';
import { complaints } from './verdict.mjs';

function hintsOf(file) {
    if (!fs.existsSync(file))
        return [];
    return [...fs.readFileSync(file, 'utf8').matchAll(/^hint: (.*)$/gm)].map((m) => `[${m[1]}]`);
}

function goldens(dir) {
    for (const name of fs.readdirSync(dir)) {
        const file = path.join(dir, name, 'result.txt');
        if (fs.existsSync(file))
            assert.deepEqual(parts(fs.readFileSync(file, 'utf8').trimEnd()).hints,
                hintsOf(path.join(dir, name, 'call.txt')), name);
    }
}

const text = ['$ python3 list.py', 'exit code 1 (0.02 s)', '', '[1, 2]', '',
    '[Install it: `apt-get install -y jq`.]'].join('\n');
const one = { negative: false, exit: 1, message_names_fix: false, must_contain_any: ['install -y jq'],
    must_not: ['no internet'] };

function refusals() {
    const said = (change, words) =>
        complaints({ ...one, ...change }, { text: words ?? text, isError: true }).wrong;
    assert.deepEqual(said({}), []);
    assert.match(said({}, text.slice(0, text.lastIndexOf('\n\n')))[0], /^said nowhere/);
    assert.match(said({ must_contain_any: ['list\\.py'] })[0], /^said nowhere/);
    assert.match(said({ must_not: ['install'] })[0], /^must not be said/);
    assert.match(said({ negative: true, no_hint: true, must_contain_any: [] })[0], /^a hint where/);
    assert.match(said({ here: '^exit code 0' })[0], /^it does not work here/);
    assert.match(complaints(one, { text, isError: false }).wrong[0], /^the fault did not happen/);
}

export function selftest(renderCases) {
    goldens(renderCases);
    refusals();
}
