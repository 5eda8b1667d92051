import { close, open } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { promisify } from 'node:util';
import type { ClockState, Clock } from '../state/clock.ts';
import { damaged, folderError, unusable } from './kept-file.ts';
import type { SignedLinks } from '../state/signed-links.ts';
import { KINDS, type Store, type StoredState } from '../state/store.ts';
import { broughtUpToDate, formOfRecords } from './older-records.ts';

const FILE = 'state.sqlite';

/** State other than records: one of each. */
interface Globals {
	clock: ClockState;
	linkSecret: string;
}

export interface KeptState extends StoredState, Globals {}

interface Parts {
	store: Store;
	clock: Clock;
	links: SignedLinks;
}

/** The folder is of a sandbox whose records this one cannot read. */
export class OlderStateError extends Error {}

/** Puts the state of an older sandbox beside the place where a new one begins. @returns where it is now */
export async function setAside(folder: string): Promise<string> {
	const mark = `older-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
	for (const name of ['uploads', FILE])
		await rename(join(folder, name), join(folder, `${mark}-${name}`)).catch(unlessMissing);
	return join(folder, `${mark}-${FILE}`);
}

function unlessMissing(error: NodeJS.ErrnoException): void {
	if (error.code !== 'ENOENT') throw error;
}

/**
 * Keeps the state in an SQLite database, a row for each record, written when the record changes. What
 * tells of a change, an answer or a webhook, calls `commit` before it leaves the process: so nothing
 * that anyone was told is lost when the process is killed. After a
 * power failure the last changes may be missing, as nothing waits for the disk.
 */
export class StateDatabase {
	readonly #folder: string;
	readonly #database: DatabaseSync;
	readonly #clear: StatementSync;
	readonly #put: StatementSync;
	/** The globals as last written, by name. */
	readonly #globals = new Map<string, string>();

	/** @throws FolderError if the file cannot be used */
	static async open(folder: string): Promise<StateDatabase> {
		// Says more than SQLite what is wrong with it, and keeps tokens from other users.
		const opened = promisify(open)(join(folder, FILE), 'a', 0o600);
		const file = await opened.catch((error: unknown) => {
			throw folderError(folder, FILE, error);
		});
		await promisify(close)(file);
		try {
			return new StateDatabase(folder);
		} catch (error) {
			throw stateError(folder, error);
		}
	}

	private constructor(folder: string) {
		this.#folder = folder;
		this.#database = new DatabaseSync(join(folder, FILE));
		// The folder has one sandbox, and so the file does; then SQLite needs no shared memory.
		this.#database.exec(`
			PRAGMA locking_mode = EXCLUSIVE;
			PRAGMA journal_mode = WAL;
			PRAGMA synchronous = NORMAL;
		`);
		// Rows keep their place when they change: the order is that of creation.
		this.#database.exec(`
			CREATE TABLE IF NOT EXISTS records (
				number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL,
				UNIQUE (kind, id)
			);
		`);
		this.#clear = this.#database.prepare(`DELETE FROM records WHERE kind <> 'global'`);
		this.#put = this.#database.prepare(
			`INSERT INTO records (kind, id, json) VALUES (?, ?, ?)
			ON CONFLICT (kind, id) DO UPDATE SET json = excluded.json`,
		);
	}

	/**
	 * What an earlier run left, or null. Records of an older sandbox are brought up to date.
	 *
	 * @throws FolderError if it is damaged, OlderStateError if that cannot be done
	 */
	read(): KeptState | null {
		const globals: Record<string, unknown> = {};
		const records: Record<string, unknown[]> = Object.fromEntries(KINDS.map((kind) => [kind, []]));
		const form = formOfRecords();
		try {
			const { user_version: kept } = this.#database.prepare('PRAGMA user_version').get() as {
				user_version: number;
			};
			this.#database.exec('BEGIN IMMEDIATE');
			const rows = this.#database.prepare('SELECT kind, id, json FROM records ORDER BY number');
			for (const { kind, id, json } of rows.iterate() as Iterable<Record<string, string>>) {
				const value: unknown = JSON.parse(json!);
				if (kind === 'global') {
					globals[id!] = value;
					this.#globals.set(id!, json!);
				} else records[kind!]?.push(value);
			}
			if (kept !== form) this.#bringUpToDate(records);
			this.#database.exec(`PRAGMA user_version = ${form}; COMMIT`);
		} catch (error) {
			throw error instanceof OlderStateError ? error : stateError(this.#folder, error);
		}
		if (Object.keys(globals).length === 0) return null;
		return { ...globals, ...records } as unknown as KeptState;
	}

	#bringUpToDate(records: Record<string, unknown[]>): void {
		for (const kind of KINDS) {
			records[kind] = (records[kind] ?? []).map((kept) => {
				const record = broughtUpToDate(kind, kept);
				if (record === null) throw new OlderStateError();
				this.#put.run(kind, record.id, JSON.stringify(record));
				return record;
			});
		}
	}

	/**
	 * Writes what changed, all of it or nothing; without a change it costs next to nothing.
	 *
	 * @throws FolderError, and keeps the changes for the next time
	 */
	commit({ store, clock, links }: Parts): void {
		// Closed: nobody is told of anything any more.
		if (!this.#database.isOpen) return;
		const { isCleared, records } = store.changes;
		const globals = this.#changedGlobals({
			clock: clock.export(),
			linkSecret: links.secret.toString('base64'),
		});
		if (!isCleared && records.size === 0 && globals.length === 0) return;
		try {
			this.#database.exec('BEGIN IMMEDIATE');
			if (isCleared) this.#clear.run();
			for (const [record, kind] of records) this.#put.run(kind, record.id, JSON.stringify(record));
			for (const [name, json] of globals) this.#put.run('global', name, json);
			this.#database.exec('COMMIT');
		} catch (error) {
			if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
			throw stateError(this.#folder, error);
		}
		store.forgetChanges();
		for (const [name, json] of globals) this.#globals.set(name, json);
	}

	/** May be called again. */
	close(): void {
		if (this.#database.isOpen) this.#database.close();
	}

	#changedGlobals(globals: Globals): Array<[string, string]> {
		return Object.entries(globals)
			.map(([name, value]): [string, string] => [name, JSON.stringify(value)])
			.filter(([name, json]) => this.#globals.get(name) !== json);
	}
}

/** SQLite's own codes, section "Result Codes" of its manual. */
const IN_WORDS: Record<number, string> = {
	8: 'it cannot be written to. Mount it writable',
	10: 'the disk fails. Look at the system’s log',
	13: 'the disk is full. Make room',
	14: 'SQLite cannot open it here. Use a folder on a local disk',
};

function stateError(folder: string, error: unknown): unknown {
	if (error instanceof SyntaxError) return damaged(folder, FILE, error.message, error);
	const {
		code,
		errcode = 0,
		errstr = '',
	} = error as NodeJS.ErrnoException & {
		errcode?: number;
		errstr?: string;
	};
	if (code !== 'ERR_SQLITE_ERROR') return error;
	const reason = IN_WORDS[errcode & 0xff];
	if (reason === undefined) return damaged(folder, FILE, errstr, error);
	return unusable(folder, FILE, reason, error);
}
