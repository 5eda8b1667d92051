import { attentionIn } from './attention.ts';
import { Batcher } from './batcher.ts';
import { claimsIn } from './claims.ts';
import { clean } from './clean.ts';
import { consumersIn } from './consumers.ts';
import type { Engine } from './engine.ts';
import { erase } from './erase.ts';
import { takeIn } from './intake.ts';
import type { Arrival } from './intake.ts';
import { readActivity, readEvents, readEventsOf, readLetter, readWaits } from './records.ts';
import type { Seals } from './seals.ts';
import { aheadOf, setBack } from './set-back.ts';
import type { IngestResult, Store } from './store.ts';
import { waitsIn } from './waits.ts';
import { watchesIn } from './watches.ts';

/** Maximum number of events stored in one transaction, unless a single request has more. */
const MOST_TOGETHER = 500;

/** A larger request counts as several events: what is stored at once holds up everything else. */
const BYTES_OF_EVENT = 8_000;

/**
 * How long a request that could not be stored makes the store not ready, if none was stored since: a
 * balancer sends nothing to a receiver that is not ready, and after this time one request may try again.
 */
const OUTAGE_COUNTS_MS = 5_000;

export interface SqlStore extends Store {
	/** Where it keeps everything. */
	readonly database: Engine;
}

/** The store, written once for both databases. */
export function storeIn(database: Engine, seals: Seals): SqlStore {
	const arrivals = new Batcher<Arrival, IngestResult>(
		(some) => database.inTurn((tx) => takeIn(tx, database, some)),
		MOST_TOGETHER,
		({ candidates, bytes }) => Math.max(candidates.length, bytes / BYTES_OF_EVENT, 1),
	);
	let checking: Promise<void> | null = null;
	/** A database that has room for a check may have none for an event. */
	const checkOnce = async () => {
		await database.check();
		arrivals.throwAfterOutage(OUTAGE_COUNTS_MS);
	};
	return {
		database,
		watching: watchesIn(database),
		waits: waitsIn(database, seals),
		claims: claimsIn(database),
		consumers: consumersIn(database),
		attention: attentionIn(database),

		listen: (listener) => database.listen(listener),
		ingest: (candidates, now, bytes = 0) => arrivals.add({ candidates, now, bytes }),
		events: (page) => readEvents(database, page),
		eventsOf: (messageId, limit, after = 0) => readEventsOf(database, messageId, limit, after),
		letter: (messageId, page) => readLetter(database, messageId, page),
		listWaits: (page) => readWaits(database, page),
		activity: (from, spanMs) => readActivity(database, from, spanMs),
		erase: (letters, now, expiresAt) => erase(database, letters, now, expiresAt),

		clean: (retention, now) => database.transaction((tx) => clean(tx, retention, now)),
		aheadOf: (now) => aheadOf(database, now),
		setBack: (request) => setBack(database, request),
		check: () => (checking ??= checkOnce().finally(() => (checking = null))),
		space: () => database.space(),
		backup: () => database.backup(),
		async close() {
			await arrivals.idle();
			await database.close();
		},
	};
}
