// Databases with many events in them, made by SQL in seconds rather than over HTTP in minutes.
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Subscription } from '../../webhook-receiver/src/contract.ts';
import { SqliteStore } from '../../webhook-receiver/src/store/sqlite.ts';
import { BYTES } from './ingest.ts';
import { SUBSCRIPTION_SECRET } from './receiver.ts';

export interface Filling {
	/** How many events more. */
	events: number;
	/** Each is delivered to `flow-0`, `flow-1`, … */
	subscriptions: number;
	/** All of them point there. */
	target: string;
	/** Events in a request, 1 if not given. */
	batchSize?: number;
	/** Whether the deliveries are still to be made, or were made an hour ago. */
	state: 'pending' | 'delivered';
}

const HOUR_MS = 3_600_000;

/**
 * Adds events to a database file, made if it is not there: each with its deliveries and its duplicate
 * key, as if ingested.
 */
export async function fill(file: string, filling: Filling): Promise<void> {
	const received = Date.now() - HOUR_MS;
	await subscribe(file, filling, received);
	const { subscriptions, events, state } = filling;
	const keys = Array.from({ length: subscriptions }, (_, n) => `('flow-${n}')`);
	const event = JSON.stringify(storedEvent(received)).replaceAll("'", "''");
	const database = new DatabaseSync(file);
	database.exec(`
		PRAGMA journal_mode = WAL;
		PRAGMA synchronous = OFF;
		PRAGMA cache_size = -262144;
		PRAGMA temp_store = MEMORY;
		BEGIN;
		CREATE TEMP TABLE fresh AS
			WITH RECURSIVE present (n) AS (SELECT coalesce(max(sequence), 0) FROM events),
				up (n) AS (
					SELECT n + 1 FROM present
					UNION ALL
					SELECT up.n + 1 FROM up, present WHERE up.n < present.n + ${events}
				)
			SELECT n FROM up;
		INSERT INTO events (sequence, id, type, message_id, received_at, event)
		SELECT n, printf('evt_%032d', n), 'tracked_mail.sent', printf('%012d', n), ${received},
			replace('${event}', '{n}', printf('%012d', n))
		FROM fresh;
		INSERT INTO duplicate_keys (key, expires_at)
		SELECT printf('%016x%048x', random(), n) AS key, ${Date.now() + 24 * HOUR_MS}
		FROM fresh ORDER BY key;
		INSERT INTO deliveries (subscription, event_sequence, message_id, state, attempts,
			next_attempt_at, last_result, created_at, updated_at)
		SELECT key, n, printf('%012d', n), '${state}', ${state === 'pending' ? 0 : 1}, ${received},
			${state === 'pending' ? 'NULL' : "'200'"}, ${received}, ${received}
		FROM fresh, (SELECT column1 AS key FROM (VALUES ${keys.join(', ')}));
		COMMIT;
		PRAGMA wal_checkpoint(TRUNCATE);
	`);
	database.close();
	writeOut(file);
}

/** Otherwise the system goes on writing while something is measured, and every commit waits for it. */
function writeOut(file: string): void {
	const open = openSync(file, 'r+');
	fsyncSync(open);
	closeSync(open);
}

async function subscribe(file: string, filling: Filling, now: number): Promise<void> {
	const store = new SqliteStore(file);
	for (let n = 0; n < filling.subscriptions; n++) {
		const subscription: Subscription = {
			...{ url: filling.target, events: ['*'], secret: SUBSCRIPTION_SECRET },
			...{ batchSize: filling.batchSize ?? 1, expiresAt: null },
		};
		await store.putSubscription(`flow-${n}`, subscription, now);
	}
	await store.close();
}

/** What the store keeps of an event of the usual size; `{n}` stands for its number. */
function storedEvent(received: number) {
	const at = new Date(received).toISOString();
	return {
		...{ id: 'evt_00000000000000000000{n}', type: 'tracked_mail.sent', status: 'SENT' },
		...{ terminal: false, reversible: false, sourceType: 'aes_sent', messageId: '{n}' },
		...{ messageType: 'AES', occurredAt: at, fileReference: null, customerReference: null },
		raw: { event: 'aes_sent', messageId: '{n}', details: 'x'.repeat(BYTES) },
		receivedAt: at,
	};
}
