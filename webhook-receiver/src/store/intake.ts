import { storedKey } from '../core/duplicates.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import { appendEvents } from './append-events.ts';
import type { Engine, Transaction } from './engine.ts';
import { toEvent } from './rows.ts';
import type { EventRow } from './rows.ts';
import { columnOf } from './statements.ts';
import type { Candidate, IngestResult } from './store.ts';
import { lockWatches, mergeWebhooks, writeWatches } from './watches.ts';

/** The events of one request. */
export interface Arrival {
	candidates: readonly Candidate[];
	now: number;
}

interface Arrived extends Candidate {
	now: number;
	/** Index of the arrival it belongs to. */
	arrival: number;
}

/** Stores the events of several requests. */
export async function takeIn(
	tx: Transaction,
	engine: Engine,
	arrivals: readonly Arrival[],
): Promise<IngestResult[]> {
	const all = arrivals.flatMap(({ candidates, now }, arrival) =>
		candidates.map((candidate) => ({ ...candidate, now, arrival })),
	);
	const results = arrivals.map(({ candidates }): IngestResult => {
		return { accepted: 0, duplicates: candidates.length };
	});
	for (const wave of waves(all)) {
		const ids = wave.map(({ event }) => event.messageId).filter((id) => id !== null);
		const [bounces, watches] = await Promise.all([bouncesOf(tx, wave), lockWatches(tx, ids)]);
		const unused = await takeKeys(tx, wave, bounces);
		const { fresh, asks, rows } = mergeWebhooks(watches, unused);
		await Promise.all([writeWatches(tx, rows), appendEvents(tx, engine, fresh)]);
		for (const { arrival, event } of fresh) {
			const result = results[arrival] as IngestResult;
			result.accepted++;
			result.duplicates--;
			if (asks.has(event.messageId)) result.asks = true;
		}
	}
	return results;
}

/**
 * Whether a delivery is new can depend on a bounce just before it (rule STAT-05), so that bounce
 * must be stored first.
 */
function waves(all: readonly Arrived[]): Arrived[][] {
	const result: Arrived[][] = [[]];
	let bounced = new Set<string | null>();
	for (const one of all) {
		if (one.duplicateKey.renewedByBounce && bounced.has(one.event.messageId)) {
			result.push([]);
			bounced = new Set();
		}
		result.at(-1)?.push(one);
		if (one.event.type === 'tracked_mail.undelivered') bounced.add(one.event.messageId);
	}
	return result;
}

/**
 * Keeps events with an unused duplicate key, and the first of several with the same key; none of
 * erased letters.
 */
async function takeKeys(
	tx: Transaction,
	wave: readonly Arrived[],
	bounces: ReadonlyMap<string | null, DeliveryEvent[]>,
): Promise<Arrived[]> {
	if (wave.length === 0) return [];
	const byKey = new Map<string, Arrived>();
	for (const one of wave) {
		const { messageId, occurredAt } = one.event;
		const key = storedKey(one.duplicateKey, occurredAt, bounces.get(messageId) ?? []);
		if (!byKey.has(key)) byKey.set(key, one);
	}
	const taken = await columnOf<string>(
		tx,
		`INSERT INTO duplicate_keys AS present (key, expires_at)
		SELECT key, expires_at
		FROM json_to_recordset($1) AS requested (key text, expires_at bigint, message_id text)
		WHERE NOT EXISTS (SELECT 1 FROM erased WHERE erased.message_id = requested.message_id)
		ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE present.expires_at <= $2
		RETURNING key`,
		[
			Array.from(byKey, ([key, { now, duplicateKey, event }]) => {
				return { key, expires_at: now + duplicateKey.windowMs, message_id: event.messageId };
			}),
			Math.max(...wave.map(({ now }) => now)),
		],
	);
	const isTaken = new Set(taken);
	return [...byKey].filter(([key]) => isTaken.has(key)).map(([, one]) => one);
}

/** The bounces of each message, oldest first. */
async function bouncesOf(
	tx: Transaction,
	wave: readonly Arrived[],
): Promise<Map<string | null, DeliveryEvent[]>> {
	const ids = wave
		.filter(({ duplicateKey }) => duplicateKey.renewedByBounce)
		.map(({ event }) => event.messageId);
	if (ids.length === 0) return new Map();
	const rows = await tx.rows<EventRow>(
		`SELECT sequence, event FROM events
		WHERE type = 'tracked_mail.undelivered' AND message_id = ANY($1) ORDER BY sequence`,
		[ids],
	);
	return Map.groupBy(rows.map(toEvent), ({ messageId }) => messageId);
}
