import { onlyOne } from '../../demo/only-one.ts';
import { until } from './poll.ts';

/** Seconds. */
const PATIENCE = 300;

/** Runs the work while no other process works under the same name, a path; its lock is a folder there. */
export async function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
	const take = async () =>
		await onlyOne(`${name}-lock`).catch((error: Error) => {
			// Without a cause it is not that another one has it.
			if (error.cause === undefined) throw error;
			return null;
		});
	const lock = await until(`another process to be done with ${name}`, take, PATIENCE);
	try {
		return await work();
	} finally {
		await lock.release();
	}
}
