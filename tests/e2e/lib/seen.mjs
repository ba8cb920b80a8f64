// A notebook of every result a client was given, so that the audit at the end can hold the record
// against it. One JSON line per result, appended: the test files are processes of their own.
import fs from 'node:fs';

const path = process.env.BACKTALK_E2E_SEEN;

export function note({ conversation } = {}, text) {
    if (path && conversation)
        fs.appendFileSync(path, `${JSON.stringify({ conversation, text })}\n`);
}

export function notes() {
    if (!path || !fs.existsSync(path))
        return [];
    return fs.readFileSync(path, 'utf8').split('\n').filter(Boolean).map((l) => JSON.parse(l));
}
