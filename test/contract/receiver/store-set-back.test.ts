// One contract, both stores: when the clock is set back, what was noted in the future is over, and
// nothing waits longer for it. Times are passed in.
import type { KeyedChange } from '../../../webhook-receiver/src/core/claim-contract.ts';
import { ACK_WAIT_MS } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { STORES, type Opened } from './store-environment.ts';
import { arrival, pullOf } from './stores.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Of `candidate`. */
const [A, B] = ['000000000001', '000000000002'];

const PACE = { delays: [{ age: 0, delay: MINUTE }], limitMs: 100 * HOUR };

describe.each(STORES)('$name', (kind) => {
	let opened: Opened;
	/** The true time, and that of the clock until it is set back. */
	const NOW = Date.UTC(2026, 0, 31, 9, 30);
	const LATER = NOW + HOUR;
	beforeEach(async () => {
		opened = await kind.open();
	});
	afterEach(() => opened.end());

	const ingest = (raw: object, now: number) => opened.store.intake.add(arrival(now, raw));

	it('a batch comes again at once, whether it paused or was in hand', async () => {
		const { consumers } = opened.store;
		await consumers.take(pullOf('n8n~a'), LATER);
		await ingest({ id: 'e1', event: 'aes_sent', messageId: A }, LATER);
		await ingest({ id: 'e2', event: 'aes_sent', messageId: B }, LATER);
		const first = await consumers.take(pullOf('n8n~a', { atOnce: 2 }), LATER);
		const [refused, running] = first.kind === 'taken' ? first.batches : [];
		const settle = [{ batch: refused?.id ?? '', outcome: 'nak' as const }];
		await consumers.settle('n8n~a', 'first-n8n', settle, LATER);
		const pull = async (now: number) => {
			const taken = await consumers.take(pullOf('n8n~a', { atOnce: 2 }), now);
			return taken.kind === 'taken' ? taken.batches.map(({ id }) => id) : taken;
		};
		// Receivers whose clocks differ a little do not take each other's.
		expect(await pull(LATER - MINUTE)).toEqual([]);
		expect(await pull(NOW)).toEqual([refused?.id, running?.id]);
		expect(await pull(NOW + MINUTE - 1)).toEqual([]);
	});

	it('a holder that is gone keeps its consumer no longer', async () => {
		const { consumers } = opened.store;
		await consumers.take(pullOf('n8n~a', { holdMs: 25 * SECOND }), LATER);
		const pullByAnother = async (now: number) =>
			(await consumers.take(pullOf('n8n~a', { holder: 'another-n8n' }), now)).kind;
		expect(await pullByAnother(LATER - MINUTE)).toBe('held');
		expect(await pullByAnother(NOW)).toBe('taken');
		expect(await consumers.list(NOW)).toMatchObject([{ pulledAt: new Date(NOW).toISOString() }]);
	});

	it('who holds a consumer keeps it when it pulls again', async () => {
		const { consumers } = opened.store;
		const pull = (holder: string, now: number) =>
			consumers.take(pullOf('n8n~a', { holder, holdMs: 25 * SECOND }), now);
		await pull('first-n8n', LATER);
		await pull('first-n8n', NOW);
		expect(await pull('another-n8n', NOW + SECOND)).toMatchObject({ kind: 'held' });
	});

	it('a list is asked for again at once', async () => {
		const { consumers, watching } = opened.store;
		const wants = { events: ['consent.accepted'], batchSize: 1 };
		await consumers.take(pullOf('n8n~a', { wants }), LATER);
		await watching.want(LATER);
		const lease = async (now: number) =>
			(await watching.lease({ now, most: 5, intervalMs: 0, leaseMs: MINUTE })).listPages;
		expect(await lease(LATER)).toMatchObject([{ list: 'consents', page: 1 }]);
		expect(await lease(LATER - MINUTE)).toEqual([]);
		expect(await lease(NOW)).toMatchObject([{ list: 'consents', page: 1 }]);
		expect(await lease(NOW + MINUTE - 1)).toEqual([]);
		expect(await lease(NOW + MINUTE)).toMatchObject([{ list: 'consents', page: 1 }]);
	});

	it('a claim has lapsed, and lapsing frees nothing', async () => {
		const { claims } = opened.store;
		const change: KeyedChange = {
			key: 'invoice-7',
			state: 'leaving',
			holder: 'run-7',
			leaseSeconds: 60,
			takeUnknown: false,
		};
		await claims.change([change], LATER);
		const listed = async (state: 'leaving' | 'unknown', now: number) =>
			(await claims.list({ state, name: null, before: null, limit: 9 }, now)).length;
		expect(await claims.get('invoice-7', LATER - MINUTE)).toMatchObject({ state: 'leaving' });
		expect(await listed('leaving', LATER - MINUTE)).toBe(1);
		expect(await claims.get('invoice-7', NOW)).toMatchObject({ state: 'unknown' });
		expect([await listed('unknown', NOW), await claims.unknown(NOW)]).toEqual([1, 1]);
	});

	it('a wait is looked at, and its wake-up comes again, at once; its deadline stays', async () => {
		const { waits } = opened.store;
		const lease = (now: number) => waits.lease({ instance: 'n8n', holder: 'one', most: 10 }, now);
		const deadline = new Date(LATER + HOUR).toISOString();
		const wait = (messageId: string) => ({
			instance: 'n8n',
			resumeUrl: 'http://127.0.0.1:9/',
			deadline,
			secret: 'secret-of-this-wait-alone-0123456789',
			trackedMailGoal: 'opened' as const,
			messages: [{ messageId, messageType: 'AES' as const }],
		});
		await waits.put('wait-0000-0000-0001', wait(A), LATER);
		await ingest({ event: 'aes_opened', messageId: A }, LATER);
		while (await waits.gather(LATER));
		expect(await lease(LATER)).toHaveLength(1);
		await waits.put('wait-0000-0000-0002', wait(B), LATER);
		await ingest({ event: 'aes_opened', messageId: B }, LATER);
		expect(await waits.nextGather()).toBeLessThanOrEqual(NOW);
		expect(await lease(LATER - MINUTE)).toEqual([]);
		expect(await waits.waiting('n8n', NOW)).toEqual({ any: true, nextAt: 0 });
		expect(await lease(NOW)).toHaveLength(1);
		expect(await lease(NOW + ACK_WAIT_MS - 1)).toEqual([]);
		expect(await waits.get('wait-0000-0000-0002')).toMatchObject({ deadline });
	});

	it('letters are polled at once, and then at their own pace, however many', async () => {
		const { watching } = opened.store;
		const letters = Array.from({ length: 1_100 }, (_, n) => ({
			messageId: String(n).padStart(12, '0'),
		}));
		await watching.put(letters, LATER, PACE);
		const lease = async (now: number) =>
			(await watching.lease({ now, most: 2_000, intervalMs: 0, leaseMs: MINUTE })).polls.length;
		expect(await lease(LATER - MINUTE)).toBe(0);
		expect((await watching.figures(NOW)).nextPollAt).toBe(NOW);
		expect(await lease(NOW)).toBe(1_100);
		expect(await lease(NOW + MINUTE - 1)).toBe(0);
		expect(await lease(NOW + MINUTE)).toBe(1_100);
	});

	it('a service that asked for a pause is asked again at once, and may ask for another', async () => {
		const { watching } = opened.store;
		await watching.put([{ messageId: A }], LATER - HOUR, PACE);
		const lease = async (now: number) =>
			(await watching.lease({ now, most: 1, intervalMs: 0, leaseMs: MINUTE })).polls.length;
		await watching.hold({ until: LATER + 2 * MINUTE, problem: 'busy', now: LATER });
		expect(await watching.figures(LATER)).toMatchObject({ freeAt: LATER + 2 * MINUTE });
		expect(await watching.figures(NOW)).toMatchObject({ freeAt: NOW, problemAt: LATER });
		await watching.hold({ until: NOW + 2 * MINUTE, problem: 'busy', now: NOW });
		expect(await watching.figures(NOW)).toMatchObject({
			freeAt: NOW + 2 * MINUTE,
			problemAt: NOW,
		});
		expect(await lease(NOW + 2 * MINUTE - 1)).toBe(0);
		expect(await lease(NOW + 2 * MINUTE)).toBe(1);
	});

	it('polls are as far apart as the rate limit says, and no further', async () => {
		const { watching } = opened.store;
		await watching.put([{ messageId: A }, { messageId: B }], LATER - HOUR, PACE);
		const lease = async (now: number) =>
			(await watching.lease({ now, most: 1, intervalMs: SECOND, leaseMs: MINUTE })).polls.length;
		expect(await lease(LATER)).toBe(1);
		expect(await lease(NOW + 2 * MINUTE)).toBe(1);
		expect(await lease(NOW + 2 * MINUTE + SECOND - 1)).toBe(0);
		expect(await lease(NOW + 2 * MINUTE + SECOND)).toBe(1);
	});

	it('an identical body counts as new', async () => {
		const same = { event: 'news' };
		await opened.store.consumers.take(pullOf('n8n~a'), LATER);
		await ingest(same, LATER);
		expect(await ingest(same, LATER - MINUTE)).toMatchObject({ duplicates: 1 });
		expect(await ingest(same, NOW)).toMatchObject({ accepted: 1 });
		expect(await ingest(same, NOW + 10 * MINUTE - 1)).toMatchObject({ duplicates: 1 });
	});
});
