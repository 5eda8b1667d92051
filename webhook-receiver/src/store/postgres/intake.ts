import { storedKey } from '../../dedup.ts';
import type { Candidate, IngestResult } from '../store.ts';
import type { Db } from './connect.ts';
import { appendToLog } from './log.ts';
import { mergeWatched } from './merge-watched.ts';
import { SCHEMA } from './schema.ts';
import { noteEvents } from './waits.ts';

/** One request's events. */
export interface Arrival {
	candidates: readonly Candidate[];
	now: number;
}

export interface Arrived extends Candidate {
	now: number;
	/** Which of the arrivals it came with. */
	arrival: number;
}

interface Accepted {
	arrival: number;
	asks: boolean;
}

/** Stores the events of several requests, in the given transaction (`BEGIN_WRITING`). */
export async function takeIn(db: Db, arrivals: Arrival[]): Promise<IngestResult[]> {
	const all = arrivals.flatMap(({ candidates, now }, arrival) =>
		candidates.map((candidate) => ({ ...candidate, now, arrival })),
	);
	const accepted: Accepted[] = [];
	for (const wave of waves(all)) accepted.push(...(await store(db, wave)));
	return arrivals.map(({ candidates }, index) => {
		const own = accepted.filter(({ arrival }) => arrival === index);
		return {
			accepted: own.length,
			duplicates: candidates.length - own.length,
			...(own.some(({ asks }) => asks) && { asks: true as const }),
		};
	});
}

/**
 * Whether a delivery is a new one can hang on a bounce just before it (rule STAT-05), so such a
 * bounce must be stored first.
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

async function store(db: Db, wave: readonly Arrived[]): Promise<Accepted[]> {
	const { fresh, asks } = await mergeWatched(db, await takeKeys(db, wave));
	await storeEvents(db, fresh);
	return fresh.map(({ arrival, event }) => ({ arrival, asks: asks.has(event.messageId) }));
}

/** Stores new events, and marks the waits that they are news for. */
export async function storeEvents(
	db: Db,
	fresh: ReadonlyArray<{ event: Candidate['event']; now: number }>,
): Promise<void> {
	if (fresh.length === 0) return;
	await appendToLog(db, fresh);
	const ids = fresh.map(({ event }) => event.messageId);
	await noteEvents(db, ids, Math.max(...fresh.map(({ now }) => now)));
}

/** Those whose duplicate key nobody has; of several with the same key the first. */
async function takeKeys(db: Db, wave: readonly Arrived[]): Promise<Arrived[]> {
	const bounces = await lastBounces(db, wave);
	const byKey = new Map<string, Arrived>();
	for (const one of wave) {
		const key = storedKey(one.duplicateKey, bounces.get(one.event.messageId ?? '') ?? null);
		if (!byKey.has(key)) byKey.set(key, one);
	}
	const keys = [...byKey];
	const rows = await db.rows(
		`INSERT INTO ${SCHEMA}.duplicate_keys AS present (key, expires_at)
		SELECT key, expires_at FROM unnest($1::text[], $2::bigint[]) AS taken (key, expires_at)
		ORDER BY key
		ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE present.expires_at <= $3
		RETURNING key`,
		[
			keys.map(([key]) => key),
			keys.map(([, { now, duplicateKey }]) => now + duplicateKey.windowMs),
			Math.max(0, ...wave.map(({ now }) => now)),
		],
	);
	const taken = new Set((rows as Array<{ key: string }>).map(({ key }) => key));
	return keys.filter(([key]) => taken.has(key)).map(([, one]) => one);
}

async function lastBounces(db: Db, wave: readonly Arrived[]): Promise<Map<string, number>> {
	const asked = wave.filter(({ duplicateKey }) => duplicateKey.renewedByBounce);
	if (asked.length === 0) return new Map();
	const rows = await db.rows(
		`SELECT message_id, max(sequence) AS sequence FROM ${SCHEMA}.events
		WHERE type = 'tracked_mail.undelivered' AND message_id = ANY($1) GROUP BY message_id`,
		[asked.map(({ event }) => event.messageId)],
	);
	const bounces = rows as Array<{ message_id: string; sequence: number }>;
	return new Map(bounces.map((row) => [row.message_id, row.sequence]));
}
