// Where a program is: on PATH, or where Debian puts what only root starts.
import fs from 'node:fs';
import path from 'node:path';

export function which(name) {
    for (const dir of [...process.env.PATH.split(':'), '/usr/sbin', '/sbin']) {
        const file = path.join(dir, name);
        try {
            fs.accessSync(file, fs.constants.X_OK);
            return file;
        } catch {
            // not here
        }
    }
    throw new Error(`${name} is not installed`);
}
