import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import type { RetentionConfig, Store } from './store/store.ts';

const PAUSE_MS = 10 * 60_000;
/** Between two steps of one cleaning, so that ingest comes first. */
const BREATHER_MS = 50;

/** Removes what is past its time in small steps, forever; the answer stops it. */
export function keepHouse(
	retention: RetentionConfig,
	{ store, clock, logger }: { store: Store; clock: Clock; logger: Logger },
): () => void {
	let cancel: (() => void) | undefined;
	let stopped = false;

	const schedule = (delay: number) => {
		if (!stopped) cancel = clock.at(clock.now() + delay, () => void step());
	};
	const step = async () => {
		try {
			const hasMore = await store.clean(retention, clock.now());
			schedule(hasMore ? BREATHER_MS : PAUSE_MS);
		} catch (error) {
			logger.error({ err: error }, 'cleaning failed');
			schedule(PAUSE_MS);
		}
	};
	schedule(PAUSE_MS);
	return () => {
		stopped = true;
		cancel?.();
	};
}
