// corpus.mjs [ID...] - plays every case on a running stack and reports in TAP. See README.md.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCases } from './lib/cases.mjs';
import { absent, play } from './lib/machine.mjs';
import { selftest } from './lib/selftest.mjs';
import { complaints } from './lib/verdict.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const jobs = Number(process.env.CORPUS_JOBS || 3);
const failures = process.env.CORPUS_FAILURES; // a file for what failed

let count = 0;
const told = { passed: [], failed: [], elsewhere: [], silent: 0, negatives: 0, failing: [],
    times: [] };

const slowness = (cases) => Math.max(...cases.map((one) => one.timeout_s ?? 0)) + 3 * cases.length;
const indent = (text) => text.split('\n').map((line) => `#    ${line}`).join('\n');

function say(good, one, details) {
    console.log(`${good ? 'ok' : 'not ok'} ${++count} - ${one.id}: ${one.family}, ${one.kind}`);
    if (good)
        return;
    console.log(indent(details));
    told.failing.push(`== ${one.id} (${one.family}, ${one.kind})\n${details}\n`);
}

// An answer in brackets that no rule of the record stands for; the memory's sentence has no rule.
function unrecorded({ hints }, rules) {
    const extra = hints.length - rules.length;
    return extra < 0 || extra > 1
        ? [`the record names ${rules.length} rules, the result has ${hints.length} sentences`] : [];
}

function details(one, wrong, seen) {
    return [`call: ${one.tool} ${JSON.stringify(one.call)}`, ...wrong.map((w) => `wrong: ${w}`),
        `truth: ${one.truth}`, `next step: ${one.next_step}`,
        ...(seen.result ? [`rules: ${seen.rules.join(' ') || '(none)'}`, 'result:',
            ...seen.result.text.split('\n').map((line) => `| ${line}`)] : [])].join('\n');
}

function judge(one, seen) {
    if (seen instanceof Error)
        return { wrong: [seen.message], bracketed: null };
    const verdict = complaints(one, seen.result);
    return { ...verdict, wrong: [...verdict.wrong, ...unrecorded(verdict, seen.rules)] };
}

function report(one, seen) {
    const { wrong, bracketed } = judge(one, seen);
    const good = wrong.length === 0;
    told.negatives += one.negative;
    told.times.push({ id: one.id, s: Math.round((seen.ms ?? 0) / 1000) });
    told.silent += one.negative && bracketed?.length === 0;
    if (good && one.here !== undefined)
        told.elsewhere.push(one.id);
    (good ? told.passed : told.failed).push(one.id);
    say(good, one, details(one, wrong, seen));
}

selftest(path.join(here, '../cases/render'));
const all = readCases(here);
const wanted = process.argv.slice(2);
for (const id of wanted)
    if (!all.some((one) => one.id === id))
        throw new Error(`there is no case ${id}`);
// A case that takes minutes is played when it is named, or with all of them.
const isLeftForLater = (one) => one.slow && !process.env.CORPUS_ALL;
const chosen = all.filter((one) => (wanted.length > 0 ? wanted.includes(one.id) : !isLeftForLater(one)));
const lacking = await absent(new Set(chosen.flatMap((one) => one.needs ?? []))).catch((fault) => {
    console.log(`Bail out! The stack does not work: ${fault.message}`);
    process.exit(1);
});
const lacks = (one) => (one.needs ?? []).filter((word) => lacking.has(word));
const left = chosen.filter((one) => lacks(one).length > 0);
// Cases that name the same machine share it; the others have one each.
const groups = new Map();
for (const one of chosen)
    if (!left.includes(one))
        groups.set(one.machine ?? one.id, [...groups.get(one.machine) ?? [], one]);
// The slow ones first, so that no chat ends long after the others.
const queue = [...groups.values()].sort((a, b) => slowness(b) - slowness(a));
const began = Date.now();
console.log('TAP version 13');
await Promise.all(Array.from({ length: jobs }, async () => {
    while (queue.length > 0)
        await play(queue.shift(), report);
}));
if (failures)
    fs.writeFileSync(failures, told.failing.join('\n'));
console.log(`1..${count}`);
if (wanted.length === 0 && all.length > chosen.length)
    console.log(`# takes minutes, played with CORPUS_ALL=1: ${all.filter(isLeftForLater)
        .map(({ id }) => id).join(' ')}`);
for (const one of left)
    console.log(`# not in this image: ${one.id} (${lacks(one).join(', ')})`);
console.log(`# slowest: ${told.times.sort((a, b) => b.s - a.s).slice(0, 8)
    .map(({ id, s }) => `${id} ${s} s`).join(', ')}`);
if (told.elsewhere.length)
    console.log(`# does not happen here: ${told.elsewhere.join(' ')}`);
if (told.failed.length)
    console.log(`# failed: ${told.failed.join(' ')}`);
console.log(`# ${told.passed.length} pass, ${told.failed.length} fail, ${left.length} not in this image, `
    + `${told.elsewhere.length} do not happen here, negatives silent ${told.silent} of ${told.negatives} `
    + `(${Math.round((Date.now() - began) / 1000)} s)`);
process.exitCode = told.failed.length === 0 && count > 0 ? 0 : 1;
