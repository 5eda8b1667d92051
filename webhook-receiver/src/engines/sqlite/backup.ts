import { open, rm } from 'node:fs/promises';
import { backup } from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { HttpError } from '../../core/http-error.ts';
import { StoreUnavailable } from '../../sql/engine.ts';
import type { Backup, StoreSpace } from '../../sql/engine.ts';
import type { GroupCommit } from './group-commit.ts';
import { createPrivately } from './open.ts';

/**
 * Copies the database while it is used, one copy at a time. The copy is beside the database and
 * unlinked before it is read: however the reader or the process ends, its space is freed.
 *
 * @returns what makes a copy; throws HttpError 409 while another is under way, 507 if the volume has
 * no room for one
 */
export function backupsOf(database: DatabaseSync, commits: GroupCommit, databaseFile: string) {
	const file = `${databaseFile}.backup`;
	let isUnderWay = false;

	const make = async ({ used, free }: StoreSpace): Promise<Backup> => {
		if (isUnderWay) {
			throw new HttpError(409, 'backup-under-way', 'Another backup is under way; try again later.');
		}
		if (free !== null && free < used) {
			const message = `A backup needs ${used} bytes beside the database, and ${free} are left.`;
			throw new HttpError(507, 'no-room-for-backup', message);
		}
		isUnderWay = true;
		try {
			const made = await copy();
			made.content.once('close', () => (isUnderWay = false));
			return made;
		} catch (error) {
			isUnderWay = false;
			throw new StoreUnavailable(error);
		}
	};

	const copy = async (): Promise<Backup> => {
		// Left by a process that was killed during a backup.
		await rm(file, { force: true });
		try {
			createPrivately(file);
			await copyPages();
			const copied = await open(file);
			return { size: (await copied.stat()).size, content: copied.createReadStream() };
		} finally {
			await rm(file, { force: true });
		}
	};

	/**
	 * Node tries again when it meets a transaction, except at the first step: that must run while none
	 * is in progress.
	 */
	const copyPages = async (): Promise<void> => {
		let copied: Promise<unknown> = Promise.resolve();
		await commits.between(async () => {
			const begun = Promise.withResolvers<void>();
			copied = backup(database, file, { progress: () => begun.resolve() });
			await Promise.allSettled([Promise.race([begun.promise, copied])]);
		});
		await copied;
	};

	return make;
}
