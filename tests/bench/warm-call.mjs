// A warm `run true` through nginx against a raw API `docker exec` of `true` into a container of the
// same image, in the same run, one kind after the other in turns. Prints p50, p99 and the ratio.
import { parseArgs } from 'node:util';
import { Chat, Engine, percentile, timed } from './lib.mjs';
import { execute, plainContainer } from './plain.mjs';

const { values: args } = parseArgs({ options: {
    rounds: { type: 'string', default: '150' },
    chats: { type: 'string', default: '1,8' },
} });
const rounds = Number(args.rounds);
const WARM_ROUNDS = 5;

async function measure(count) {
    const lanes = [];
    try {
        for (let i = 0; i < count; i++) {
            const lane = { chat: new Chat(), engine: new Engine() };
            lanes.push(lane);
            const machine = await lane.engine.machineOf(lane.chat);
            lane.plain = await plainContainer(lane.engine, machine);
        }
        const kinds = {
            'run true': (lane) => lane.chat.run('true'),
            'docker exec true': (lane) => execute(lane.engine, lane.plain, ['true']),
            'refused call': (lane) => lane.chat.ask('tools/call', { name: 'run', arguments: {} }),
            ping: (lane) => lane.chat.ask('ping'),
            'start of a running machine': (lane) =>
                lane.engine.ask('POST', `/containers/${lane.plain}/start`),
        };
        const times = Object.fromEntries(Object.keys(kinds).map((k) => [k, []]));
        for (let round = -WARM_ROUNDS; round < rounds; round++)
            for (const [kind, work] of Object.entries(kinds)) {
                const ms = await Promise.all(lanes.map((lane) => timed(() => work(lane))));
                if (round >= 0)
                    times[kind].push(...ms);
            }
        return times;
    } finally {
        for (const lane of lanes) {
            if (lane.plain)
                await lane.engine.ask('DELETE', `/containers/${lane.plain}?force=1`);
            await lane.chat.close();
            lane.engine.close();
        }
    }
}

let worst = 0;
for (const count of args.chats.split(',').map(Number)) {
    const times = await measure(count);
    console.log(`${count} ${count === 1 ? 'chat' : 'chats at once'}, ${rounds} rounds`);
    for (const [kind, ms] of Object.entries(times))
        console.log(`  ${kind.padEnd(28)} p50 ${percentile(ms, 0.5).toFixed(1).padStart(7)} ms`
            + `   p99 ${percentile(ms, 0.99).toFixed(1).padStart(7)} ms`);
    // A refused call is recorded like any other and never reaches the engine.
    const p50 = (kind) => percentile(times[kind], 0.5);
    const parts = {
        'client, nginx, worker, key': p50('ping'),
        'the record: begin and end': p50('refused call') - p50('ping'),
        'gate, attach, start, agent, bash': p50('run true') - p50('refused call'),
    };
    console.log(`  of that: ${Object.entries(parts).map(([what, ms]) =>
        `${what} ${ms.toFixed(1)} ms`).join('; ')}`);
    const ratio = (share) => percentile(times['run true'], share)
        / percentile(times['docker exec true'], share);
    console.log(`  run / exec                   p50 ${ratio(0.5).toFixed(2).padStart(7)}   `
        + `   p99 ${ratio(0.99).toFixed(2).padStart(7)}`);
    worst = Math.max(worst, ratio(0.5));
}
console.log(`goal: p50 at most 0.25 of exec: ${worst <= 0.25 ? 'reached' : 'missed'}`);
process.exitCode = worst <= 0.25 ? 0 : 1;
