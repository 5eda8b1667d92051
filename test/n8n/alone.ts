import { FolderInUseError, lockFolder } from '../../sandbox/src/folder/folder-lock.ts';
import { until } from './poll.ts';

/** Seconds. */
const PATIENCE = 300;

/** Runs the work while no other process works under the same name, a path; its lock is a folder there. */
export async function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
	const take = async () =>
		await lockFolder(`${name}-lock`).catch((error: unknown) => {
			if (error instanceof FolderInUseError) return null;
			throw error;
		});
	const lock = await until(`another process to be done with ${name}`, take, PATIENCE);
	try {
		return await work();
	} finally {
		await lock.release();
	}
}
