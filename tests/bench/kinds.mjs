// Kinds of calls beside the warm one, each against the same work asked of the Engine's API directly,
// in turns within one run: a table of ratios. --only NAME, --rounds N, --chats N (for the mixed round).
import { parseArgs } from 'node:util';
import { Chat, Engine, percentile, timed } from './lib.mjs';
import { execute, plainContainer } from './plain.mjs';

const { values: args } = parseArgs({ options: {
    rounds: { type: 'string', default: '10' },
    chats: { type: 'string', default: '32' },
    only: { type: 'string' },
} });
const rounds = Number(args.rounds);
const MIB = 'x'.repeat(1023).concat('\n').repeat(1024);
const TEN_MB = 'yes 0123456789012345678901234567890123456789 | head -c 10000000';
// The Engine's side compiles it without the precompiled header: another header comes first there.
const C_PLUS_PLUS = '#include <bits/stdc++.h>\nint main() { std::cout << std::string("hi") << "\\n"; }\n';

const sh = (command) => ['bash', '-c', command];

// A machine of Backtalk's and a plain container of the same image and limits.
async function lane() {
    const chat = new Chat();
    const engine = new Engine();
    const machine = await engine.machineOf(chat);
    return { chat, engine, machine, plain: await plainContainer(engine, machine) };
}

async function close({ chat, engine, plain }) {
    await engine.ask('DELETE', `/containers/${plain}?force=1`);
    await chat.close();
    engine.close();
}

const code = (language, text, expected) => (l) =>
    l.chat.tool('run_code', { language, code: text, expected });

// name: what Backtalk does, what the Engine does; before: what is not timed.
const kinds = {
    'first call of a new chat': {
        ours: async (l) => {
            l.made = new Chat();
            await l.made.run('true');
        },
        theirs: async (l) => {
            l.other = await plainContainer(l.engine, l.machine);
            await execute(l.engine, l.other, ['true']);
        },
        after: async (l) => {
            await l.made.close();
            await l.engine.ask('DELETE', `/containers/${l.other}?force=1`);
        },
    },
    'resume of a stopped machine': {
        before: async (l) => {
            await l.engine.ask('POST', `/containers/${l.machine.Id}/stop?t=0`);
            await l.engine.ask('POST', `/containers/${l.plain}/stop?t=0`);
        },
        ours: (l) => l.chat.run('true'),
        theirs: (l) => l.engine.ask('POST', `/containers/${l.plain}/start`),
    },
    'write_file, 1 MiB': {
        ours: (l) => l.chat.tool('write_file', { path: 'big.txt', content: MIB }),
        theirs: (l) => l.engine.put(l.plain, '/work', 'big.txt', MIB),
    },
    'run, 10 MB of output': {
        ours: (l) => l.chat.run(TEN_MB),
        theirs: (l) => execute(l.engine, l.plain, sh(TEN_MB)),
    },
    'run_code python': {
        ours: code('python', 'print(6 * 7)\n', '42'),
        theirs: (l) => execute(l.engine, l.plain,
            sh('echo "print(6 * 7)" > main.py; python3 main.py')),
    },
    'run_code c++, bits/stdc++.h': {
        ours: code('c++', C_PLUS_PLUS, 'hi'),
        theirs: (l) => execute(l.engine, l.plain, sh(`cat > main.cpp <<'END'
${C_PLUS_PLUS}END
g++ -std=gnu++20 -O2 -Wall -include cstddef -o main main.cpp && ./main`)),
    },
};

function line(name, ours, theirs) {
    const p50 = (list) => percentile(list, 0.5);
    const cell = (ms) => `${ms.toFixed(0)} ms`.padStart(9);
    console.log(`${name.padEnd(30)} ${cell(p50(ours))} ${cell(p50(theirs))}   ratio `
        + `${(p50(ours) / p50(theirs)).toFixed(2)}`);
}

async function measure(name, kind) {
    const l = await lane();
    const ours = [];
    const theirs = [];
    try {
        for (let round = -1; round < rounds; round++) {
            await kind.before?.(l);
            const a = await timed(() => kind.ours(l));
            const b = await timed(() => kind.theirs(l));
            await kind.after?.(l);
            if (round >= 0) {
                ours.push(a);
                theirs.push(b);
            }
        }
    } finally {
        await close(l);
    }
    line(name, ours, theirs);
}

// Many chats at once, each: write a program, run it twice, look at the folder.
async function mixed(count) {
    const program = 'print(sum(i * i for i in range(200000)))\n';
    const lanes = await Promise.all(Array.from({ length: count }, lane));
    try {
        const ours = await timed(() => Promise.all(lanes.map(async ({ chat }) => {
            await chat.tool('write_file', { path: 'sum.py', content: program });
            await chat.run('python3 sum.py');
            await chat.tool('run_code', { language: 'python', code: program });
            await chat.run('ls -l');
        })));
        const theirs = await timed(() => Promise.all(lanes.map(async ({ engine, plain }) => {
            await engine.put(plain, '/work', 'sum.py', program);
            await execute(engine, plain, sh('python3 sum.py'));
            await execute(engine, plain, sh('python3 sum.py'));
            await execute(engine, plain, sh('ls -l'));
        })));
        line(`mixed round, ${count} chats at once`, [ours], [theirs]);
    } finally {
        await Promise.all(lanes.map(close));
    }
}

console.log(`${'p50'.padEnd(30)} ${'Backtalk'.padStart(9)} ${'Engine'.padStart(9)}`);
for (const [name, kind] of Object.entries(kinds))
    if (!args.only || name.includes(args.only))
        await measure(name, kind);
if (!args.only || 'mixed'.includes(args.only))
    await mixed(Number(args.chats));
