// Of the file that `DATABASE_FILE` names, and of what stands beside it.

const READ_ONLY =
	'it is on a disk that is read-only. Mount it for writing, or name a file on another disk.';
const FORBIDDEN =
	'this user may not write there. Give it the folder and what is in it, or name another file.';
const FULL = 'its disk is full. Make room.';
const NO_FOLDER = 'its folder is not there and can not be made. Name a file in one that can.';

/** By the codes of the system and of SQLite. */
const REASONS: Record<string, string> = {
	EROFS: READ_ONLY,
	EACCES: FORBIDDEN,
	EPERM: FORBIDDEN,
	ENOSPC: FULL,
	ENOENT: NO_FOLDER,
	ENOTDIR: NO_FOLDER,
	EEXIST: NO_FOLDER,
	EISDIR: 'it is a folder. Name a file.',
	5: 'it is in use by another receiver. One file serves one process: stop the other one, or name another file.',
	11: 'it is damaged. Restore a backup.',
	13: FULL,
	14: 'it is no file that SQLite can open. Name another one.',
	26: 'it is no database. Name another file.',
};

/** Why a file can't be the store, and what to do. */
export function whyNotUsable(error: unknown): string {
	const { code = '', errcode, message } = error as NodeJS.ErrnoException & { errcode?: number };
	// The lower byte; the others say more exactly what SQLite was doing.
	return REASONS[errcode === undefined ? code : errcode & 0xff] ?? message;
}
