// Over HTTP, on both stores: what is kept, for how long, and what an operator has done with it. Time is
// moved by hand.
import { randomBytes } from 'node:crypto';
import type { Batch, BatchSettlement } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { cleanUp, until } from './harness.ts';
import { Restartable } from './restartable.ts';
import { STORES } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const aes = (state: string, messageId: number) => ({ event: `aes_${state}`, messageId });
const sent = (from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, n) => aes('sent', from + n));
const settling = (outcome: BatchSettlement['outcome'], batches: readonly Batch[]) =>
	batches.map(({ id: batch }) => ({ batch, outcome }));

describe.each(STORES)('$name', (kind) => {
	let place: Restartable;
	beforeEach(async () => {
		place = await Restartable.on(kind);
	});
	const { pulled, emit, events, consumers, batches, manage } = {
		pulled: (...args: Parameters<Restartable['receiver']['pulled']>) =>
			place.receiver.pulled(...args),
		emit: async (event: unknown) => (await place.receiver.emit(event)).body,
		events: () => place.receiver.events(),
		consumers: () => place.receiver.consumers(),
		batches: (state?: string) => place.receiver.batches(state),
		manage: (method: string, path: string) => place.receiver.manage(method, path),
	};
	const types = async () => (await events()).map(({ type }) => type);
	const messages = (all: readonly Batch[]) =>
		all.map((batch) => batch.events.map(({ messageId }) => Number(messageId)));
	/** Time in which the receiver cleans; nobody looks away from a store that was just started. */
	const pass = async (milliseconds: number) => {
		await place.receiver.atRest();
		place.clock.advance(milliseconds);
		await place.receiver.atRest();
	};
	/** Lets it clean until it has. */
	const untilCleaned = (isClean: () => Promise<boolean>) =>
		until(async () => {
			await pass(10 * MINUTE);
			return isClean();
		}, 'it is cleaned');

	it('[EVNT-05][R] stores an event once', async () => {
		const first = await emit([{ id: 'e1', event: 'aes_sent' }, aes('opened', 1)]);
		expect(first).toEqual({ accepted: 2, duplicates: 0 });
		expect(await emit({ id: 'e1', event: 'aes_sent' })).toEqual({ accepted: 0, duplicates: 1 });
		expect(await types()).toEqual(['tracked_mail.opened', 'tracked_mail.sent']);
		const before = await events();
		await place.restart();
		expect(await events()).toEqual(before);
		expect(await emit(aes('opened', 1))).toMatchObject({ duplicates: 1 });
	});

	it('[EVNT-03][R] keeps what no database likes: the character 0 and half characters', async () => {
		const raw = { event: 'odd\u0000name', text: '\ud800 é 😀' };
		expect(await emit(raw)).toMatchObject({ accepted: 1 });
		expect((await events())[0].raw).toEqual(raw);
	});

	describe('cleans', () => {
		it('[EVNT-05][R] what recognises a late repetition longer than anything else of a letter', async () => {
			const letter = { ...aes('sent', 1), fileReference: 'of this letter' };
			await emit(letter);
			await pass(31 * DAY);
			await untilCleaned(async () => (await types()).length === 0);
			await pass(370 * DAY);
			const found = async (text: string) =>
				(await place.rows()).filter((row) => row.includes(text)).length;
			await untilCleaned(async () => (await found('of this letter')) === 0);
			expect(await emit(letter)).toMatchObject({ accepted: 0 });
			await pass(367 * DAY);
			await untilCleaned(async () => (await found('000000000001')) === 0);
			expect(await emit(letter)).toMatchObject({ accepted: 1 });
		});

		it('never what is queued, in hand or not come to yet', async () => {
			const opened = { wants: { events: ['tracked_mail.opened'] } };
			await pulled(opened);
			await emit([1, 2, 3].flatMap((n) => [aes('sent', n), aes('opened', n)]));
			await pulled(opened);
			await pass(20 * DAY);
			await pulled(opened);
			await pass(11 * DAY);
			const count = async (state: string) =>
				(await types()).filter((type) => type === `tracked_mail.${state}`).length;
			await untilCleaned(async () => (await count('sent')) < 3);
			expect(await count('opened')).toBe(3);
		});

		it('consumers that nobody came back for, those for tests after minutes', async () => {
			const keys = async () => (await consumers()).map(({ key }) => key);
			for (const key of ['flow', 'left~test']) await pulled({}, { key });
			await pulled({ leaving: true }, { key: 'left~test' });
			await untilCleaned(async () => (await keys()).length === 1);
			expect(await keys()).toEqual(['flow']);
			await pass(29 * DAY);
			expect(await keys()).toEqual(['flow']);
			await pass(2 * DAY);
			await untilCleaned(async () => (await keys()).length === 0);
		});
	});

	it('begins where its receiver lost the database, if it was known before', async () => {
		await emit(aes('sent', 1));
		place.clock.advance(MINUTE);
		const at = (milliseconds: number) => new Date(place.clock.now() + milliseconds).toISOString();
		const [since, later] = [at(0), at(1)];
		await emit(sent(2, 3));
		const first = async (key: string, more: object) =>
			messages((await pulled({ atOnce: 100, ...more }, { key })).batches);
		expect(await first('flow', { since })).toEqual([[2], [3]]);
		expect(await first('later', { since: later })).toEqual([]);
		expect(await first('left-out', { since, startFromNow: 'monday' })).toEqual([]);
		await emit(aes('sent', 4));
		for (const key of ['flow', 'later', 'left-out'])
			expect(await first(key, { since })).toEqual([[4]]);
		// A repeated pull leaves out nothing more.
		await emit(aes('sent', 5));
		expect(await first('left-out', { startFromNow: 'monday' })).toEqual([[5]]);
	});

	it('lets one of two have it that come at once', async () => {
		const both = ['first-n8n', 'other-n8n'].map((holder) => place.receiver.pull({ holder }));
		const statuses = (await Promise.all(both)).map(({ status }) => status);
		expect(statuses.sort()).toEqual([200, 409]);
	});

	it('takes up what changed: name, what is wanted, how much at once', async () => {
		await pulled();
		await emit(sent(1, 9));
		expect((await pulled({ atOnce: 0 })).batches).toEqual([]);
		const wants = { events: ['*'], batchSize: 3, filter: { statuses: ['SENT'] } };
		const { batches: some } = await pulled({ wants, atOnce: 2, name: 'New name' });
		expect(messages(some)).toEqual([
			[1, 2, 3],
			[4, 5, 6],
		]);
		expect(await consumers()).toMatchObject([{ name: 'New name', wants, inHand: 2, behind: 3 }]);
	});

	it('goes on after a restart where it was: what is done stays done, the rest comes again, its tries counted', async () => {
		await pulled();
		await emit(sent(1, 4));
		const { batches: first } = await pulled({ atOnce: 3 });
		const [one, two] = [first.slice(0, 1), first.slice(1, 2)];
		// The third stays in hand.
		const settle = [...settling('ack', one), ...settling('nak', two)];
		await pulled({ atOnce: 0, settle });
		for (let attempt = 2; attempt < 5; attempt++) {
			await place.restart();
			place.clock.advance(5 * MINUTE);
			const { batches: again } = await pulled({ atOnce: 2 });
			expect(messages(again)).toEqual([[2], [3]]);
			expect(again).toMatchObject([{ attempt }, { attempt }]);
			await pulled({ atOnce: 0, settle: settling(attempt < 4 ? 'nak' : 'ack', again) });
		}
		await place.restart();
		const { batches: last } = await pulled({ atOnce: 3 });
		expect(messages(last)).toEqual([[4]]);
		expect(last).toMatchObject([{ attempt: 1 }]);
	});

	it('on an operator’s word brings back all that are dead, or those of one', async () => {
		for (const key of ['one', 'two']) await pulled({}, { key });
		await emit(sent(1, 600));
		for (const key of ['one', 'two']) {
			for (let settle: BatchSettlement[] = [], count = 0; settle.length > 0 || count < 600; ) {
				const { batches: some } = await pulled({ atOnce: 100, settle }, { key });
				settle = settling('term', some);
				count += some.length;
			}
		}
		const dead = async () => (await consumers()).map((one) => one.dead);
		expect(await dead()).toEqual([600, 600]);
		const retry = async (more = '') =>
			(await manage('POST', `/batches/retry?state=dead${more}`)).body.retried;
		expect(await retry('&consumer=two')).toBe(600);
		expect(await retry()).toBe(600);
		expect(await dead()).toEqual([0, 0]);
		expect((await pulled({ atOnce: 100 }, { key: 'one' })).batches).toHaveLength(100);
	});

	it('what is dead of one letter comes back in order, one by one', async () => {
		await pulled();
		await emit([aes('sent', 1), aes('received', 1), aes('opened', 1)]);
		for (let settle: BatchSettlement[] = [], n = 0; n <= 3; n++) {
			settle = settling('term', (await pulled({ settle })).batches);
		}
		await manage('POST', '/batches/retry?state=dead');
		const came: string[] = [];
		for (let settle: BatchSettlement[] = []; came.length < 3; ) {
			const { batches: some } = await pulled({ atOnce: 3, settle });
			came.push(some.map((batch) => batch.events.map(({ type }) => type).join()).join(' beside '));
			settle = settling('ack', some);
		}
		expect(came).toEqual(['tracked_mail.sent', 'tracked_mail.received', 'tracked_mail.opened']);
	});

	it('on an operator’s word removes a consumer with what waits for it', async () => {
		await pulled();
		await emit([aes('sent', 1), aes('opened', 1), aes('sent', 2)]);
		const { batches: first } = await pulled();
		await pulled({ settle: settling('term', first) });
		const [{ key }] = await consumers();
		for (let n = 0; n < 2; n++) await manage('DELETE', `/consumers/${key}`);
		expect([await consumers(), await batches()]).toEqual([[], []]);
		expect((await pulled({ atOnce: 100 })).batches).toEqual([]);
	});

	it('tells how far each is: what waits, since when', async () => {
		await pulled();
		const at = new Date(place.clock.now()).toISOString();
		await emit(sent(1, 1));
		place.clock.advance(MINUTE);
		await emit(sent(2, 3));
		await pulled();
		const pulledAt = new Date(place.clock.now()).toISOString();
		const expected = { queued: 0, inHand: 1, dead: 0, behind: 2, oldestAt: at, pulledAt };
		expect(await consumers()).toMatchObject([expected]);
		await pulled({ wants: { events: ['lre.failed'] } }, { key: 'quiet' });
		await emit(sent(4, 5));
		const quiet = (await consumers()).find(({ key }) => key === 'quiet');
		expect(quiet).toMatchObject({ behind: 2, oldestAt: null });
	});

	it('says what it takes on disk, and the embedded one what is left there', async () => {
		const figure = async (name: string) => {
			await pass(2_000);
			const figures = await place.receiver.metrics();
			return Number(new RegExp(`^receiver_${name} (\\S+)$`, 'm').exec(figures)?.[1]);
		};
		const before = await figure('store_used_bytes');
		// Random, since PostgreSQL compresses.
		await emit({ event: 'aes_sent', text: randomBytes(400_000).toString('hex') });
		expect((await figure('store_used_bytes')) - before).toBeGreaterThan(400_000);
		const free = await figure('store_free_bytes');
		if (kind.name === 'SQLite') expect(free).toBeGreaterThan(0);
		else expect(free).not.toBeGreaterThan(0);
	});
});
