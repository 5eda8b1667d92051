import { open, rm } from 'node:fs/promises';
import { backup } from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { HttpError } from '../../core/http-error.ts';
import { StoreUnavailable } from '../store.ts';
import type { Backup } from '../store.ts';
import type { StoreSpace } from '../space.ts';
import type { GroupCommit } from './group-commit.ts';
import { createPrivately } from './open.ts';

/**
 * Copies the database while it is used, one copy at a time. The copy is beside the database and
 * unlinked before it is read: however the reader or the process ends, its space is freed.
 */
export class Backups {
	private readonly database: DatabaseSync;
	private readonly commits: GroupCommit;
	private readonly file: string;
	private isUnderWay = false;

	constructor(database: DatabaseSync, commits: GroupCommit, file: string) {
		this.database = database;
		this.commits = commits;
		this.file = `${file}.backup`;
	}

	/** @throws HttpError 409 while another is under way, 507 if the volume has no room for a copy */
	async make({ used, free }: StoreSpace): Promise<Backup> {
		if (this.isUnderWay) {
			throw new HttpError(409, 'backup-under-way', 'Another backup is under way; try again later.');
		}
		if (free !== null && free < used) {
			const message = `A backup needs ${used} bytes beside the database, and ${free} are left.`;
			throw new HttpError(507, 'no-room-for-backup', message);
		}
		this.isUnderWay = true;
		try {
			const copy = await this.copy();
			copy.content.once('close', () => (this.isUnderWay = false));
			return copy;
		} catch (error) {
			this.isUnderWay = false;
			throw new StoreUnavailable(error);
		}
	}

	/**
	 * Node tries again when it meets a transaction, except at the first step: that must run while none
	 * is in progress.
	 */
	private async copyPages(): Promise<void> {
		let copied: Promise<unknown> = Promise.resolve();
		await this.commits.between(async () => {
			const begun = Promise.withResolvers<void>();
			copied = backup(this.database, this.file, { progress: () => begun.resolve() });
			await Promise.allSettled([Promise.race([begun.promise, copied])]);
		});
		await copied;
	}

	private async copy(): Promise<Backup> {
		// Left by a process that was killed during a backup.
		await rm(this.file, { force: true });
		try {
			createPrivately(this.file);
			await this.copyPages();
			const copy = await open(this.file);
			return { size: (await copy.stat()).size, content: copy.createReadStream() };
		} finally {
			await rm(this.file, { force: true });
		}
	}
}
