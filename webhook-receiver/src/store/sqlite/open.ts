import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's result code when another connection holds the lock. */
const SQLITE_BUSY = 5;

/**
 * One file serves one process. SQLite keeps the file sound; commits are brought to disk
 * by `WriteAheadLog`.
 */
export function openExclusively(file: string): DatabaseSync {
	mkdirSync(dirname(file), { recursive: true });
	createPrivately(file);
	const database = new DatabaseSync(file);
	try {
		database.exec(`
			PRAGMA locking_mode = EXCLUSIVE;
			PRAGMA journal_mode = WAL;
			PRAGMA synchronous = NORMAL;
			PRAGMA temp_store = MEMORY;
			PRAGMA secure_delete = ON;
			BEGIN EXCLUSIVE; COMMIT;
		`);
		return database;
	} catch (error) {
		database.close();
		if ((error as { errcode?: number }).errcode === SQLITE_BUSY) {
			const reason = 'it is in use by another receiver. One file serves one process.';
			throw new Error(reason, { cause: error });
		}
		throw error;
	}
}

/**
 * The file holds letters' data, so only its owner may read it. An existing file is left alone:
 * opening and closing it here would drop a lock that this very process holds on it.
 */
export function createPrivately(file: string): void {
	try {
		closeSync(openSync(file, 'wx', 0o600));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
	}
}
