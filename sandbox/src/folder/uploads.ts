import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../state/store.ts';

/** Creates the upload folder and removes files that the state no longer references. */
export async function prepareUploads(folder: string, store: Store): Promise<string> {
	const uploads = join(folder, 'uploads');
	await mkdir(uploads, { recursive: true });
	const known = new Set(store.files().map(({ id }) => id));
	const lost = (await readdir(uploads)).filter((name) => !known.has(name));
	await Promise.all(lost.map((name) => rm(join(uploads, name), { force: true })));
	return uploads;
}
