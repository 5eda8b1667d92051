// One contract, both stores: consumers and their batches. Times are passed
// in.
import type { Batch, BatchSettlement } from '../../../webhook-receiver/src/core/pull-contract.ts';
import type { Take } from '../../../webhook-receiver/src/pull/consumer-rows.ts';
import { STORES, type Opened } from './store-environment.ts';
import { arrival, pullOf } from './stores.ts';

const MINUTE = 60_000;

describe.each(STORES)('$name', (kind) => {
	let opened: Opened;
	let now: number;
	beforeEach(async () => {
		opened = await kind.open();
		now = Date.now();
	});
	afterEach(() => opened.end());

	const consumers = () => opened.store.consumers;
	const ingest = (...raws: object[]) => opened.store.intake.add(arrival(now, ...raws));
	const aes = (state: string, messageId: number) => ({ event: `aes_${state}`, messageId });
	const sent = (from: number, to: number) =>
		Array.from({ length: to - from + 1 }, (_, n) => aes('sent', from + n));
	/** Pulls; returns what was handed out. */
	async function take(more: Partial<Take> = {}, key = 'flow'): Promise<Batch[]> {
		const taken = await consumers().take(pullOf(key, more), now);
		if (taken.kind === 'held') throw new Error('held by another');
		return taken.batches;
	}
	const settling = (outcome: BatchSettlement['outcome'], ...batches: Batch[]) =>
		batches.map(({ id }) => ({ batch: id, outcome, reason: `said ${outcome}` }));
	const messages = (batches: Batch[]) =>
		batches.map(({ events }) => events.map(({ messageId }) => Number(messageId)));
	const shown = async (key = 'flow') =>
		(await consumers().list(now)).find((consumer) => consumer.key === key);
	const many = { atOnce: 100 };

	it('begins where its receiver lost the database, if it was known before', async () => {
		await ingest(aes('sent', 1));
		now += MINUTE;
		const since = now;
		await ingest(aes('sent', 2), aes('sent', 3));
		expect(messages(await take({ since, ...many }))).toEqual([[2], [3]]);
		expect(await take({ since, ...many }, 'fresh')).toHaveLength(2);
		expect(await take({ since: now + 1, ...many }, 'later')).toEqual([]);
		expect(await take({ since, startFromNow: 'monday', ...many }, 'left-out')).toEqual([]);
		await ingest(aes('sent', 4));
		for (const key of ['flow', 'fresh', 'later', 'left-out']) {
			expect(messages(await take({ since, ...many }, key))).toEqual([[4]]);
		}
	});

	it('says when something is due by itself, and whether there may be more', async () => {
		const look = async (more: Partial<Take> = {}) => {
			const { wakeAt, more: isMore } = (await consumers().take(pullOf('flow', more), now)) as never;
			return { wakeAt, isMore };
		};
		expect(await look()).toEqual({ wakeAt: null, isMore: false });
		await ingest(...sent(1, 1));
		expect(await look()).toEqual({ wakeAt: now + MINUTE, isMore: false });
		await ingest(...sent(2, 3_000));
		const wants = { events: ['lre.failed'], batchSize: 1 };
		while ((await look({ wants, ...many })).isMore);
		expect(await shown()).toMatchObject({ behind: 0, inHand: 1 });
	});

	it('lets one of two have it that come at once', async () => {
		const both = ['first-n8n', 'other-n8n'].map((holder) =>
			consumers().take(pullOf('flow', { holder }), now),
		);
		const kinds = (await Promise.all(both)).map((taken) => taken.kind);
		expect(kinds.sort()).toEqual(['held', 'taken']);
	});

	it('takes up what changed: name, what is wanted, how much at once', async () => {
		await take();
		await ingest(...sent(1, 9));
		expect(await take({ atOnce: 0 })).toEqual([]);
		const wants = { events: ['*'], batchSize: 3, filter: { statuses: ['SENT'] } };
		expect(messages(await take({ wants, atOnce: 2, name: 'New name' }))).toEqual([
			[1, 2, 3],
			[4, 5, 6],
		]);
		expect(await shown()).toMatchObject({ name: 'New name', wants, inHand: 2, behind: 3 });
	});

	describe('on an operator’s word', () => {
		it('brings back all that are dead, or some', async () => {
			for (const key of ['one', 'two']) await take({}, key);
			await ingest(...sent(1, 600));
			for (const key of ['one', 'two']) {
				for (let batches = await take(many, key); batches.length > 0; ) {
					await consumers().settle(key, 'first-n8n', settling('term', ...batches), now);
					batches = await take(many, key);
				}
				expect(await shown(key)).toMatchObject({ dead: 600 });
			}
			expect(await consumers().retryDead('two', now)).toBe(600);
			expect(await consumers().retryDead(null, now)).toBe(600);
			expect(await shown('one')).toMatchObject({ dead: 0 });
			expect(await take(many, 'one')).toHaveLength(100);
		});

		it('removes a consumer with what waits for it', async () => {
			await take();
			await ingest(aes('sent', 1), aes('opened', 1), aes('sent', 2));
			const [first] = await take();
			await take({ settle: settling('term', first) });
			await consumers().remove('flow', now);
			await consumers().remove('flow', now);
			expect(await consumers().list(now)).toEqual([]);
			expect(await consumers().batches({ limit: 9, before: null, state: null })).toEqual([]);
			expect(await take(many)).toEqual([]);
		});
	});

	it('tells how far each is: what waits, since when', async () => {
		await take();
		const at = new Date(now).toISOString();
		await ingest(...sent(1, 1));
		now += MINUTE;
		await ingest(...sent(2, 3));
		await take({ holdMs: 10 });
		const expected = { queued: 0, inHand: 1, dead: 0, behind: 2, oldestAt: at, pulledAt: at };
		expect(await shown()).toMatchObject({ ...expected, pulledAt: new Date(now).toISOString() });
		const unwanted = { wants: { events: ['lre.failed'], batchSize: 1 } };
		await take(unwanted, 'quiet');
		await ingest(...sent(4, 5));
		expect(await shown('quiet')).toMatchObject({ behind: 2, oldestAt: null });
	});
});
