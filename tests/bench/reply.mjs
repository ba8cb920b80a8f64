// What backtalk-reply adds to a model server's stream, against plain nginx before the same server, in one
// run and in turns: time to the first token, chunks a second, with and without a program in the turn.
import { parseArgs } from 'node:util';
import http from 'node:http';
import { front } from '../e2e/lib/front.mjs';
import { converse, leave } from '../reply/lib/chat.mjs';
import { call, chunks, EVENTS, eventStream, say, script, start, tokens } from '../reply/lib/model.mjs';
import { percentile } from './lib.mjs';

const { values: args } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } });
const rounds = Number(args.rounds);
const CHUNKS = 5000;
const here = new URL(process.env.BACKTALK_URL);
const server = new URL(process.env.BACKTALK_UPSTREAM);

// One request; ms to the first byte of the body, ms to its end, bytes.
function stream(port, body, chat, agent) {
    return new Promise((resolve, reject) => {
        const begun = process.hrtime.bigint();
        const ms = () => Number(process.hrtime.bigint() - begun) / 1e6;
        const got = { first: 0, bytes: 0 };
        const text = JSON.stringify(body);
        const request = http.request({ host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST', agent,
            headers: { Authorization: `Bearer ${process.env.BACKTALK_KEY}`, 'Content-Type': 'application/json',
                'Content-Length': Buffer.byteLength(text), 'X-Conversation-Id': chat } }, (response) => {
            response.on('data', (bytes) => {
                got.first ||= ms();
                got.bytes += bytes.length;
            });
            response.on('end', () => (response.statusCode === 200 ? resolve({ ...got, whole: ms() })
                : reject(new Error(`status ${response.statusCode}`))));
            response.on('error', reject);
        });
        request.on('error', reject);
        request.end(text);
    });
}

const model = await start();
const freePort = 20000 + process.pid % 10000;
const plain = await front(freePort, 'bench', server.origin);
const { chat, messages } = await converse(script(call(['run_code', { language: 'python', code: 'print(1)' }]),
    say('.')));
const short = eventStream(chunks(tokens('Hello.')));
const long = eventStream(chunks(Array(CHUNKS).fill('word ')));
const answer = (text) => script((_, response) => {
    response.writeHead(200, EVENTS);
    response.end(text);
});
const ways = {
    'plain nginx': [freePort, [{ role: 'user', content: 'x' }]],
    'backtalk-reply, no program': [here.port, [{ role: 'user', content: 'x' }]],
    'backtalk-reply, a program': [here.port, messages],
};
const seen = Object.fromEntries(Object.keys(ways).map((w) => [w, { first: [], rate: [] }]));
const agents = Object.fromEntries(Object.keys(ways).map((w) =>
    [w, new http.Agent({ keepAlive: true, maxSockets: 1 })]));
for (let round = -5; round < rounds; round++)
    for (const [way, [port, list]] of Object.entries(ways)) {
        const { first } = await stream(port, { model: answer(short), stream: true, messages: list }, chat,
            agents[way]);
        if (round >= 0)
            seen[way].first.push(first);
    }
for (let round = 0; round < Math.max(3, rounds / 20); round++)
    for (const [way, [port, list]] of Object.entries(ways)) {
        const { whole } = await stream(port, { model: answer(long), stream: true, messages: list }, chat,
            agents[way]);
        seen[way].rate.push(CHUNKS / whole * 1000);
    }
await leave(chat);
await plain.stop();
await model.stop();
Object.values(agents).forEach((agent) => agent.destroy());

const p50 = (way, what) => percentile(seen[way][what], 0.5);
const bare = p50('plain nginx', 'first');
let good = true;
for (const way of Object.keys(ways)) {
    const added = p50(way, 'first') - bare, share = p50(way, 'rate') / p50('plain nginx', 'rate');
    console.log(`${way.padEnd(28)} first byte p50 ${p50(way, 'first').toFixed(2).padStart(6)} ms`
        + `  (+${added.toFixed(2)})   ${Math.round(p50(way, 'rate')).toString().padStart(8)} chunks/s`
        + `  (${share.toFixed(2)} of plain)`);
    // on a busy machine each process in between waits for its turn: what plain nginx takes is the measure
    good &&= added < Math.max(1, 3 * bare) && p50(way, 'rate') >= 2000;
}
console.log(`goal: less than 1 ms more (on a busy machine: three times plain nginx) and 2000 chunks/s: ${good ? 'reached'
    : 'missed'}`);
process.exitCode = good ? 0 : 1;
