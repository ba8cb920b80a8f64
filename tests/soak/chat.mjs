// One chat of the soak: it does mixed work and remembers of everything what it was told, so that in the
// end the machine's files and the record can be held against it.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { beginCall, responseOf, result } from '../e2e/lib/mcp.mjs';

// What became of a call, as its answer tells it.
export const DONE = 'done';         // it ran, this is its result
export const REFUSED = 'refused';   // "Nothing was run"
export const UNKNOWN = 'unknown';   // no answer, or one that says that it cannot tell

export class Chat {
    constructor(to, key) {
        this.options = { to, key, conversation: randomUUID(), timeoutMs: 120_000 };
        this.number = 0;
        this.lines = new Map();     // line -> what became of the call that adds it
        this.answers = [];          // texts of results
        this.told = { [DONE]: 0, [REFUSED]: 0, [UNKNOWN]: 0 };
        this.now = null;            // the exchange under way
        this.wrong = [];            // promises broken, in words
    }

    // Calls a tool; { state, text, exitCode }.
    async call(tool, args) {
        const exchange = beginCall(tool, args, this.options);
        this.now = exchange;
        let seen = { state: UNKNOWN, text: '', exitCode: null };
        try {
            await exchange.done;
            if (exchange.status === 200) {
                const { text, exitCode, isError } = result(responseOf(exchange).result);
                this.answers.push(text);
                const refused = isError && /nothing was run/i.test(text);
                seen = { text, exitCode,
                    state: refused ? REFUSED : exitCode === null && isError ? UNKNOWN : DONE };
            } else if (/nothing was run/i.test(exchange.text)) {
                seen.state = REFUSED;
            }
        } catch (e) {
            if (e instanceof assert.AssertionError)
                this.wrong.push(`an answer without form: ${e.message.slice(0, 300)}`);
        }
        this.now = null;
        this.told[seen.state] += 1;
        return seen;
    }

    async append() {
        const line = `line-${this.number += 1}-${this.options.conversation.slice(0, 8)}`;
        this.lines.set(line, UNKNOWN);
        const seen = await this.call('run', { command: `echo ${line} >> /work/log; echo ${line}` });
        if (seen.state !== DONE || seen.exitCode === 0)
            this.lines.set(line, seen.state);
        if (seen.state === DONE && seen.exitCode === 0 && !seen.text.includes(`\n${line}`))
            this.wrong.push(`the output of ${line} is another: ${seen.text}`);
    }

    // The file holds every line that was confirmed, and each line once; none that was refused.
    compare(content) {
        const counts = new Map();
        for (const line of content.split('\n').filter(Boolean))
            counts.set(line, (counts.get(line) ?? 0) + 1);
        for (const [line, count] of counts)
            if (count > 1)
                this.wrong.push(`${line} was carried out ${count} times`);
            else if (!this.lines.has(line))
                this.wrong.push(`${line} was never asked for`);
        for (const [line, state] of this.lines)
            if (state === DONE && !counts.has(line))
                this.wrong.push(`${line} was confirmed and is not there`);
            else if (state === REFUSED && counts.has(line))
                this.wrong.push(`${line}: "nothing was run", and it is there`);
    }

    async file() {
        const content = randomUUID().repeat(4000);
        const sum = createHash('sha256').update(content).digest('hex');
        const wrote = await this.call('write_file', { path: 'big', content });
        if (wrote.state !== DONE)
            return;
        const seen = await this.call('run', { command: 'sha256sum big' });
        if (seen.state === DONE && seen.exitCode === 0 && !seen.text.includes(sum))
            this.wrong.push(`big is another file: ${seen.text}`);
    }

    async program() {
        const [a, b] = [Math.floor(Math.random() * 1e6), Math.floor(Math.random() * 1e6)];
        const seen = await this.call('run_code', { language: 'python', code: 'print(sum(map(int, input().split())))',
            input: `${a} ${b}\n`, expected: `${a + b}\n` });
        if (seen.state === DONE && seen.exitCode === 0 && !/^PASS/m.test(seen.text))
            this.wrong.push(`a right program did not pass: ${seen.text}`);
    }

    async much() {
        const seen = await this.call('run', { command: 'seq 60000; exit 7' });
        if (seen.state === DONE && seen.exitCode !== null && seen.exitCode !== 7
            && seen.exitCode < 128)
            this.wrong.push(`exit code 7 came as ${seen.exitCode}`);
    }

    async step() {
        const dice = Math.random();
        if (dice < 0.6)
            await this.append();
        else if (dice < 0.75)
            await this.program();
        else if (dice < 0.87)
            await this.much();
        else
            await this.file();
    }
}
