import type { World } from './world.ts';

/**
 * Commits what changes on its own, such as the steps of a letter's delivery, once the running step of
 * the program has ended. A failure is reported once, until it is over.
 */
export function commitSoon({ store, commit, report }: Pick<World, 'store' | 'commit' | 'report'>) {
	let isDue = false;
	let isFailing = false;
	store.watch(() => {
		if (isDue) return;
		isDue = true;
		queueMicrotask(() => {
			isDue = false;
			try {
				commit();
				isFailing = false;
			} catch (error) {
				if (!isFailing) report(error);
				isFailing = true;
			}
		});
	});
}
