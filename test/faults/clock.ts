import { startPostgres } from '../contract/receiver/postgres-server.ts';
import type { PostgresServer } from '../contract/receiver/postgres-server.ts';
import { record } from './figures.ts';
import { World } from './world.ts';

const HOUR = 3_600_000;

/** How far the clock is off, one after the other; the last but one is 1970. */
const steps = () => [HOUR, -HOUR, 0, Date.parse('2038-01-20') - Date.now(), 60_000 - Date.now(), 0];

/** A secret without a time: signatures of another time are refused, and rightly. */
const SECRET = 'shared-secret-of-tests';

/** A consumer that nobody pulls: what it is behind rises with each event. */
const IDLE = 'n8n~idle~trigger~production';

export function clockFaults() {
	let postgres: PostgresServer;
	beforeAll(async () => {
		postgres = await startPostgres();
	});
	afterAll(() => postgres.stop());

	it('SQLite: the clock is set forward and back while events flow', async () => {
		await setForthAndBack('SQLite', [{}]);
	});

	it('PostgreSQL: the clock of one of two receivers is set forward and back', async () => {
		const env = { DATABASE_URL: await postgres.freshDatabase() };
		await setForthAndBack('one of two receivers', [env, env]);
	});
}

async function setForthAndBack(name: string, receivers: Array<Record<string, string>>) {
	const world = await World.start({
		receivers: receivers.map((env) => ({ ...env, INGEST_SHARED_SECRETS: SECRET })),
		headers: { 'x-webhook-secret': SECRET },
	});
	const [receiver] = world.receivers;
	await receiver.pull({}, { key: IDLE });
	const BEHIND = /^receiver_consumer_behind\{consumer="n8n~idle[^}]*\} (\d+)/m;
	const behind = async () => Number(BEHIND.exec(await receiver.metrics())?.[1]);
	for (const ahead of steps()) {
		await world.flows(150);
		const waiting = await world.log();
		await receiver.setClock(ahead);
		const shown = await behind();
		await world.until(async () => (await behind()) > shown, '/metrics goes on');
		await world.until(
			() => waiting.every(({ id }) => world.n8n.executed.has(id)),
			'what waited is handed out',
		);
	}
	record(`clock ±1 h, 2038, 1970: ${name}`, await world.verdict());
}
