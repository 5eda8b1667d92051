// What a pull returns and when, over HTTP and on both stores. Time is moved by hand.
import { KEY, ManualClock, cleanUp, start, until } from './harness.ts';
import { HTTP_STORES } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const HOLD = 25_000;

const aes = (state: string, messageId: number | null = 1, more: object = {}) => ({
	event: `aes_${state}`,
	...(messageId !== null && { messageId }),
	...more,
});

describe.each(HTTP_STORES)('a pull, in $name', (kind) => {
	async function receiver() {
		const clock = new ManualClock();
		const env = await kind.environment();
		const started = await start({ env, dependencies: { clock } });
		return { ...started, clock };
	}

	/** An open pull: `answered` tells whether it has ended. */
	function hold(
		{ pulled }: Pick<Awaited<ReturnType<typeof receiver>>, 'pulled'>,
		...[body, options]: Parameters<typeof pulled>
	) {
		const state = { answered: false };
		const answer = pulled({ openMs: HOLD, ...body }, options).finally(() => {
			state.answered = true;
		});
		answer.catch(() => undefined);
		return { state, answer };
	}

	it('begins at the end of the log, and gives each event once', async () => {
		const { pulled, emit, clock } = await receiver();
		await emit(aes('sent'));
		const now = new Date(clock.now()).toISOString();
		const nothing = { batches: [], wakeUps: [], waiting: false, watching: false };
		expect(await pulled()).toEqual({ ...nothing, now });
		await emit(aes('opened'));
		const { batches } = await pulled();
		expect(batches).toMatchObject([{ attempt: 1, events: [{ type: 'tracked_mail.opened' }] }]);
		expect((await pulled()).batches).toEqual([]);
		expect((await pulled({ settle: [{ batch: batches[0].id, outcome: 'ack' }] })).batches).toEqual(
			[],
		);
	});

	it('begins where n8n was, at a receiver that has lost its database', async () => {
		const { pulled, emit, clock } = await receiver();
		await emit(aes('sent'));
		clock.advance(60_000);
		const since = new Date(clock.now()).toISOString();
		clock.advance(60_000);
		await emit(aes('opened'));
		const { batches } = await pulled({ since });
		expect(batches).toMatchObject([{ events: [{ type: 'tracked_mail.opened' }] }]);
	});

	it('is held until an event that it wants, and answered with nothing in the end', async () => {
		const { pulled, emit, clock, consumers, atRest } = await receiver();
		const wants = { events: ['tracked_mail.opened'] };
		await pulled({ wants });
		const first = hold({ pulled }, { wants });
		await until(async () => (await consumers()).length === 1, 'it is there');
		await emit(aes('sent'));
		await atRest();
		expect(first.state.answered).toBe(false);
		await emit(aes('opened'));
		expect((await first.answer).batches).toHaveLength(1);

		const second = hold({ pulled }, { wants, atOnce: 2 });
		await atRest();
		clock.advance(HOLD - 1);
		await atRest();
		expect(second.state.answered).toBe(false);
		await emit(aes('sent', 2));
		clock.advance(1);
		expect((await second.answer).batches).toEqual([]);
		// The last look moved past the unwanted events.
		expect(await consumers()).toMatchObject([{ behind: 0, inHand: 1 }]);
	});

	it('gives one that could not be started again after a while, with its reason on record', async () => {
		const { pulled, emit, clock, batches, atRest } = await receiver();
		await pulled();
		await emit(aes('sent'));
		const [{ id: batch }] = (await pulled()).batches;
		const held = hold({ pulled }, { settle: [{ batch, outcome: 'nak', reason: 'n8n is full' }] });
		await until(async () => (await batches('queued')).length === 1, 'it waits');
		expect(await batches('queued')).toMatchObject([{ id: batch, reason: 'n8n is full' }]);
		expect(held.state.answered).toBe(false);
		await atRest();
		clock.advance(5_000);
		expect((await held.answer).batches).toMatchObject([{ id: batch, attempt: 2 }]);
		await pulled({ settle: [{ batch, outcome: 'ack' }] });
		expect(await batches('done')).toMatchObject([{ id: batch, reason: null }]);
	});

	it('replays one event to whoever wants it now', async () => {
		const { pulled, emit, events, manage, atRest } = await receiver();
		await emit(aes('sent'));
		await pulled();
		await pulled({ wants: { events: ['letter.sent'] } }, { key: 'n8n~other' });
		const held = hold({ pulled });
		await atRest();
		const [{ id }] = await events();
		const answer = await manage('POST', `/events/${id}/replay`);
		expect(answer).toMatchObject({ status: 202, body: { consumers: [KEY] } });
		expect((await held.answer).batches).toMatchObject([{ events: [{ id }] }]);
		expect((await manage('POST', '/events/evt_none/replay')).status).toBe(404);
	});

	it('[EVNT-02][R] may name types of a newer pack, and goes by those it knows', async () => {
		const { pulled, emit } = await receiver();
		const wants = { events: ['letter.teleported', 'tracked_mail.sent'] };
		await pulled({ wants });
		await emit([aes('sent'), aes('opened', 2), { event: 'brand_new' }]);
		const { batches } = await pulled({ wants, atOnce: 5 });
		expect(batches.map(({ events }) => events[0].type)).toEqual(['tracked_mail.sent']);
	});

	it('asks for nothing but wake-ups: no consumer is kept', async () => {
		const { pulled, emit, consumers, clock, atRest } = await receiver();
		const wants = null;
		const all = ['holder-one', 'holder-two'].map((holder) => hold({ pulled }, { wants, holder }));
		await atRest();
		await emit(aes('sent'));
		await atRest();
		expect(all.map(({ state }) => state.answered)).toEqual([false, false]);
		clock.advance(HOLD);
		for (const { answer } of all) expect((await answer).batches).toEqual([]);
		expect(await consumers()).toEqual([]);
	});
});
