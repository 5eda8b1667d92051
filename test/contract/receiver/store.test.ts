// One contract, both stores: the log. Times are passed in.
import { randomBytes } from 'node:crypto';
import { STORES, type Opened } from './store-environment.ts';
import { arrival, pullOf, tracesOf } from './stores.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe.each(STORES)('$name', (kind) => {
	let opened: Opened;
	let now: number;
	beforeEach(async () => {
		opened = await kind.open();
		now = Date.now();
	});
	afterEach(() => opened.end());
	const ingest = (...raws: object[]) => opened.store.intake.add(arrival(now, ...raws));
	const aes = (state: string, messageId: number) => ({ event: `aes_${state}`, messageId });

	it('[EVNT-05][R] stores an event once', async () => {
		const first = await ingest({ id: 'e1', event: 'aes_sent' }, aes('opened', 1));
		expect(first).toEqual({ accepted: 2, duplicates: 0 });
		const again = await ingest({ id: 'e1', event: 'aes_sent' });
		expect(again).toEqual({ accepted: 0, duplicates: 1 });
		const events = await opened.store.log.slice({ limit: 10, before: null });
		expect(events.map(({ type }) => type)).toEqual(['tracked_mail.opened', 'tracked_mail.sent']);
		expect(events[0].sequence).toBeGreaterThan(events[1].sequence);
		opened = await opened.reopen();
		expect(await opened.store.log.slice({ limit: 10, before: null })).toEqual(events);
		expect((await ingest(aes('opened', 1))).duplicates).toBe(1);
	});

	it('[EVNT-03][R] keeps what no database likes: the character 0 and half characters', async () => {
		const raw = { event: 'odd\u0000name', text: '\ud800 é 😀' };
		expect(await ingest(raw)).toMatchObject({ accepted: 1 });
		expect((await opened.store.log.slice({ limit: 1, before: null }))[0].raw).toEqual(raw);
	});

	describe('cleans', () => {
		const retention = 30 * DAY;
		const clean = async () => {
			while (await opened.store.clean(retention, now));
		};
		const types = async () => {
			const events = await opened.store.log.slice({ limit: 500, before: null });
			return events.map(({ type }) => type);
		};

		it('in small steps', async () => {
			await ingest(...Array.from({ length: 700 }, (_, n) => aes('sent', n + 1)));
			now += 31 * DAY;
			expect(await opened.store.clean(retention, now)).toBe(true);
			await clean();
			expect(await types()).toEqual([]);
		});

		it('[EVNT-05][R] what recognises a late repetition longer than anything else of a letter', async () => {
			const letter = { ...aes('sent', 1), fileReference: 'of this letter' };
			await ingest(letter);
			now += 31 * DAY;
			await clean();
			expect(await types()).toEqual([]);
			expect(await tracesOf(opened.store, 'of this letter')).toEqual([]);
			expect((await ingest(letter)).accepted).toBe(0);
			await clean();
			now += 367 * DAY;
			await clean();
			expect(await tracesOf(opened.store, '000000000001')).toEqual([]);
			expect((await ingest(letter)).accepted).toBe(1);
		});

		it('never what is queued, in hand or not come to yet', async () => {
			const { consumers } = opened.store;
			const pull = pullOf('flow', { wants: { events: ['tracked_mail.opened'], batchSize: 1 } });
			await consumers.take(pull, now);
			await ingest(
				aes('sent', 1),
				aes('opened', 1),
				aes('sent', 2),
				aes('opened', 2),
				aes('sent', 3),
			);
			await consumers.take(pull, now);
			now += 31 * DAY;
			await consumers.take(pull, now);
			await clean();
			expect(await types()).toEqual([
				'tracked_mail.sent',
				'tracked_mail.opened',
				'tracked_mail.opened',
			]);
		});

		it.each(['nak', 'inProgress', 'term'] as const)(
			'no event of a batch that is not done: after %s it comes again whole',
			async (outcome) => {
				const { consumers } = opened.store;
				const take = async (more = {}) => {
					const taken = await consumers.take(pullOf('flow', more), now);
					return taken.kind === 'taken' ? taken.batches : [];
				};
				await take();
				await ingest(aes('sent', 1));
				const [batch] = await take();
				now += retention - HOUR;
				const { id } = batch as { id: string };
				await take({ atOnce: 0, settle: [{ batch: id, outcome }] });
				now += 2 * HOUR;
				await clean();
				if (outcome === 'term') await consumers.retry(id, now);
				expect(await take()).toMatchObject([{ events: [{ messageId: '000000000001' }] }]);
			},
		);

		it('settled batches, which keep no event', async () => {
			const { consumers } = opened.store;
			await consumers.take(pullOf('flow'), now);
			await ingest(aes('sent', 1));
			const taken = await consumers.take(pullOf('flow'), now);
			const settle = (taken.kind === 'taken' ? taken.batches : []).map(({ id }) => ({
				batch: id,
				outcome: 'term' as const,
			}));
			await consumers.take(pullOf('flow', { settle }), now);
			now += 31 * DAY;
			await consumers.take(pullOf('flow'), now);
			await clean();
			expect(await types()).toEqual([]);
			expect(await consumers.batches({ limit: 5, before: null, state: null })).toEqual([]);
		});

		it('consumers that nobody came back for, those for tests after minutes', async () => {
			const { consumers } = opened.store;
			const keys = async () => (await consumers.list(now)).map(({ key }) => key);
			for (const key of ['flow', 'held~test', 'left~test']) await consumers.take(pullOf(key), now);
			await ingest(aes('sent', 1));
			await consumers.take(pullOf('flow'), now);
			await consumers.release('left~test', 'first-n8n', now);
			now += 5 * 60_000 + 1;
			await consumers.take(pullOf('held~test', { atOnce: 0 }), now);
			await clean();
			expect(await keys()).toEqual(['flow', 'held~test']);
			now += 29 * DAY;
			await clean();
			expect(await keys()).toEqual(['flow']);
			now += 2 * DAY;
			await clean();
			expect(await keys()).toEqual([]);
			expect(await types()).toEqual([]);
		});
	});

	it('says what it takes on disk, and the embedded one what is left there', async () => {
		const before = await opened.store.space();
		// Random, since PostgreSQL compresses.
		await ingest({ event: 'aes_sent', text: randomBytes(1_000_000).toString('hex') });
		const after = await opened.store.space();
		expect(after.used - before.used).toBeGreaterThan(1_000_000);
		if (kind.name === 'SQLite') expect(after.free).toBeGreaterThan(0);
		else expect(after.free).toBeNull();
	});
});
