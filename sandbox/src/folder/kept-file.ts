import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod/v4';
import { fieldErrors } from '../http/field-errors.ts';

/** The folder cannot be used as it is; the message says what to do. */
export class FolderError extends Error {}

/**
 * A file that an earlier run left in the folder, or null.
 *
 * @throws FolderError if it cannot be read, is damaged, or is of another version of the sandbox
 */
export async function readKept<T>(
	folder: string,
	name: string,
	schema: z.ZodType,
): Promise<T | null> {
	let text: string;
	try {
		text = await readFile(join(folder, name), 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
		throw folderError(folder, name, error);
	}
	let kept: unknown;
	try {
		kept = JSON.parse(text);
	} catch (error) {
		throw damaged(folder, name, 'it is no JSON, perhaps cut off', error);
	}
	const checked = schema.safeParse(kept);
	if (checked.success) return kept as T;
	const [wrong] = fieldErrors(checked.error, kept);
	throw damaged(folder, name, `${wrong?.message}`, checked.error);
}

/** Writes a file that is there as it was or as it is now, whole, however the process ends. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
	const unfinished = `${path}.new`;
	await writeFile(unfinished, text, { mode });
	await rename(unfinished, path);
}

export const damaged = (folder: string, name: string, why: string, cause: unknown) =>
	new FolderError(
		`${name} in ${folder} is damaged (${why}). ` +
			'Put a good copy in its place, or start with another --folder.',
		{ cause },
	);

const REASONS: Partial<Record<string, string>> = {
	EACCES: 'this user may not use it. Change its permissions',
	EPERM: 'this user may not use it. Change its permissions',
	EROFS: 'it cannot be written to. Mount it writable',
	ENOSPC: 'the disk is full. Make room',
	EISDIR: 'it is a folder where a file should be. Remove it',
	ENOTDIR: 'it is a file where a folder should be. Remove it',
	EEXIST: 'it is a file where a folder should be. Remove it',
	ENOENT: 'no folder can be made there. Make it yourself',
	ENAMETOOLONG: 'its name is too long. Shorten it',
};

/** The operating system's error about the folder or a file in it, in plain words. */
export function folderError(folder: string, name: string | null, error: unknown): unknown {
	const { code = '', syscall } = error as NodeJS.ErrnoException;
	const reason = REASONS[code];
	// A port that is not permitted has nothing to do with the folder.
	if (syscall === 'listen' || reason === undefined) return error;
	return unusable(folder, name, reason, error);
}

/** @param reason what is wrong, and what to do */
export function unusable(folder: string, name: string | null, reason: string, cause: unknown) {
	const what = name === null ? folder : `${name} in ${folder}`;
	return new FolderError(`${what} cannot be used: ${reason}, or start with another --folder.`, {
		cause,
	});
}
