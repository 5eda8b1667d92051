import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's code for a file that another connection has locked. */
const BUSY = 5;

/** Keeps a folder for one sandbox: two would overwrite each other's state. */
export interface FolderLock {
	/** Says who holds the folder, for whoever is refused. */
	tell(url: string): Promise<void>;
	/** May be called again. */
	release(): Promise<void>;
}

/**
 * Takes the folder, creating it if it is missing. The lock is the kernel's: it ends with the process,
 * however that ends, and holds between containers that share the folder, whose process ids do not.
 *
 * @throws Error that names the holder
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
	await mkdir(folder, { recursive: true });
	const holderFile = join(folder, 'holder.txt');
	// SQLite, because Node itself cannot lock a file.
	const database = new DatabaseSync(join(folder, 'lock.sqlite'));
	try {
		database.exec('BEGIN EXCLUSIVE');
	} catch (error) {
		database.close();
		if ((error as { errcode?: number }).errcode !== BUSY) throw error;
		const holder = await readFile(holderFile, 'utf8').catch(() => 'another process');
		throw new Error(
			`${folder} is in use by a sandbox (${holder}). Stop that one, or give this one another --folder.`,
			{ cause: error },
		);
	}
	const describe = (what: string) => writeFile(holderFile, `process ${process.pid}${what}`);
	await describe('');
	return {
		tell: (url) => describe(`, ${url}`),
		release: async () => {
			if (!database.isOpen) return;
			await rm(holderFile, { force: true });
			database.close();
		},
	};
}
