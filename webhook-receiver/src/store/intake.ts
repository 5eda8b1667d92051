import { storedKey } from '../core/duplicates.ts';
import type { Bounce } from '../core/duplicates.ts';
import { appendEvents } from './append-events.ts';
import type { Engine, Transaction } from './engine.ts';
import { mentionsOfErased } from './erased.ts';
import { columnOf } from './statements.ts';
import type { Candidate, IngestResult } from './store.ts';
import { lockWatches, mergeWebhooks, writeWatches } from './watches.ts';

/** The events of one request. */
export interface Arrival {
	candidates: readonly Candidate[];
	now: number;
	/** How large the request was. */
	bytes: number;
}

/** Later bounces of a message in one transaction, and earlier ones that are stored, renew no keys. */
const MOST_BOUNCES = 20;

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
 * must be stored first: such a delivery, and what follows it of its message, go into a later wave.
 */
function waves(all: readonly Arrived[]): Arrived[][] {
	const result: Arrived[][] = [];
	const messages = new Map<string | null, { bounces: number; wave: number }>();
	for (const one of all) {
		const { messageId, type } = one.event;
		const known = messages.get(messageId) ?? { bounces: 0, wave: 0 };
		const wave = one.duplicateKey.renewedByBounce ? known.bounces : known.wave;
		const isBounce = messageId !== null && type === 'tracked_mail.undelivered';
		const bounces = Math.min(known.bounces + Number(isBounce), MOST_BOUNCES);
		messages.set(messageId, { bounces, wave });
		(result[wave] ??= []).push(one);
	}
	return result.filter((wave) => wave !== undefined);
}

/**
 * Keeps events with an unused duplicate key, and the first of several with the same key; none of
 * erased letters.
 */
async function takeKeys(
	tx: Transaction,
	wave: readonly Arrived[],
	bounces: ReadonlyMap<string | null, Bounce[]>,
): Promise<Arrived[]> {
	if (wave.length === 0) return [];
	const ofErased = await mentionsOfErased(
		tx,
		wave.map(({ event }) => event),
	);
	const keyed = wave
		.filter(({ event }) => !ofErased.has(event))
		.map((one) => {
			const { event, duplicateKey } = one;
			const base = storedKey(duplicateKey, event.occurredAt, bounces.get(event.messageId) ?? []);
			return { one, base, id: duplicateKey.id };
		});
	const byKey = new Map<string, (typeof keyed)[number]>();
	const hasIds = new Map<string, boolean>();
	/** Whether these are new depends on whether the same with, or without, an id is. */
	const later: Arrived[] = [];
	for (const arrived of keyed) {
		const { base, id } = arrived;
		const hasId = id !== null;
		if ((hasIds.get(base) ?? hasId) !== hasId) later.push(arrived.one);
		else if (!byKey.has(keyOf(arrived))) byKey.set(keyOf(arrived), arrived);
		if (!hasIds.has(base)) hasIds.set(base, hasId);
	}
	const taken = await columnOf<string>(
		tx,
		`INSERT INTO duplicate_keys AS present (key, expires_at)
		SELECT key, expires_at
		FROM json_to_recordset($1) AS requested (
			key text, expires_at bigint, message_id text, bare text, first text, last text
		)
		WHERE NOT EXISTS (SELECT 1 FROM erased WHERE erased.message_id = requested.message_id)
			AND NOT EXISTS (
				SELECT 1 FROM duplicate_keys AS other
				WHERE other.key = requested.bare AND other.expires_at > $2
			)
			AND NOT EXISTS (
				SELECT 1 FROM duplicate_keys AS other
				WHERE other.key >= requested.first AND other.key < requested.last
					AND other.expires_at > $2
			)
		ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE present.expires_at <= $2
		RETURNING key`,
		[
			Array.from(byKey, ([key, { one, base, id }]) => ({
				key,
				expires_at: one.now + one.duplicateKey.windowMs,
				message_id: one.event.messageId,
				// The same event without an id; or, for one without, with any.
				...(id === null ? { first: `${base}#`, last: `${base}$` } : { bare: base }),
			})),
			Math.max(...wave.map(({ now }) => now)),
		],
	);
	const isTaken = new Set(taken);
	const fresh = [...byKey].filter(([key]) => isTaken.has(key)).map(([, { one }]) => one);
	return [...fresh, ...(await takeKeys(tx, later, bounces))];
}

function keyOf({ base, id }: { base: string; id: string | null }): string {
	return id === null ? base : `${base}#${id}`;
}

/** The last bounces of each message, oldest first. */
async function bouncesOf(
	tx: Transaction,
	wave: readonly Arrived[],
): Promise<Map<string | null, Bounce[]>> {
	const ids = wave
		.filter(({ duplicateKey }) => duplicateKey.renewedByBounce)
		.map(({ event }) => event.messageId);
	if (ids.length === 0) return new Map();
	const rows = await tx.rows<Bounce & { messageId: string }>(
		`SELECT sequence, message_id AS "messageId", occurred_at AS "occurredAt" FROM (
			SELECT sequence, message_id, occurred_at,
				row_number() OVER (PARTITION BY message_id ORDER BY sequence DESC) AS place
			FROM events WHERE type = 'tracked_mail.undelivered' AND message_id = ANY($1)
		) AS bounces WHERE place <= ${MOST_BOUNCES} ORDER BY sequence`,
		[ids],
	);
	return Map.groupBy(rows, ({ messageId }) => messageId);
}
