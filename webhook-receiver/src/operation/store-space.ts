import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface StoreSpace {
	usedBytes: number;
	/** Null where the store is a database elsewhere, whose disk nobody sees from here. */
	freeBytes: number | null;
}

/** How much the embedded store takes, and how much more it may. */
export async function storeSpace({
	databaseUrl,
	databaseFile,
}: {
	databaseUrl: string | null;
	databaseFile: string;
}): Promise<StoreSpace> {
	if (databaseUrl !== null) return { usedBytes: 0, freeBytes: null };
	const { bavail, bsize } = await statfs(dirname(databaseFile));
	const files = [databaseFile, `${databaseFile}-wal`];
	const sizes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
	return { usedBytes: sizes.reduce((sum, size) => sum + size), freeBytes: bavail * bsize };
}
