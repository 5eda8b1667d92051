import type { Db } from '../../sql/engine.ts';
import type { Lists, WatchedList } from './lists.ts';
import type { Pause, ServiceHealth } from './service-health.ts';

/** How watching goes, over all receivers. */
export interface WatchState extends Pause {
	/** How many letters are watched. */
	watched: number;
	lists: readonly WatchedList[];
	/** Of a letter or list; null if none is watched. */
	nextPollAt: number | null;
}

export async function watchState(
	db: Db,
	{ lists, serviceHealth }: { lists: Lists; serviceHealth: ServiceHealth },
	now: number,
): Promise<WatchState> {
	const [[letters], all, pause] = await Promise.all([
		db.rows<{ watched: number; first: number | null }>(
			`SELECT count(*) AS watched, min(next_poll_at) AS first FROM records
			WHERE next_poll_at IS NOT NULL`,
		),
		lists.watched(),
		serviceHealth.read(now),
	]);
	const times = [letters?.first ?? Infinity, ...all.map((one) => one.nextPollAt)];
	const first = Math.min(...times);
	const nextPollAt = first === Infinity ? null : first;
	return { ...pause, watched: letters?.watched ?? 0, lists: all, nextPollAt };
}
