import fs, { closeSync, openSync, statSync } from 'node:fs';

/**
 * SQLite's write-ahead log. SQLite itself would sync it within COMMIT, while the whole event loop
 * waits for the disk; synced from here, the next requests are read meanwhile. On 2 cores that is a
 * third more events a second, and more the slower the disk.
 */
export class WriteAheadLog {
	private readonly descriptor: number;
	private readonly files: ReadonlyArray<{ path: string; inode: number | null }>;
	private failure: Error | null = null;

	constructor(databaseFile: string) {
		const path = `${databaseFile}-wal`;
		// Windows flushes only files open for writing.
		this.descriptor = openSync(path, 'r+');
		this.files = [databaseFile, path].map((one) => ({ path: one, inode: inodeOf(one) }));
	}

	/**
	 * Resolves once everything committed so far is on disk. After a failure nobody knows what is,
	 * and a later success would prove nothing, so it rejects until a restart reads the log again: also
	 * what changes nothing, such as an event that came again because its sync failed.
	 *
	 * Rejects too while the files are not where they were: what is in a deleted file is gone at the next
	 * start.
	 *
	 * @param hasChanged whether there is anything to sync since the last time
	 */
	sync(hasChanged: boolean): Promise<void> {
		return new Promise((resolve, reject) => {
			if (this.failure !== null) return reject(this.failure);
			const missing = this.files.find(({ path, inode }) => inodeOf(path) !== inode);
			if (missing !== undefined) return reject(gone(missing.path));
			if (!hasChanged) return resolve();
			fs.fdatasync(this.descriptor, (error) => {
				this.failure ??= error;
				if (this.failure === null) resolve();
				else reject(this.failure);
			});
		});
	}

	close(): void {
		closeSync(this.descriptor);
	}
}

function inodeOf(path: string): number | null {
	return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}

function gone(path: string): Error {
	return new Error(
		`${path} was deleted or replaced under the running receiver; put it back, or restart with what is there`,
	);
}
