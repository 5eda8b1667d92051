import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FolderError, folderError } from './kept-file.ts';

const HOLDER = 'holder.json';
/** SQLite's code for a file that another connection has locked. */
const BUSY = 5;

/** Keeps a folder for one sandbox: two would overwrite each other's state. */
export interface FolderLock {
	/** Records who uses the folder, for the error message of others. */
	tell(url: string): Promise<void>;
	/** May be called again. */
	release(): Promise<void>;
}

/** Another sandbox uses the folder. */
export class FolderInUseError extends Error {
	/** `null` if its process has not said yet. */
	readonly holder: Holder | null;

	constructor(folder: string, holder: Holder | null, options: ErrorOptions) {
		const who = holder ? `process ${holder.pid}${holder.url ? `, ${holder.url}` : ''}` : 'starting';
		super(
			`${folder} is in use by a sandbox (${who}). Stop that one, or give this one another --folder.`,
			options,
		);
		this.holder = holder;
	}
}

export interface Holder {
	pid: number;
	/** Where it is reached; `null` while it starts. */
	url: string | null;
}

/**
 * Takes the folder, creating it if it is missing. The lock is the kernel's: it ends with the process,
 * however that ends, and holds between containers that share the folder, whose process ids do not.
 *
 * @throws FolderInUseError
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
	await makeFolder(folder).catch((error: unknown) => {
		throw folderError(folder, null, error);
	});
	const holderFile = join(folder, HOLDER);
	// SQLite, because Node itself cannot lock a file.
	const database = openLock(folder);
	try {
		database.exec('BEGIN EXCLUSIVE');
	} catch (error) {
		database.close();
		if ((error as { errcode?: number }).errcode !== BUSY) throw unusableLock(folder, error);
		throw new FolderInUseError(folder, await readHolder(holderFile), { cause: error });
	}
	const tell = (url: string | null) =>
		writeFile(holderFile, JSON.stringify({ pid: process.pid, url } satisfies Holder));
	try {
		await tell(null);
	} catch (error) {
		database.close();
		throw folderError(folder, HOLDER, error);
	}
	return {
		tell,
		release: async () => {
			if (!database.isOpen) return;
			await rm(holderFile, { force: true });
			database.close();
		},
	};
}

/** Not by `recursive`, which tries for ever where the system takes no folder, as in `/proc`. */
async function makeFolder(folder: string): Promise<void> {
	const above = dirname(resolve(folder));
	try {
		await mkdir(folder);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
		if (code !== 'ENOENT' || existsSync(above)) throw error;
		await makeFolder(above);
		await mkdir(folder);
	}
}

function openLock(folder: string): DatabaseSync {
	try {
		return new DatabaseSync(join(folder, 'lock.sqlite'));
	} catch (error) {
		throw unusableLock(folder, error);
	}
}

const unusableLock = (folder: string, error: unknown) =>
	new FolderError(
		`lock.sqlite in ${folder} cannot be used (${(error as Error).message}). ` +
			'Make the folder writable for this user; if it is, remove that file.',
		{ cause: error },
	);

/** The file may be half written. */
async function readHolder(file: string): Promise<Holder | null> {
	try {
		return JSON.parse(await readFile(file, 'utf8')) as Holder;
	} catch {
		return null;
	}
}
