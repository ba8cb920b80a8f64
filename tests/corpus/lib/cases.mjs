// The cases: one JSON object a line (README.md has the fields).
import fs from 'node:fs';
import path from 'node:path';

const TEXTS = ['id', 'area', 'family', 'kind', 'source', 'source_kind', 'image', 'tool',
    'stdout_excerpt', 'stderr_excerpt', 'what_model_does_wrong', 'truth', 'next_step'];
const LISTS = ['setup', 'must_contain_any', 'must_not'];
const TOOLS = ['run', 'run_code', 'write_file'];

function check(one) {
    for (const key of TEXTS)
        if (typeof one[key] !== 'string')
            throw new Error(`${key} is no text`);
    for (const key of LISTS)
        if (!Array.isArray(one[key]) || one[key].some((item) => typeof item !== 'string'))
            throw new Error(`${key} is no list of texts`);
    for (const text of [...one.must_contain_any, ...one.must_not, one.here ?? ''])
        new RegExp(text, 'im');
    if (!TOOLS.includes(one.tool))
        throw new Error(`there is no tool ${one.tool}`);
    if (typeof one.negative !== 'boolean' || (one.negative && typeof one.no_hint !== 'boolean'))
        throw new Error('negative and no_hint must be true or false');
    if (!one.negative && one.must_contain_any.length === 0)
        throw new Error('a case that is not negative needs must_contain_any');
}

// All cases of the *.jsonl files of a directory, their form checked, ids unique.
export function readCases(dir) {
    const cases = new Map();
    for (const file of fs.readdirSync(dir).filter((name) => name.endsWith('.jsonl')).sort()) {
        const lines = fs.readFileSync(path.join(dir, file), 'utf8').split('\n');
        lines.forEach((line, i) => {
            if (line === '')
                return;
            try {
                const one = JSON.parse(line);
                check(one);
                if (cases.has(one.id))
                    throw new Error(`${one.id} is there already`);
                cases.set(one.id, one);
            } catch (fault) {
                throw new Error(`${file}:${i + 1}: ${fault.message}`);
            }
        });
    }
    return [...cases.values()];
}
