// Over HTTP, on both stores: when the clock is set back, what was noted in the future is over, and
// nothing waits longer for it.
import { ACK_WAIT_MS } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { LETTER, ME, claimClient } from './claim-client.ts';
import { cleanUp, idsTo, until, waitFor } from './harness.ts';
import { Restartable } from './restartable.ts';
import { STORES } from './store-environment.ts';
import { pollService } from './watching/service.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const [A, B] = idsTo(2);
const [ONE, OTHER] = ['holder-one', 'holder-other'];

describe.each(STORES)('$name', (kind) => {
	const receiving = async (more?: Record<string, string>) => {
		const place = await Restartable.on(kind, more);
		return { ...place.receiver, clock: place.clock };
	};
	const watching = async (more: Record<string, string> = {}) => {
		const service = await pollService();
		return { service, ...(await receiving(service.env({ WATCH_RATE_LIMIT: '60000', ...more }))) };
	};
	const sent = (messageId: string) => ({ event: 'aes_sent', messageId });

	it('a batch comes again at once, whether it paused or was in hand', async () => {
		const { pulled, emit, clock } = await receiving();
		await pulled();
		await emit([sent(A), sent(B)]);
		const take = async () => (await pulled({ atOnce: 2 })).batches.map(({ id }) => id);
		const both = await take();
		expect(both).toHaveLength(2);
		await pulled({ atOnce: 0, settle: [{ batch: both[0], outcome: 'nak' }] });
		// Receivers whose clocks differ a little do not take each other's.
		clock.set(-MINUTE);
		expect(await take()).toEqual([]);
		clock.set(-HOUR);
		expect(await take()).toEqual(both);
		clock.advance(ACK_WAIT_MS - 1);
		expect(await take()).toEqual([]);
	});

	it('a holder that is gone keeps its consumer no longer', async () => {
		const { pull, pulled, consumers, clock } = await receiving();
		await pulled({ holder: ONE });
		clock.set(-MINUTE);
		expect((await pull({ holder: OTHER })).status).toBe(409);
		clock.set(-HOUR);
		expect((await pull({ holder: OTHER })).status).toBe(200);
		expect(await consumers()).toMatchObject([{ pulledAt: new Date(clock.now()).toISOString() }]);
	});

	it('who holds a consumer keeps it when it pulls again', async () => {
		const { pull, pulled, clock } = await receiving();
		await pulled({ holder: ONE });
		clock.set(-HOUR);
		await pulled({ holder: ONE });
		clock.advance(SECOND);
		expect((await pull({ holder: OTHER })).status).toBe(409);
	});

	it('a claim has lapsed, and lapsing frees nothing', async () => {
		const { manage, clock } = await receiving();
		const { claim, get, list } = claimClient({ manage });
		await claim(ME, 'k', { letter: LETTER });
		clock.set(-MINUTE);
		expect(await get()).toMatchObject({ state: 'leaving' });
		expect((await list('?state=leaving')).data).toHaveLength(1);
		clock.set(-HOUR);
		expect(await get()).toMatchObject({ state: 'unknown' });
		expect((await list('?state=unknown')).data).toHaveLength(1);
		// The longest lease is a day.
		clock.set(-49 * HOUR);
		const { body } = await manage('GET', '/letters?outcome=unknown');
		expect(body.data).toMatchObject([{ claim: 'k' }]);
	});

	it('a wait is looked at, and its wake-up comes again, at once; its deadline stays', async () => {
		const { manage, pulled, emit, clock } = await receiving();
		const take = async () =>
			(await pulled({ wants: null }, { key: 'n8n~process' })).wakeUps.map(
				({ resume }) => resume.waitId,
			);
		const deadline = new Date(clock.now() + HOUR).toISOString();
		const put = (id: string, messageId: string) =>
			manage('PUT', `/waits/${id}`, waitFor(clock, [messageId], { deadline }));
		const shown = async (id: string) => (await manage('GET', `/waits/${id}`)).body;
		const [first, second] = ['wait-0000-0000-0001', 'wait-0000-0000-0002'];
		await put(first, A);
		await emit({ event: 'aes_opened', messageId: A });
		await until(async () => (await shown(first)).state === 'queued', 'it is due');
		expect(await take()).toEqual([first]);
		clock.set(-MINUTE);
		expect(await take()).toEqual([]);
		await put(second, B);
		clock.set(-HOUR);
		expect(await take()).toEqual([first]);
		await emit({ event: 'aes_opened', messageId: B });
		await until(async () => (await shown(second)).state === 'queued', 'it is due');
		expect(await take()).toEqual([second]);
		clock.advance(ACK_WAIT_MS - 1);
		expect(await take()).toEqual([]);
		expect(await shown(second)).toMatchObject({ deadline });
	});

	it('letters are polled at once, and then at their own pace', async () => {
		const { service, manage, clock, atRest } = await watching();
		await manage('PUT', `/watches/${A}`, {});
		const pass = async (milliseconds: number) => {
			clock.advance(milliseconds);
			await atRest();
		};
		while (service.polls.length === 0) await pass(15 * SECOND);
		// By more than the longest pause between two polls.
		clock.set(-24 * HOUR);
		for (let seconds = 0; seconds < 60 && service.polls.length === 1; seconds++) await pass(SECOND);
		expect(service.polls).toHaveLength(2);
		await pass(5 * SECOND);
		expect(service.polls).toHaveLength(2);
		const { body } = await manage('GET', `/watches/${A}`);
		expect(Date.parse(String(body.nextPollAt))).toBeGreaterThan(clock.now());
	});

	it('letters are polled soon, though more are due than the rate limit allows', async () => {
		const env = { WATCH_RATE_LIMIT: '60', WATCH_DELAYS: '0s:5s' };
		const { service, manage, clock, atRest } = await watching(env);
		for (const id of idsTo(30).slice(1)) {
			service.messages.set(id, { status: 'SENT' });
			await manage('PUT', `/watches/${id}`, {});
		}
		clock.advance(24 * HOUR);
		await manage('PUT', `/watches/${A}`, {});
		clock.set(-24 * HOUR + 10 * SECOND);
		for (let seconds = 0; seconds < 60; seconds++) {
			clock.advance(SECOND);
			await atRest();
		}
		expect(service.polls.map(({ messageId }) => messageId)).toContain(A);
	});

	it('what needs a person begins and ends as ever', async () => {
		const { manage, pulled, emit, events, atRest, clock } = await receiving();
		await pulled();
		await emit(sent(A));
		const [{ id: batch }] = (await pulled()).batches;
		await pulled({ atOnce: 0, settle: [{ batch, outcome: 'term' }] });
		const told = async () => {
			for (let minutes = 0; minutes < 3; minutes++) {
				clock.advance(MINUTE);
				await atRest();
			}
			return (await events())[0]?.attention?.state;
		};
		expect(await told()).toBe('begun');
		clock.set(-HOUR);
		await manage('POST', '/batches/retry?state=dead');
		expect(await told()).toBe('resolved');
	});

	it('an identical body counts as new', async () => {
		const { emit, clock } = await receiving();
		const same = async () => (await emit({ event: 'news' })).body;
		expect(await same()).toMatchObject({ accepted: 1 });
		clock.set(-MINUTE);
		expect(await same()).toMatchObject({ duplicates: 1 });
		clock.set(-HOUR);
		expect(await same()).toMatchObject({ accepted: 1 });
		clock.advance(10 * MINUTE - 1);
		expect(await same()).toMatchObject({ duplicates: 1 });
	});
});
