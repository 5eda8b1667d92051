import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ManualClock, cleanUp, start, target, temporaryFolder, until } from './harness.ts';
import { killUnderLoad, startProcess } from './process.ts';

afterEach(cleanUp);

it('kill -9 under load loses no acknowledged event and leaves a sound file', async () => {
	const folder = temporaryFolder();
	const acknowledged = await killUnderLoad(folder, 3);
	expect(acknowledged.size).toBeGreaterThan(30);

	const database = new DatabaseSync(join(folder, 'receiver.sqlite'));
	expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
	const rows = database
		.prepare(
			`SELECT json_extract(e.event, '$.raw.id') AS id, count(d.id) AS deliveries
			FROM events e LEFT JOIN deliveries d ON d.event_sequence = e.sequence GROUP BY e.sequence`,
		)
		.all() as Array<{ id: string; deliveries: number }>;
	database.close();
	const kept = new Map(rows.map((row) => [row.id, row.deliveries]));
	expect(rows).toHaveLength(kept.size);
	expect([...acknowledged].filter((id) => kept.get(id) !== 1)).toEqual([]);
}, 120_000);

it('a second process on the same file refuses to start and says why', async () => {
	const folder = temporaryFolder();
	const first = await startProcess(folder);
	await expect(startProcess(folder)).rejects.toThrow(/in use by another receiver/);
	expect((await first.emit({ event: 'aes_sent' })).status).toBe(200);
	first.child.kill('SIGTERM');
	expect(await first.exited).toEqual([0, null]);
});

it('pending deliveries go on after a restart, with their count of attempts', async () => {
	const clock = new ManualClock();
	const first = await start({ dependencies: { clock } });
	let status = 503;
	const there = await target(() => status);
	await first.subscribe('flow', there.url);
	await first.emit([
		{ event: 'aes_sent', messageId: 1 },
		{ event: 'aes_opened', messageId: 1 },
	]);
	await until(async () => (await first.deliveries()).at(-1)?.attempts === 1, 'it was tried once');
	await first.close();

	status = 200;
	const second = await start({ folder: first.folder, dependencies: { clock } });
	expect(await second.deliveries('pending')).toHaveLength(2);
	clock.advance(5_000);
	await until(
		async () => (await second.deliveries('delivered')).length === 2,
		'both are delivered',
	);
	const [opened, sent] = await second.deliveries();
	expect([sent.attempts, opened.attempts]).toEqual([2, 1]);
	expect(there.types()).toEqual(['tracked_mail.sent', 'tracked_mail.sent', 'tracked_mail.opened']);
});

it('a stop finishes what is under way', async () => {
	const receiver = await start();
	const there = await target();
	await receiver.subscribe('flow', there.url);
	const posts = Array.from({ length: 40 }, (_, n) => receiver.emit({ event: 'aes_sent', n }));
	await posts[0];
	const closed = receiver.close();
	const answers = await Promise.allSettled(posts);
	await closed;
	const acknowledged = answers.filter(
		(answer) => answer.status === 'fulfilled' && answer.value.status === 200,
	).length;
	const again = await start({ folder: receiver.folder });
	await until(async () => (await again.deliveries('pending')).length === 0, 'nothing is pending');
	expect((await again.deliveries('delivered')).length).toBeGreaterThanOrEqual(acknowledged);
	await until(() => there.events().length >= acknowledged, 'all arrived');
});

it('cleans up what is past its time, and keeps what is still to be delivered', async () => {
	const clock = new ManualClock();
	const receiver = await start({
		dependencies: { clock },
		env: { RETENTION: '2d', RETRY_DELAYS: '30d' },
	});
	const [fine, dead] = await Promise.all([target(), target(() => 500)]);
	await receiver.subscribe('fine', fine.url);
	await receiver.subscribe('dead', dead.url, { events: ['tracked_mail.opened'] });
	await receiver.emit([
		{ event: 'aes_sent', id: 'e1' },
		{ event: 'aes_opened', id: 'e2' },
	]);
	await until(
		async () => (await receiver.deliveries('delivered')).length === 2,
		'both are delivered',
	);
	await until(() => dead.received.length === 1, 'the dead one was tried');
	await until(
		async () => (await receiver.deliveries('pending'))[0].attempts === 1,
		'its failure is stored',
	);
	clock.advance(2 * 86_400_000 + 1);
	await until(async () => (await receiver.deliveries()).length === 1, 'the rest is cleaned');
	const { body } = await receiver.manage('GET', '/events');
	expect(body.data).toMatchObject([{ type: 'tracked_mail.opened' }]);
	expect((await receiver.emit({ event: 'aes_sent', id: 'e1' })).body.accepted).toBe(1);
});

it('refuses a file of a newer version', async () => {
	const folder = temporaryFolder();
	const database = new DatabaseSync(join(folder, 'receiver.sqlite'));
	database.exec('PRAGMA user_version = 99');
	database.close();
	await expect(start({ folder })).rejects.toThrow(/made by a newer receiver/);
});
