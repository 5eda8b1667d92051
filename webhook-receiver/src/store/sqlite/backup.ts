import { open, rm } from 'node:fs/promises';
import { backup } from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { HttpError } from '../../core/http-error.ts';
import { StoreUnavailable } from '../store.ts';
import type { Backup } from '../store.ts';
import type { StoreSpace } from '../space.ts';
import { createPrivately } from './open.ts';

/**
 * Copies the database while it is used, one copy at a time. The copy is beside the database and
 * unlinked before it is read: however the reader or the process ends, its space is freed.
 */
export class Backups {
	private readonly database: DatabaseSync;
	private readonly file: string;
	private isUnderWay = false;

	constructor(database: DatabaseSync, file: string) {
		this.database = database;
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

	private async copy(): Promise<Backup> {
		// Left by a process that was killed during a backup.
		await rm(this.file, { force: true });
		try {
			createPrivately(this.file);
			await backup(this.database, this.file);
			const copy = await open(this.file);
			return { size: (await copy.stat()).size, content: copy.createReadStream() };
		} finally {
			await rm(this.file, { force: true });
		}
	}
}
