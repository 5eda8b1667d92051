// A receiver as on a machine of its own whose network disk has no locks: for SQLite no lock is ever taken,
// and the machine has another name.
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import sqlite from 'node:sqlite';

sqlite.DatabaseSync = class extends sqlite.DatabaseSync {
	constructor(file, ...options) {
		super(`file:${encodeURI(file)}?vfs=unix-none`, ...options);
	}
};
os.hostname = () => process.env.MACHINE;
syncBuiltinESMExports();
