// Databases with many events in them, made by SQL in seconds rather than over HTTP in minutes.
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SqliteStore } from '../../webhook-receiver/src/store/sqlite.ts';
import { BYTES } from './ingest.ts';

const HOUR_MS = 3_600_000;

/** Adds events to a database file, made if it is not there, each with its duplicate key. */
export async function fill(file: string, events: number): Promise<void> {
	await new SqliteStore(file).close();
	const received = Date.now() - HOUR_MS;
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
		SELECT printf('%016x%016x', random(), n) AS key, ${Date.now() + 24 * HOUR_MS}
		FROM fresh ORDER BY key;
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
