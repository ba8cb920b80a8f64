// The rows of languages.json that the running stack offers, and the test programs of each.
import fs from 'node:fs';
import path from 'node:path';
import { begin, responseOf } from '../../e2e/lib/mcp.mjs';

const here = path.dirname(new URL(import.meta.url).pathname);
const rows = JSON.parse(fs.readFileSync(path.join(here, '../../../sandbox-image/languages.json'), 'utf8'));
const programs = path.join(here, '../languages');

export const allRows = rows;
export const folders = fs.readdirSync(programs);

export function program(row, name) {
    return fs.readFileSync(path.join(programs, row.id, name), 'utf8');
}

// run_code's schema names what the machine has.
export async function offered(conversation) {
    const exchange = begin('tools/list', {}, { conversation });
    await exchange.done;
    const { tools } = responseOf(exchange).result;
    const { description } = tools.find(({ name }) => name === 'run_code').inputSchema.properties.language;
    const ids = new Set(description.split(/[^a-z0-9+#-]+/));
    return rows.filter(({ id }) => ids.has(id));
}
