import type { DeliveryEvent, Subscription } from '../../contract.ts';
import { storedKey } from '../../dedup.ts';
import { newEventId } from '../../event-id.ts';
import { wants } from '../../match.ts';
import type { Candidate, IngestResult } from '../store.ts';
import { readSubscription } from '../stored-subscription.ts';
import type { SubscriptionRow } from '../stored-subscription.ts';
import type { Db } from './connect.ts';
import { SCHEMA } from './schema.ts';
import type { Chain, Turns } from './turns.ts';
import { mergeWatched } from './merge-watched.ts';
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
	event: DeliveryEvent;
	arrival: number;
	asks: boolean;
}

/** Stores the events of several requests, their deliveries and turns, in the given transaction. */
export async function takeIn(db: Db, turns: Turns, arrivals: Arrival[]): Promise<IngestResult[]> {
	const all = arrivals.flatMap(({ candidates, now }, arrival) =>
		candidates.map((candidate) => ({ ...candidate, now, arrival })),
	);
	const accepted: Accepted[] = [];
	for (const wave of waves(all)) accepted.push(...(await store(db, wave)));
	const now = Math.max(...arrivals.map((arrival) => arrival.now));
	const events = accepted.map(({ event }) => event);
	const reached = await fanOut(db, turns, events, now);
	return arrivals.map(({ candidates }, index) => {
		const own = accepted.filter(({ arrival }) => arrival === index);
		const keys = own.flatMap(({ event }) => reached.get(event.sequence) ?? []);
		return {
			accepted: own.length,
			duplicates: candidates.length - own.length,
			subscriptions: [...new Set(keys)],
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
	const events = await insertEvents(db, fresh);
	return events.map((event, index) => {
		const { arrival } = fresh[index] as Arrived;
		return { event, arrival, asks: asks.has(event.messageId) };
	});
}

/** Gives the events their ids and sequence and stores them, in the given order. */
export async function insertEvents(
	db: Db,
	fresh: ReadonlyArray<{ event: Candidate['event']; now: number }>,
): Promise<DeliveryEvent[]> {
	if (fresh.length === 0) return [];
	const rows = await db.rows(
		`SELECT nextval(pg_get_serial_sequence('${SCHEMA}.events', 'sequence')) AS sequence
		FROM generate_series(1, $1)`,
		[fresh.length],
	);
	const events = fresh.map(({ event }, index) => {
		const { sequence } = rows[index] as { sequence: number };
		return { id: newEventId(), ...event, sequence };
	});
	await db.rows(
		`INSERT INTO ${SCHEMA}.events (sequence, id, type, message_id, received_at, event)
		SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[])`,
		[
			events.map(({ sequence }) => sequence),
			events.map(({ id }) => id),
			events.map(({ type }) => type),
			events.map(({ messageId }) => messageId),
			fresh.map(({ now }) => now),
			events.map(({ sequence: _sequence, ...event }) => JSON.stringify(event)),
		],
	);
	const ids = events.map(({ messageId }) => messageId);
	await noteEvents(db, ids, Math.max(...fresh.map(({ now }) => now)));
	return events;
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

/** One pending delivery for each subscription that wants an event; answers their keys by event. */
export async function fanOut(
	db: Db,
	turns: Turns,
	events: readonly DeliveryEvent[],
	now: number,
): Promise<Map<number, string[]>> {
	if (events.length === 0) return new Map();
	const rows = await db.rows(`SELECT key, subscription FROM ${SCHEMA}.subscriptions`);
	const subscriptions = (rows as Array<Pick<SubscriptionRow, 'key' | 'subscription'>>).map(
		(row): [string, Subscription] => [row.key, readSubscription(row)],
	);
	const reached = new Map<number, string[]>();
	const deliveries: Array<Chain & { sequence: number }> = [];
	for (const event of events) {
		const keys = subscriptions
			.filter(([, subscription]) => wants(subscription, event, now))
			.map(([key]) => key);
		reached.set(event.sequence, keys);
		const chain = event.messageId ?? `event-${event.sequence}`;
		for (const key of keys) {
			deliveries.push({ subscription: key, chain, sequence: event.sequence });
		}
	}
	if (deliveries.length === 0) return reached;
	const chains = distinct(deliveries);
	await turns.lock(db, chains);
	await insertDeliveries(db, deliveries, now);
	await turns.give(db, chains);
	return reached;
}

async function insertDeliveries(
	db: Db,
	deliveries: ReadonlyArray<Chain & { sequence: number }>,
	now: number,
): Promise<void> {
	await db.rows(
		`INSERT INTO ${SCHEMA}.deliveries (subscription, event_sequence, chain, state, attempts,
			next_attempt_at, created_at, updated_at)
		SELECT subscription, sequence, chain, 'pending', 0, greatest($4::bigint, (
			SELECT max(next_attempt_at) FROM ${SCHEMA}.deliveries AS earlier
			WHERE earlier.state = 'pending' AND earlier.subscription = fresh.subscription
				AND earlier.chain = fresh.chain
		)), $4, $4
		FROM unnest($1::text[], $2::bigint[], $3::text[]) AS fresh (subscription, sequence, chain)`,
		[
			deliveries.map(({ subscription }) => subscription),
			deliveries.map(({ sequence }) => sequence),
			deliveries.map(({ chain }) => chain),
			now,
		],
	);
}

export function distinct(chains: readonly Chain[]): Chain[] {
	const byName = chains.map(({ subscription, chain }): [string, Chain] => [
		`${subscription} ${chain}`,
		{ subscription, chain },
	]);
	return [...new Map(byName).values()];
}
