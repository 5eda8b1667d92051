// As a program: ends with 1 if the demonstration runs in the folder. The installer runs it first,
// since an installation would remove the packages of a running demo.
import { FolderInUseError, lockFolder, type FolderLock } from '../sandbox/src/world/folder-lock.ts';

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

if (import.meta.main) {
	try {
		await (await onlyOne(process.argv[2])).release();
	} catch (error) {
		console.error(`✗ ${(error as Error).message}`);
		process.exitCode = 1;
	}
}
