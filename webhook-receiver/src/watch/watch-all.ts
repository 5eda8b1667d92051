import type { Watch } from '../contract.ts';
import type { Store } from '../store/store.ts';
import { firstPoll } from './decide.ts';
import { newWatch } from './watch.ts';
import type { Watcher, WatcherConfig } from './watcher.ts';

/** Begins to watch messages, or adds to what is known of those that are watched. */
export async function watchAll(
	asked: ReadonlyArray<Watch & { messageId: string }>,
	{ store, watcher, config }: { store: Store; watcher: Watcher; config: WatcherConfig },
	now: number,
): Promise<{ created: number; existing: number }> {
	const watches = asked.map(({ messageId, ...told }) => ({
		watch: newWatch(messageId, told, now),
		nextPollAt: firstPoll(messageId, now, config),
	}));
	const answer = await store.watching.put(watches, now);
	watcher.wake();
	return answer;
}
