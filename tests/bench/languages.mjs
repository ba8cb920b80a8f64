// Time and memory of a small program in every language of the running stack's machine: compile and run
// as run_code says, the largest process as the record says. --rounds N: the median of so many. Ends with 1
// when a language does not fit into the machine's memory. Then what the precompiled C++ header saves.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { allRows, offered, program } from '../image/lib/languages.mjs';
import { Chat, percentile } from './lib.mjs';

const { values: args } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const MIB = 1 << 20;
const chat = new Chat();

const peakOf = (conversation) => Number(execFileSync('psql', ['-XAtc', 'select peak_bytes from backtalk.calls '
    + `where conversation = '${conversation}' order by id desc limit 1`], { encoding: 'utf8' }));

async function once(row) {
    const { content: [{ text }] } = await chat.ask('tools/call', { name: 'run_code', arguments: {
        language: row.id, code: program(row, 'stdin'), input: '1 2 3\n4', expected: '10' } });
    const seconds = [...text.matchAll(/^.*\(([\d.]+) s\)$/mg)].map(([, s]) => Number(s));
    return { passed: /^PASS/m.test(text), seconds, peak: peakOf(chat.conversation), text };
}

let failed = 0;
const rows = await offered(chat.conversation);
console.log('language     compile s   run s   peak MiB');
for (const row of rows) {
    const rounds = [];
    for (let i = 0; i < Number(args.rounds); i++)
        rounds.push(await once(row));
    const median = (pick) => percentile(rounds.map(pick), 0.5)?.toFixed(2) ?? '-';
    const peak = Math.max(...rounds.map((round) => round.peak)) / MIB;
    const fits = rounds.every((round) => round.passed) && peak <= 256;
    failed += fits ? 0 : 1;
    console.log(row.id.padEnd(12)
        + (row.compile ? median(({ seconds }) => seconds[0]) : '').padStart(10)
        + median(({ seconds }) => seconds.at(-1)).padStart(8)
        + peak.toFixed(0).padStart(11) + (fits ? '' : '   does not fit'));
}

const { compile } = allRows.find(({ id }) => id === 'cpp');
const flags = compile.filter((word) => word.startsWith('-') && word !== '-o').join(' ');
await chat.tool('write_file', { path: 'all.cpp', content: program({ id: 'cpp' }, 'stdin') });
async function compiling(more) {
    const { content: [{ text }] } = await chat.ask('tools/call',
        { name: 'run', arguments: { command: `g++ ${flags} ${more} -o all all.cpp` } });
    return /^Out of memory/m.test(text) ? 'out of memory' : `${/\(([\d.]+) s\)$/m.exec(text)[1]} s`;
}
await compiling('');
// Any macro that the header mentions makes the precompiled one unfit.
console.log(`C++ with bits/stdc++.h: ${await compiling('')}; without the precompiled header: `
    + await compiling('-DNDEBUG'));
await chat.close();
console.log(`goal: every language in 256 MiB: ${failed === 0 ? 'reached' : `${failed} do not fit`}`);
process.exitCode = failed === 0 ? 0 : 1;
