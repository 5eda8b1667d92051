import fs, { closeSync, openSync } from 'node:fs';

/**
 * SQLite's write-ahead log. SQLite itself would sync it within COMMIT, while the whole event loop
 * waits for the disk; synced from here, the next requests are read meanwhile. On 2 cores that is a
 * third more events a second, and more the slower the disk.
 */
export class WriteAheadLog {
	private readonly descriptor: number;
	private failure: Error | null = null;

	constructor(databaseFile: string) {
		// Windows flushes only files open for writing.
		this.descriptor = openSync(`${databaseFile}-wal`, 'r+');
	}

	/**
	 * Resolves once everything committed so far is on disk. After a failure nobody knows what is,
	 * and a later success would prove nothing, so it rejects until a restart reads the log again: also
	 * what changes nothing, such as an event that came again because its sync failed.
	 *
	 * @param hasChanged whether there is anything to sync since the last time
	 */
	sync(hasChanged: boolean): Promise<void> {
		return new Promise((resolve, reject) => {
			if (this.failure !== null) return reject(this.failure);
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
