// Several receivers on one PostgreSQL (design § 7).
import { cleanUp, environment, start, target, temporaryFolder, until } from './harness.ts';
import { startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';

let postgres: PostgresServer;
beforeAll(async () => {
	postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());
afterEach(cleanUp);

async function receivers(count: number) {
	const env = { DATABASE_URL: await postgres.freshDatabase() };
	// At once, as an orchestrator starts them: they must not trip over each other's migrations.
	return Promise.all(Array.from({ length: count }, () => start({ env })));
}

it('[EVNT-05][R] the same event at several receivers at once is one', async () => {
	const all = await receivers(3);
	const there = await target();
	await all[0].subscribe('flow', there.url);
	const event = { id: 'e1', event: 'aes_sent', messageId: 1 };
	const posts = Array.from({ length: 60 }, (_, n) => all[n % 3].emit(event));
	const answers = await Promise.all(posts);
	expect(answers.filter((answer) => answer.body.accepted === 1)).toHaveLength(1);
	await until(() => there.received.length > 0, 'it arrives');
	expect(await all[2].deliveries()).toHaveLength(1);
});

it('[STAT-05][R] share the work, in order per message, each event once', async () => {
	const all = await receivers(2);
	const there = await target();
	await all[0].subscribe('flow', there.url);
	const states = ['sent', 'received', 'opened'];
	for (const state of states) {
		await Promise.all(
			Array.from({ length: 40 }, (_, n) =>
				all[n % 2].emit({ event: `aes_${state}`, messageId: n + 1 }),
			),
		);
	}
	await until(async () => (await all[1].deliveries('delivered')).length === 120, 'all arrived');
	expect(there.events()).toHaveLength(120);
	for (let message = 1; message <= 40; message++) {
		const own = there.events().filter((event) => Number(event.messageId) === message);
		expect(own.map((event) => event.status)).toEqual(['SENT', 'RECEIVED', 'OPENED']);
	}
});

it('one that stops hands on what it has not delivered', async () => {
	const [first, second] = await receivers(2);
	let status = 503;
	const there = await target(() => status);
	await first.subscribe('flow', there.url, {});
	await first.emit({ event: 'aes_sent', messageId: 1 });
	await until(() => there.received.length > 0, 'it was tried');
	await first.close();
	status = 200;
	const [{ id }] = await second.deliveries();
	await second.manage('POST', `/deliveries/${id as number}/retry`);
	await until(async () => (await second.deliveries('delivered')).length === 1, 'it arrives');
}, 90_000);

it('says what is wrong with a database, and never its password', async () => {
	const folder = temporaryFolder();
	const url = 'postgres://nobody:the-password@127.0.0.1:9/receiver';
	const failing = start({ folder, env: { ...environment(folder), DATABASE_URL: url } });
	await expect(failing).rejects.toThrow(/The database can't be used: .*ECONNREFUSED/);
	await expect(failing).rejects.not.toThrow(/the-password/);
});
