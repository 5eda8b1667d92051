// Watching, over both stores: a receiver, a service that answers over HTTP, a clock moved by hand.
import { eventSchema, storedWatchSchema } from '../../../webhook-receiver/src/contract.ts';
import type { DeliveryEvent } from '../../../webhook-receiver/src/contract.ts';
import {
	ManualClock,
	cleanUp,
	settleDown,
	start,
	target,
	temporaryFolder,
	until,
} from './harness.ts';
import { startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { SERVICE_TOKEN, pollService } from './watching/service.ts';
import type { PolledMessage } from './watching/service.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ID = '000000000001';

let postgres: PostgresServer;
beforeAll(async () => {
	postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());
afterEach(cleanUp);

describe.each([
	['SQLite', async (): Promise<Record<string, string>> => ({})],
	['PostgreSQL', async () => ({ DATABASE_URL: await postgres.freshDatabase() })],
])('%s', (_, database) => {
	async function watching(more: Record<string, string> = {}) {
		const clock = new ManualClock();
		const service = await pollService(clock.now);
		const env = { ...(await database()), ...service.env(more), WATCH_RATE_LIMIT: '60000' };
		const folder = temporaryFolder();
		const open = () => start({ folder, env, dependencies: { clock } });
		const receiver = await open();
		return { clock, service, env, folder, open, ...driver(receiver, clock, service) };
	}

	it('says who it is and makes an event of each change', async () => {
		const { receiver, service, see, events } = await watching();
		service.messages.set(ID, { status: 'SENT', evidences: ['SENT'] });
		const put = await receiver.manage('PUT', `/watches/${ID}`, { messageType: 'LRE' });
		expect(put.status).toBe(201);
		expect(storedWatchSchema.parse(put.body)).toMatchObject({ messageType: 'LRE', status: null });
		expect((await receiver.manage('PUT', `/watches/${ID}`, {})).status).toBe(200);

		await see(ID, { status: 'SENT', evidences: ['SENT'] });
		await see(ID, { status: 'SENT', evidences: ['SENT'] });
		await see(ID, { status: 'ACCEPTED', evidences: ['SENT', 'ACCEPTED'] });
		expect(service.polls[0]).toMatchObject({ token: SERVICE_TOKEN });
		const [sent, accepted] = await events();
		expect(eventSchema.parse(sent)).toMatchObject({
			...{ type: 'letter.sent', sourceType: 'status', messageId: ID, messageType: 'LRE' },
			...{ status: 'SENT', terminal: false, occurredAt: null },
			raw: { id: ID, status: 'SENT', evidences: [{ eventType: 'SENT' }] },
		});
		expect(accepted).toMatchObject({ type: 'letter.accepted', terminal: true });
		expect(JSON.stringify(accepted)).not.toContain('signed.example');
		expect(await events()).toHaveLength(2);

		const { body } = await receiver.manage('GET', `/watches/${ID}`);
		expect(body).toMatchObject({ status: 'ACCEPTED', endReason: 'final', nextPollAt: null });
	});

	it('polls no more after the final status', async () => {
		const { clock, receiver, service, see } = await watching();
		await receiver.manage('PUT', `/watches/${ID}`, { messageType: 'LS' });
		await see(ID, { status: 'RECEIVED', evidences: ['SENT', 'RECEIVED'] });
		const before = service.polls.length;
		for (let day = 0; day < 5; day++) {
			clock.advance(DAY);
			await settleDown();
		}
		expect(service.polls).toHaveLength(before);
	});
});

/** What tests do with a receiver that watches. */
function driver(
	receiver: Awaited<ReturnType<typeof start>>,
	clock: ManualClock,
	service: Awaited<ReturnType<typeof pollService>>,
) {
	/** Gives a message a status, and lets time pass until that was polled and stored. */
	const see = async (messageId: string, message: PolledMessage) => {
		service.messages.set(messageId, message);
		const polledAt = async () =>
			(await receiver.manage('GET', `/watches/${messageId}`)).body.polledAt as string | null;
		const begun = clock.now();
		await until(async () => {
			clock.advance(15_000);
			const at = await polledAt();
			return at !== null && Date.parse(at) > begun;
		}, `${messageId} is polled`);
	};
	/** All events, oldest first. */
	const events = async () => {
		const { body } = await receiver.manage('GET', '/events?limit=500');
		return (body.data as DeliveryEvent[]).reverse();
	};
	const types = async () => (await events()).map(({ type }) => type);
	return { receiver, see, events, types };
}
