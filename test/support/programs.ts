import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Path of the program, or null if it is not installed. */
export function findProgram(name: string): string | null {
	const folders = (process.env.PATH ?? '').split(delimiter);
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
