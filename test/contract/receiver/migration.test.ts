import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { STEPS } from '../../../webhook-receiver/src/store/sqlite/migrations.ts';
import { SUBSCRIPTION_SECRET, cleanUp, start, target, temporaryFolder, until } from './harness.ts';

afterEach(cleanUp);

/** What was sent then, and is sent again now. */
const OLD = { id: 'e1', event: 'aes_sent', messageId: '000000000001' };

/** A file as the first version left it: one event, delivered to nobody yet. */
function oldFile(folder: string, url: string): void {
	const database = new DatabaseSync(join(folder, 'receiver.sqlite'));
	database.exec(`${STEPS[0]} PRAGMA user_version = 1;`);
	const event = {
		...{ id: 'evt_old', type: 'tracked_mail.sent', sourceType: 'aes_sent', raw: {} },
		...{ messageId: '000000000001', messageType: 'AES', status: 'SENT', terminal: false },
		...{ reversible: false, occurredAt: null, receivedAt: '2026-01-01T00:00:00.000Z' },
		...{ fileReference: null, customerReference: null },
	};
	const subscription = {
		...{ url, events: ['*'], secret: SUBSCRIPTION_SECRET, batchSize: 1, expiresAt: null },
	};
	const now = Date.now();
	database
		.prepare('INSERT INTO events (id, type, message_id, received_at, event) VALUES (?, ?, ?, ?, ?)')
		.run(event.id, event.type, event.messageId, now, JSON.stringify(event));
	const parts = JSON.stringify(['id', OLD.id, event.type]);
	database
		.prepare('INSERT INTO duplicate_keys VALUES (?, ?)')
		.run(createHash('sha256').update(parts).digest('hex'), now + 60_000);
	database
		.prepare('INSERT INTO subscriptions VALUES (?, ?, ?, ?)')
		.run('flow', JSON.stringify(subscription), now, now);
	database
		.prepare(
			`INSERT INTO deliveries (subscription, event_sequence, message_id, state, attempts,
			next_attempt_at, created_at, updated_at) VALUES ('flow', 1, ?, 'pending', 2, ?, ?, ?)`,
		)
		.run(event.messageId, now, now, now);
	database.close();
}

it('takes up the file of the first version where it was left', async () => {
	const there = await target();
	const folder = temporaryFolder();
	oldFile(folder, there.url);
	const receiver = await start({ folder });
	await until(() => there.received.length === 1, 'the old event arrives');
	expect(there.events()[0]).toMatchObject({ id: 'evt_old', sequence: 1 });
	await until(async () => (await receiver.deliveries('delivered')).length === 1, 'that is stored');
	expect(await receiver.deliveries()).toMatchObject([{ attempts: 3, lastResult: '200' }]);
	expect((await receiver.emit(OLD)).body).toEqual({ accepted: 0, duplicates: 1 });
	await receiver.close();

	const database = new DatabaseSync(join(folder, 'receiver.sqlite'));
	expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: STEPS.length });
	expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
	database.close();
});
