import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { localFolder } from '../n8n/folders.ts';

/** Path of the program, also of one that `npm test` has unpacked; null if there is none. */
export function findProgram(name: string, path = process.env.PATH ?? ''): string | null {
	const folders = [...path.split(delimiter), join(localFolder, 'debian', 'bin')];
	return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
