// relay.mjs LISTEN TARGET - passes bytes between two unix sockets and misbehaves on command.
// Started with an IPC channel by side.mjs; commands are { mode, ... }, each answered with
// { done: true }:
//   pass                      as if it were not there (also lets go of what was held)
//   refuse                    nobody listens, what was connected is cut
//   hang                      connections are taken, nothing passes any more
//   answer, text              whoever asks gets this text and is closed
//   hold, after               passes `after` bytes towards the target, then holds the rest;
//                             { held: true } is sent when it does
// The beginning of each piece that goes to the target is told as { passed: TEXT }.
import fs from 'node:fs';
import net from 'node:net';

const TOLD_BYTES = 2048;
const [, , listenPath, targetPath] = process.argv;
const pairs = new Set();
let mode = { mode: 'pass' };

class Pair {
    constructor(client) {
        this.client = client;
        this.target = null;
        this.queues = { up: [], down: [] };
        this.passed = 0;
        pairs.add(this);
        client.on('error', () => {});
        client.on('close', () => this.end());
        client.on('data', (bytes) => this.take('up', bytes));
        if (mode.mode !== 'answer')
            this.connect();
    }

    connect() {
        this.target = net.connect(targetPath);
        this.target.on('error', () => {});
        this.target.on('close', () => this.end());
        this.target.on('data', (bytes) => this.take('down', bytes));
    }

    take(way, bytes) {
        if (mode.mode === 'answer') {
            this.client.end(mode.text);
            return;
        }
        this.queues[way].push(bytes);
        this.flush();
    }

    // How many bytes may go towards the target now.
    allowance() {
        if (mode.mode === 'hang')
            return 0;
        return mode.mode === 'hold' ? mode.after - this.passed : Infinity;
    }

    flush() {
        while (this.queues.up.length > 0) {
            const bytes = this.queues.up[0];
            const room = this.allowance();
            if (room < bytes.length) {
                if (room > 0) {
                    this.target.write(bytes.subarray(0, room));
                    this.passed += room;
                    this.queues.up[0] = bytes.subarray(room);
                }
                if (mode.mode === 'hold')
                    process.send({ held: true });
                break;
            }
            this.target.write(bytes);
            this.passed += bytes.length;
            process.send({ passed: bytes.subarray(0, TOLD_BYTES).toString('latin1') });
            this.queues.up.shift();
        }
        while (mode.mode !== 'hang' && this.queues.down.length > 0)
            this.client.write(this.queues.down.shift());
    }

    // The other side gets what is still on its way, unless it is being held.
    end() {
        if (!pairs.delete(this))
            return;
        this.client.end();
        this.target?.end();
    }

    cut() {
        pairs.delete(this);
        this.client.destroy();
        this.target?.destroy();
    }
}

const server = net.createServer({ allowHalfOpen: false }, (client) => new Pair(client));

const commands = {
    pass: () => listen(),
    hang: () => listen(),
    hold: () => listen(),
    answer: () => listen(),
    refuse: () => new Promise((resolve) => {
        if (!server.listening) {
            resolve();
            return;
        }
        server.close(resolve);
        for (const pair of pairs)
            pair.cut();
        fs.rmSync(listenPath, { force: true });
    }),
};

function listen() {
    return new Promise((resolve, reject) => {
        const ready = () => {
            fs.chmodSync(listenPath, 0o777);
            resolve();
        };
        if (server.listening) {
            ready();
            return;
        }
        fs.rmSync(listenPath, { force: true });
        server.once('error', reject);
        server.listen(listenPath, ready);
    });
}

process.on('message', async (command) => {
    mode = command;
    for (const pair of pairs)
        pair.passed = 0;
    await commands[command.mode]();
    for (const pair of pairs)
        pair.flush();
    process.send({ done: true });
});
process.on('disconnect', () => process.exit(0));
