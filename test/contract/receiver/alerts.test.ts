// What needs a person, minute by minute: begins when it lasts, is told once, and ends once.
import type {
	Attention,
	DeliveryEvent,
} from '../../../webhook-receiver/src/core/event-contract.ts';
import { KEY, ManualClock, cleanUp, consume, start, until } from './harness.ts';
import { pollService } from './watching/service.ts';

const MINUTE = 60_000;
const MB = 1024 ** 2;

/** What the disk has left, and what each of the store's two files takes. */
let free = 100_000 * MB;
let size = MB;
jest.mock('node:fs/promises', () => ({
	...jest.requireActual<object>('node:fs/promises'),
	statfs: async () => ({ bavail: free, bsize: 1 }),
	stat: async () => ({ size }),
}));

jest.setTimeout(120_000);
afterEach(cleanUp);

async function receiverOf(env: Record<string, string> = {}) {
	const clock = new ManualClock();
	const receiver = await start({ env, dependencies: { clock } });
	const told = async (): Promise<Attention[]> =>
		(await receiver.events()).flatMap(({ attention }: DeliveryEvent) => attention ?? []).reverse();
	const states = async () => (await told()).map(({ kind, state }) => `${kind} ${state}`);
	return {
		receiver,
		told,
		/** Kind and state, once something is over; who holds a pull has time to make another. */
		async over() {
			await until(async () => {
				clock.advance(7_000);
				await receiver.atRest();
				return (await told()).some(({ state }) => state === 'resolved');
			}, 'it is over');
			return states();
		},
		/** Kind and state, after so many minutes in each of which the receiver has looked. */
		async after(minutes: number) {
			for (let n = 0; n < minutes; n++) {
				clock.advance(MINUTE);
				await receiver.atRest();
			}
			return states();
		},
	};
}

it('a workflow that is away for an hour, until it is back; a test that is over is none', async () => {
	const { receiver, after, over, told } = await receiverOf();
	const name = 'In\r\nvoi\u202eces';
	await receiver.pulled({ name });
	await receiver.pulled({}, { key: 'n8n~flow~trigger~test' });
	expect(await after(58)).toEqual([]);
	expect(await after(4)).toEqual(['workflow-away begun']);
	const [begun] = await told();
	expect(begun).toMatchObject({
		since: expect.stringMatching(/^2026-01-31T09:30/),
		// It obeys nothing that the name brings along.
		text: expect.stringMatching(
			/^The workflow "In {2}voi ces" has not fetched events since 2026-01-31 09:30 UTC/,
		),
		advice: expect.stringContaining('forget it on the page'),
	});
	await consume(receiver, { name });
	await receiver.untilHeld();
	expect(await over()).toEqual(['workflow-away begun', 'workflow-away resolved']);
	expect((await told())[1]).toMatchObject({
		text: expect.stringContaining('is no longer away'),
		advice: 'Nothing is left to do.',
	});
});

it('one that is unpublished while its n8n listens for another, and is still that when n8n restarts', async () => {
	const { receiver, after, told } = await receiverOf();
	await receiver.pulled({ name: 'Invoices' });
	await receiver.pulled({ leaving: true, name: 'Invoices' });
	const other = await consume(receiver, { name: 'Reminders', key: 'n8n~other~trigger' });
	await until(async () => (await receiver.consumers()).some(({ held }) => held), 'it listens');
	expect(await after(62)).toEqual(['workflow-unpublished begun']);
	expect((await told())[0]?.text).toMatch(/"Invoices" is unpublished, or could not be opened/);
	await other.stop();
	expect(await after(2)).toEqual(['workflow-unpublished begun']);
});

it('batches that are dead, told once however many more there are, until none is', async () => {
	const { receiver, after, over, told } = await receiverOf();
	const name = 'n'.repeat(81);
	await receiver.pulled({ name });
	const refuse = async (...messages: number[]) => {
		await receiver.emit(messages.map((messageId) => ({ event: 'aes_sent', messageId })));
		const { batches } = await receiver.pulled({ atOnce: 9, name });
		const settle = batches.map(({ id }) => ({ batch: id, outcome: 'term' as const }));
		await receiver.pulled({ settle, atOnce: 0, name });
	};
	await refuse(1, 2);
	expect(await after(2)).toEqual(['batches-dead begun']);
	expect((await told())[0]?.text).toMatch(
		new RegExp(`^The workflow "${'n'.repeat(80)}…" .* 2 batches`),
	);
	await refuse(3);
	expect(await after(2)).toEqual(['batches-dead begun']);
	expect((await receiver.manage('POST', '/batches/retry?state=dead')).body).toEqual({ retried: 3 });
	expect((await receiver.consumers())[0]).toMatchObject({ dead: 0 });
	expect(await over()).toEqual(['batches-dead begun', 'batches-dead resolved']);
});

it('a second n8n with the same identity, until it has not asked for ten minutes', async () => {
	const { receiver, after, told } = await receiverOf();
	await consume(receiver, { name: 'Invoices' });
	await receiver.untilHeld();
	expect((await receiver.pull({ holder: 'a-second-n8n-0001' })).status).toBe(409);
	expect(await after(8)).toEqual(['second-n8n begun']);
	expect((await told())[0]?.text).toContain('"Invoices" is asked for by a second n8n');
	expect(await after(4)).toEqual(['second-n8n begun', 'second-n8n resolved']);
});

it('polls that are held up for a quarter of an hour, until the service answers', async () => {
	const service = await pollService();
	service.trouble = () => ({ status: 401 });
	const { receiver, after, told } = await receiverOf(service.env({ WATCH_RATE_LIMIT: '60000' }));
	await receiver.manage('PUT', '/watches/000000000001', { messageType: 'LRE' });
	service.messages.set('000000000001', { status: 'SENT' });
	await until(async () => (await after(1)).length === 0 && service.polls.length > 0, 'a poll');
	expect(await after(13)).toEqual([]);
	expect(await after(3)).toEqual(['polls-paused begun']);
	expect((await told())[0]?.text).toContain('401');
	service.trouble = () => null;
	expect(await after(7)).toEqual(['polls-paused begun', 'polls-paused resolved']);
});

it('a list that the account may not read, until it may', async () => {
	const service = await pollService();
	service.listTrouble = (path) => (path.startsWith('/customers') ? { status: 401 } : null);
	const { receiver, after, told } = await receiverOf(service.env({ WATCH_RATE_LIMIT: '60000' }));
	// Any event: an account that has no customers misses none.
	await receiver.pulled({ atOnce: 0, wants: { events: ['*'] } });
	expect(await after(20)).toEqual([]);
	expect(service.pages.length).toBeGreaterThan(10);
	await receiver.pulled({ atOnce: 0, wants: { events: ['customer.revoked', 'consent.accepted'] } });
	await until(async () => (await after(1)).length > 0, 'it is told');
	expect(await told()).toMatchObject([
		{
			kind: 'lists-unread',
			text: expect.stringContaining(
				'(customers: the service answered 401: only resellers have customers)',
			),
			advice: expect.stringContaining('leave its events out'),
		},
	]);
	service.listTrouble = () => null;
	await until(async () => (await after(5)).length > 1, 'it is over');
	expect((await told())[1]).toMatchObject({ kind: 'lists-unread', state: 'resolved' });
	// From then on, too, once is not twice in a row.
	let failures = 0;
	service.listTrouble = (path) =>
		path.startsWith('/customers') && failures++ === 0 ? { status: 500 } : null;
	expect(await after(20)).toHaveLength(2);
	expect(failures).toBeGreaterThan(1);
});

it('a disk with less than 256 MB or a tenth of it free, until there is a quarter more', async () => {
	const { after, told } = await receiverOf();
	free = 257 * MB;
	expect(await after(2)).toEqual([]);
	free = 255 * MB;
	expect(await after(2)).toEqual(['store-nearly-full begun']);
	expect((await told())[0]?.text).toContain('255 MB are free');
	free = 319 * MB;
	expect(await after(2)).toEqual(['store-nearly-full begun']);
	free = 330 * MB;
	expect(await after(2)).toEqual(['store-nearly-full begun', 'store-nearly-full resolved']);
	// A large store makes it a tenth of both together.
	size = 4_500 * MB;
	free = 1_001 * MB;
	expect(await after(2)).toHaveLength(2);
	free = 998 * MB;
	expect((await after(2)).slice(2)).toEqual(['store-nearly-full begun']);
	free = 1_280 * MB;
	expect(await after(2)).toHaveLength(3);
	free = 1_290 * MB;
	expect((await after(2)).slice(3)).toEqual(['store-nearly-full resolved']);
	size = MB;
});

it('an event of attention is one of the contract, about no letter, for who names it alone', async () => {
	const { receiver, after } = await receiverOf();
	await receiver.pulled({ wants: { events: ['*'] } });
	const named = { events: ['receiver.attention'] };
	await receiver.pulled({ wants: named }, { key: 'n8n~other' });
	await after(62);
	const { batches } = await receiver.pulled({ wants: named, atOnce: 9 }, { key: 'n8n~other' });
	const [event] = batches.flatMap((batch) => batch.events);
	expect(event).toMatchObject({
		type: 'receiver.attention',
		sourceType: null,
		messageId: null,
		messageType: null,
		status: null,
		terminal: false,
		raw: null,
		occurredAt: event?.attention?.since,
	});
	expect((await receiver.pulled({ atOnce: 9 }, { key: KEY })).batches).toEqual([]);
});
