import { retriedStep, toDelivery } from '../rows.ts';
import type { DeliveryRow } from '../rows.ts';
import type { DeadRange, Delivery, RetriedStep } from '../store.ts';
import type { Db } from './connect.ts';
import { distinct } from './intake.ts';
import { SCHEMA } from './migrations.ts';
import { SHOWN_DELIVERIES } from './records.ts';
import { goOn } from './settle.ts';
import type { Chain, Turns } from './turns.ts';

const STEP = 500;

interface Found extends Chain {
	id: number;
}

/** Null when there is no such delivery, or its subscription has ended. */
export async function retryOne(
	db: Db,
	turns: Turns,
	id: number,
	now: number,
): Promise<Delivery | null> {
	const { rows } = await db.executeSql(
		`SELECT id, subscription, chain FROM ${SCHEMA}.deliveries
		WHERE id = $1 AND subscription IN (SELECT key FROM ${SCHEMA}.subscriptions)`,
		[id],
	);
	if (rows.length === 0) return null;
	await revive(db, turns, rows as Found[], now);
	const shown = await db.executeSql(`${SHOWN_DELIVERIES} WHERE d.id = $1`, [id]);
	return toDelivery(shown.rows[0] as DeliveryRow);
}

/** Those of subscriptions that have ended stay dead. */
export async function retryDead(
	db: Db,
	turns: Turns,
	{ subscription, from, before, after }: DeadRange,
	now: number,
): Promise<RetriedStep> {
	const { rows } = await db.executeSql(
		`SELECT id, subscription, chain FROM ${SCHEMA}.deliveries
		WHERE state = 'dead' AND id > $1
			AND ($2::bigint IS NULL OR created_at >= $2) AND ($3::bigint IS NULL OR created_at < $3)
			AND ($4::text IS NULL OR subscription = $4)
			AND subscription IN (SELECT key FROM ${SCHEMA}.subscriptions)
		ORDER BY id LIMIT ${STEP}`,
		[after, from, before, subscription],
	);
	const dead = rows as Found[];
	await revive(db, turns, dead, now);
	return retriedStep(dead, STEP);
}

/** Each waits for what is pending before it in its chain. */
async function revive(db: Db, turns: Turns, found: readonly Found[], now: number): Promise<void> {
	if (found.length === 0) return;
	const chains = distinct(found);
	await turns.lock(db, chains);
	await db.executeSql(
		`UPDATE ${SCHEMA}.deliveries AS d SET state = 'pending', attempts = 0, updated_at = $2,
			next_attempt_at = greatest($2::bigint, (
				SELECT max(earlier.next_attempt_at) FROM ${SCHEMA}.deliveries earlier
				WHERE earlier.state = 'pending' AND earlier.subscription = d.subscription
					AND earlier.chain = d.chain AND earlier.event_sequence < d.event_sequence
			))
		WHERE d.id = ANY($1)`,
		[found.map(({ id }) => id), now],
	);
	await turns.hasten(db, chains);
	await goOn(db, turns, chains, now);
}
