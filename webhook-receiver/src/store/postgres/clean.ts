import { isExpired } from '../../match.ts';
import type { RetentionConfig } from '../store.ts';
import { readSubscription } from '../stored-subscription.ts';
import type { SubscriptionRow } from '../stored-subscription.ts';
import type { Db } from './connect.ts';
import { SCHEMA } from './schema.ts';
import { cleanWaits } from './waits.ts';

/** How many rows of each kind one step removes, so that it never holds up ingest. */
const STEP = 500;

/** Settled deliveries first, then events that nothing refers to any more; true if there is more. */
export async function clean(db: Db, retention: RetentionConfig, now: number): Promise<boolean> {
	const old = now - retention.eventsMs;
	const removed = [
		await remove(
			db,
			`${SCHEMA}.deliveries WHERE id IN (
				SELECT d.id FROM ${SCHEMA}.events e JOIN ${SCHEMA}.deliveries d ON d.event_sequence = e.sequence
				WHERE e.received_at < $1 AND d.state <> 'pending' LIMIT ${STEP}
			)`,
			old,
		),
		await remove(
			db,
			`${SCHEMA}.events WHERE sequence IN (
				SELECT e.sequence FROM ${SCHEMA}.events e WHERE e.received_at < $1 AND NOT EXISTS (
					SELECT 1 FROM ${SCHEMA}.deliveries d WHERE d.event_sequence = e.sequence
				) LIMIT ${STEP}
			)`,
			old,
		),
		await remove(
			db,
			`${SCHEMA}.duplicate_keys WHERE key IN (
				SELECT key FROM ${SCHEMA}.duplicate_keys WHERE expires_at < $1 LIMIT ${STEP}
				FOR UPDATE SKIP LOCKED
			)`,
			now,
		),
		await remove(
			db,
			`${SCHEMA}.watches WHERE id IN (
				SELECT id FROM ${SCHEMA}.watches WHERE ended_at < $1 LIMIT ${STEP} FOR UPDATE SKIP LOCKED
			)`,
			old,
		),
		await cleanWaits(db, old, STEP),
	];
	await endExpired(db, now);
	return removed.includes(STEP);
}

async function remove(db: Db, what: string, before: number): Promise<number> {
	const rows = await db.rows(`DELETE FROM ${what} RETURNING 1`, [before]);
	return rows.length;
}

/** Also buries what was stored for a subscription in the moment it ended at another receiver. */
async function endExpired(db: Db, now: number): Promise<void> {
	const rows = await db.rows(`SELECT * FROM ${SCHEMA}.subscriptions`);
	const expired = (rows as SubscriptionRow[]).filter((row) =>
		isExpired(readSubscription(row), now),
	);
	await db.rows(`DELETE FROM ${SCHEMA}.subscriptions WHERE key = ANY($1)`, [
		expired.map(({ key }) => key),
	]);
	await db.rows(
		`UPDATE ${SCHEMA}.deliveries SET state = 'dead', last_result = 'the subscription expired',
			updated_at = $1
		WHERE id IN (
			SELECT id FROM ${SCHEMA}.deliveries WHERE state = 'pending'
				AND subscription NOT IN (SELECT key FROM ${SCHEMA}.subscriptions) LIMIT ${STEP}
		)`,
		[now],
	);
}
