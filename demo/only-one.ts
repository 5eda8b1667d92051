import {
	FolderInUseError,
	lockFolder,
	type FolderLock,
} from '../sandbox/src/folder/folder-lock.ts';

/**
 * Takes the folder of data for one start of the demonstration.
 *
 * @throws Error that says where the other one runs
 */
export async function onlyOne(folder: string): Promise<FolderLock> {
	try {
		return await lockFolder(folder);
	} catch (error) {
		if (!(error instanceof FolderInUseError)) throw error;
		const { pid, url } = error.holder ?? { pid: null, url: null };
		const where = url ? `Already running at ${url}` : 'Already being started';
		throw new Error(
			`${where}${pid ? ` (process ${pid})` : ''}. Use that one, or stop it with Ctrl-C first.`,
			{ cause: error },
		);
	}
}
