// The record, asked with psql as PGHOST, PGPORT, PGDATABASE and PGUSER say.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const exec = promisify(execFile);

// Rows of a query as objects. Values go in as psql variables: write :'name' in the query.
export async function rows(query, values = {}) {
    const set = Object.entries(values).flatMap(([name, value]) => ['-v', `${name}=${value}`]);
    const child = exec('psql', ['-XAtq', '-v', 'ON_ERROR_STOP=1', ...set],
        { maxBuffer: 1 << 28, env: { ...process.env, PGCONNECT_TIMEOUT: '10' } });
    child.child.stdin.end(`select coalesce(json_agg(q), '[]') from (${query}) q;\n`);
    const { stdout } = await child;
    return JSON.parse(stdout);
}

// The container of a chat of the test's own member.
export async function containerOf(conversation) {
    const found = await rows(`select container from backtalk.sandbox
        where conversation = :'conversation' and state <> 'removed'`, { conversation });
    if (found.length !== 1)
        throw new Error(`${found.length} machines for chat ${conversation}`);
    return found[0].container;
}

// A key of another member.
export async function newMember(name) {
    await rows(`select backtalk.new_member(:'name')
        where not exists (select from backtalk.member where member.name = :'name')`, { name });
    const [{ key }] = await rows('select backtalk.new_key(:\'name\', \'e2e\') as key', { name });
    return key;
}

// How many calls wait in line for a chat: sessions of this database that wait for a lock.
export async function waiting() {
    const [{ count }] = await rows(`select count(*)::int from pg_locks where not granted
        and locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`);
    return count;
}
