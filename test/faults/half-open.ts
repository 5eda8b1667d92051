import { startPostgres } from '../contract/receiver/postgres-server.ts';
import type { PostgresServer } from '../contract/receiver/postgres-server.ts';
import { behindProxy } from '../contract/receiver/behind-proxy.ts';
import { start as startReceiver } from '../contract/receiver/harness.ts';
import type { Silence, TcpProxy } from '../support/tcp-proxy.ts';
import { record } from './figures.ts';
import { LIMIT_MS, World } from './world.ts';

/** What tells the connections of a receiver apart (src/engines/postgres). */
const WRITER = { where: 'pg_advisory_xact_lock(7306252)' };
const LISTENER = { where: 'LISTEN registered_delivery' };

/** A receiver answers within two seconds whether it is ready; the rest is this machine's. */
const READINESS_MS = 3_000;

export function halfOpenFaults() {
	let postgres: PostgresServer;
	beforeAll(async () => {
		postgres = await startPostgres();
	});
	afterAll(() => postgres.stop());

	/** Two receivers, the first behind a proxy that can fall silent. */
	async function start(): Promise<{ world: World; proxy: TcpProxy }> {
		const direct = await postgres.freshDatabase();
		const { url, proxy } = await behindProxy(direct);
		const receivers = [{ DATABASE_URL: url }, { DATABASE_URL: direct }];
		return { world: await World.start({ receivers }), proxy };
	}

	const whole: Array<[string, Silence, 'speak' | 'speakToNew']> = [
		['in both directions', {}, 'speakToNew'],
		['for answers only, then late', { answersOnly: true }, 'speak'],
	];
	it.each(whole)(
		'all connections silent %s: 503 and not ready, until they are back',
		async (name, what, back) => {
			const { world, proxy } = await start();
			await world.flows();
			proxy.fallSilent(what);
			await world.untilReadiness(0, 503);
			const [readiness] = await Promise.all([world.readiness(0), world.refuses()]);
			expect(readiness.status).toBe(503);
			expect(readiness.ms).toBeLessThan(READINESS_MS);
			// The other one is only held up for as long as PostgreSQL waits for the silent one.
			await world.untilReadiness(1, 200);
			await world.flows();
			proxy[back]();
			await world.untilReadiness(0, 200);
			await world.flows();
			record(`PostgreSQL half-open, ${name}`, await world.verdict());
		},
	);

	it('all connections silent: nobody waits for more than two attempts, however many wait', async () => {
		const { url, proxy } = await behindProxy(await postgres.freshDatabase());
		const { emit } = await startReceiver({ env: { DATABASE_URL: url } });
		expect((await emit({ event: 'aes_sent' })).status).toBe(200);
		proxy.fallSilent({});
		const begun = performance.now();
		// Two of them are too much for one transaction.
		const events = Array.from({ length: 400 }, (_, n) => ({ event: 'aes_sent', n }));
		const answers = await Promise.all(Array.from({ length: 20 }, () => emit(events)));
		expect(answers.every(({ status }) => status === 503)).toBe(true);
		expect(performance.now() - begun).toBeLessThan(LIMIT_MS);
		proxy.speakToNew();
	});

	it('answers so slow that a transaction would take ten seconds', async () => {
		const { world, proxy } = await start();
		await world.flows();
		proxy.slowDown(2_500);
		await world.untilReadiness(0, 503);
		await world.refuses();
		proxy.slowDown(0);
		await world.untilReadiness(0, 200);
		record('PostgreSQL answers after 2.5 s', await world.verdict());
	});

	const single: Array<[string, Silence, string | null]> = [
		['the appending one, idle or not', WRITER, null],
		['the appending one in a transaction', WRITER, 'tracked_mail.'],
		['the appending one in COMMIT', { ...WRITER, answersOnly: true }, 'COMMIT'],
		['the listening one', LISTENER, null],
	];
	it('one connection silent, and never heard of again', async () => {
		const { world, proxy } = await start();
		for (const [, what, after] of single) {
			await world.flows();
			if (after === null) proxy.fallSilent(what);
			else await proxy.fallSilentAfter(after, what);
			if (what.where === WRITER.where) {
				// No other connection tells it that all is well.
				await world.untilReadiness(0, 503);
				await world.untilReadiness(0, 200);
			}
			const before = world.n8n.executed.size;
			await world.until(() => world.n8n.executed.size > before + 100, 'n8n gets more');
		}
		record(`PostgreSQL half-open, one connection × ${single.length}`, await world.verdict());
	});
}
