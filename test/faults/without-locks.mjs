// A receiver as on a machine of its own whose network disk has no locks: for SQLite no lock is ever taken,
// and the machine has another name.
import { createRequire, syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

// Required: the exports of `node:sqlite` are settled once it was imported.
const sqlite = createRequire(import.meta.url)('node:sqlite');

sqlite.DatabaseSync = class extends sqlite.DatabaseSync {
	constructor(file, ...options) {
		super(`file:${encodeURI(file)}?vfs=unix-none`, ...options);
	}
};
os.hostname = () => process.env.MACHINE;
syncBuiltinESMExports();
