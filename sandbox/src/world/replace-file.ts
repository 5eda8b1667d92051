import { rename, writeFile } from 'node:fs/promises';

/** Writes a file that is there as it was or as it is now, whole, however the process ends. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
	const unfinished = `${path}.new`;
	await writeFile(unfinished, text, { mode });
	await rename(unfinished, path);
}
