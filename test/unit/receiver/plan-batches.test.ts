// What a consumer gets next, and what a settlement does to a batch; whole histories of consumers run on both stores in
// contract/receiver/store-model.test.ts.
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { normalise } from '../../../webhook-receiver/src/core/normalise.ts';
import {
	LARGEST_ANSWER_SIZE,
	LARGEST_BATCH_SIZE,
	MOST_QUEUED,
	planBatches,
} from '../../../webhook-receiver/src/queue/plan-batches.ts';
import type {
	BatchPlan,
	PlanInput,
	OpenBatch,
} from '../../../webhook-receiver/src/queue/plan-batches.ts';
import type { LoggedEvent } from '../../../webhook-receiver/src/store/log.ts';
import { MOST_FAILURES, settledBatch } from '../../../webhook-receiver/src/queue/settle-batch.ts';
import type { Settleable } from '../../../webhook-receiver/src/queue/settle-batch.ts';

const NOW = 1_000_000;
const MINUTE = 60_000;

function logged(sequence: number, messageId: string | null, size = 100): LoggedEvent {
	const { event } = normalise({ event: 'aes_sent' });
	const id = `evt_${sequence}`;
	return { event: { ...event, id, sequence, messageId, receivedAt: '' } as DeliveryEvent, size };
}

function open(number: number, more: Partial<OpenBatch> = {}): OpenBatch {
	const times = { due_at: 0, updated_at: 0 };
	return { number, state: 'queued', holder: null, ...times, subjects: [], size: 100, ...more };
}

const inHand = (number: number, more: Partial<OpenBatch> = {}) =>
	open(number, { state: 'in-hand', holder: 'me', due_at: NOW + MINUTE, ...more });

function plan(more: Partial<PlanInput<OpenBatch>> & { batchSize?: number }): BatchPlan<OpenBatch> {
	const { batchSize = 1, ...look } = more;
	return planBatches({
		open: [],
		log: [],
		position: 0,
		holder: 'me',
		atOnce: 1,
		now: NOW,
		wants: { events: ['*'], batchSize },
		...look,
	});
}

const numbers = ({ again }: BatchPlan<OpenBatch>) => again.map(({ number }) => number);
const sequences = ({ fresh }: BatchPlan<OpenBatch>) =>
	fresh.map(({ state, events }) => [state, ...events.map(({ sequence }) => sequence)]);

describe('what is open', () => {
	it.each<[string, OpenBatch, number[]]>([
		['queued and due', open(1), [1]],
		['queued, not due', open(1, { due_at: NOW + 1 }), []],
		['in hand, its ack wait not over', inHand(1), []],
		['in hand, its ack wait over', inHand(1, { due_at: NOW }), [1]],
		['in hand with another holder', inHand(1, { holder: 'they' }), [1]],
		['in hand by a clock a little ahead', inHand(1, { updated_at: NOW + MINUTE }), []],
		[
			'in hand since before the clock was set back',
			inHand(1, { updated_at: NOW + MINUTE + 1 }),
			[1],
		],
	])('%s', (_, batch, expected) => {
		expect(numbers(plan({ open: [batch] }))).toEqual(expected);
	});

	it('goes out oldest first, as far as there is room', () => {
		const all = [open(1), open(2), open(3)];
		expect(numbers(plan({ open: all, atOnce: 2 }))).toEqual([1, 2]);
		expect(numbers(plan({ open: [inHand(1), ...all.slice(1)], atOnce: 2 }))).toEqual([2]);
		expect(numbers(plan({ open: all, atOnce: 0 }))).toEqual([]);
	});

	it('comes again from the same hand also when there may be fewer at once by now', () => {
		const late = [1, 2, 3].map((number) => inHand(number, { due_at: NOW }));
		expect(numbers(plan({ open: [...late, open(4)], atOnce: 2 }))).toEqual([1, 2]);
	});

	it('waits for an earlier one of the same message', () => {
		const all = [
			open(1, { subjects: ['a'], due_at: NOW + 1 }),
			open(2, { subjects: ['a', 'b'] }),
			open(3, { subjects: ['b'] }),
			open(4, { subjects: ['c'] }),
		];
		expect(numbers(plan({ open: all, atOnce: 9 }))).toEqual([4]);
	});

	it('goes out by age, whether it comes back or is new to this holder', () => {
		const all = [inHand(2, { due_at: NOW }), open(1)];
		expect(numbers(plan({ open: all, atOnce: 2 }))).toEqual([1, 2]);
	});

	it('comes back only as far as there is room beside what is still in hand', () => {
		const all = [inHand(1), inHand(2, { due_at: NOW })];
		expect(numbers(plan({ open: all, atOnce: 1 }))).toEqual([]);
		expect(numbers(plan({ open: all, atOnce: 2 }))).toEqual([2]);
	});

	it('fills an answer to its limit', () => {
		const half = { size: LARGEST_ANSWER_SIZE / 2 };
		const all = [open(1, half), open(2, half), open(3, { size: 1 })];
		expect(numbers(plan({ open: all, atOnce: 9 }))).toEqual([1, 2]);
	});

	it('is looked for again when it falls due, not before and not at once', () => {
		const theirs = inHand(1, { holder: 'they', due_at: NOW + 5 });
		expect(plan({ open: [theirs] })).toMatchObject({ again: [theirs], wakeAt: NOW + MINUTE });
		const all = [inHand(1, { due_at: NOW + 5 }), open(2, { due_at: NOW })];
		expect(plan({ open: all })).toMatchObject({ again: [], wakeAt: NOW + 5 });
	});

	it('says when something becomes due by itself', () => {
		const all = [inHand(1, { due_at: NOW + 5 }), open(2, { due_at: NOW + 3 }), open(3)];
		expect(plan({ open: all, atOnce: 1 }).wakeAt).toBe(NOW + 3);
		expect(plan({ open: [open(1)] }).wakeAt).toBe(NOW + MINUTE);
		expect(plan({}).wakeAt).toBeNull();
	});
});

describe('what the log holds', () => {
	it('fills batches, and hands out a last one that is not full', () => {
		const log = [1, 2, 3].map((sequence) => logged(sequence, null));
		const planned = plan({ log, batchSize: 2, atOnce: 5 });
		expect(sequences(planned)).toEqual([
			['in-hand', 1, 2],
			['in-hand', 3],
		]);
		expect(planned).toMatchObject({ position: 3, isStopped: false });
	});

	it('stays before the first event without a place, past what nobody wants', () => {
		const log = [logged(1, 'a'), logged(2, 'b'), logged(3, 'c')];
		const planned = plan({ log });
		expect(sequences(planned)).toEqual([['in-hand', 1]]);
		expect(planned).toMatchObject({ position: 1, isStopped: true });
		const unwanted = plan({ log, wants: { events: ['lre.failed'], batchSize: 1 }, atOnce: 0 });
		expect(unwanted).toMatchObject({ fresh: [], position: 3, isStopped: false });
	});

	it('has room for what comes back beside what is new', () => {
		const planned = plan({ open: [inHand(1, { due_at: NOW })], log: [logged(5, 'a')], atOnce: 2 });
		expect(numbers(planned)).toEqual([1]);
		expect(sequences(planned)).toEqual([['in-hand', 5]]);
		expect(planned).toMatchObject({ isFull: true });
	});

	it.each<[string, Parameters<typeof plan>[0], boolean]>([
		['has room and nothing to read', { atOnce: 1 }, false],
		['may have none', { atOnce: 0 }, true],
		['takes the last place', { log: [logged(1, 'a')], atOnce: 1 }, true],
		['takes one of two', { log: [logged(1, 'a')], atOnce: 2 }, false],
		['has them all in hand', { open: [inHand(1)], atOnce: 1 }, true],
		['has more in hand than it may', { open: [inHand(1), inHand(2)], atOnce: 1 }, true],
		['stops for want of room', { log: [logged(1, 'a'), logged(2, 'b')], atOnce: 1 }, true],
		[
			'stops at a full queue',
			{ ...queueOf(MOST_QUEUED, { due_at: NOW + 1 }), log: [logged(1, 'a')], atOnce: 9 },
			false,
		],
	])('is full or not: who %s', (_, more, isFull) => {
		expect(plan(more).isFull).toBe(isFull);
	});

	/** So many queued ones that are not due, and one in hand of the message `a`. */
	function queueOf(count: number, more: Partial<OpenBatch> = {}) {
		const queued = Array.from({ length: count }, (_, at) => open(at + 2, { due_at: NOW + 1 }));
		return { open: [inHand(1, { subjects: ['a'] }), ...queued.slice(1), open(999, more)] };
	}

	it('queues no more than it may; what is handed out now makes room for another', () => {
		const log = [logged(1, 'a'), logged(2, 'a')];
		const queued = (look: object) => sequences(plan({ ...look, log, atOnce: 9 }));
		const later = { due_at: NOW + 1 };
		expect(queued(queueOf(MOST_QUEUED, later))).toEqual([]);
		expect(queued(queueOf(MOST_QUEUED - 1, later))).toEqual([['queued', 1]]);
		expect(queued(queueOf(MOST_QUEUED))).toEqual([['queued', 1]]);
		expect(queued(queueOf(MOST_QUEUED - 1))).toEqual([
			['queued', 1],
			['queued', 2],
		]);
		// What comes back was in hand, not in the queue.
		const { open: all } = queueOf(MOST_QUEUED, later);
		const back = inHand(1, { subjects: ['a'], due_at: NOW });
		expect(queued({ open: [back, ...all.slice(1)] })).toEqual([]);
	});

	it('adds nothing to an answer that is large enough; what is queued does not count', () => {
		const log = [logged(1, 'a', LARGEST_ANSWER_SIZE), logged(2, 'b')];
		const full = plan({ open: [open(1, { size: LARGEST_ANSWER_SIZE })], log, atOnce: 9 });
		expect(sequences(full)).toEqual([]);
		expect(full).toMatchObject({ position: 0, isStopped: true, isFull: false });
		const nearly = plan({ open: [open(1, { size: LARGEST_ANSWER_SIZE - 1 })], log, atOnce: 9 });
		expect(sequences(nearly)).toEqual([['in-hand', 1]]);
		const behind = plan({ open: [inHand(1, { subjects: ['a'] })], log, atOnce: 9 });
		expect(sequences(behind)).toEqual([
			['queued', 1],
			['in-hand', 2],
		]);
	});

	it('names the messages of a batch once each, and none for an event without one', () => {
		const log = [logged(1, 'a'), logged(2, null), logged(3, 'a'), logged(4, 'b')];
		const { fresh } = plan({ log, batchSize: 9 });
		expect(fresh).toMatchObject([{ subjects: ['a', 'b'], size: 400 }]);
	});

	it('reads no further than there is room', () => {
		const read: number[] = [];
		function* log() {
			for (let sequence = 1; ; sequence++) {
				read.push(sequence);
				yield logged(sequence, null);
			}
		}
		plan({ log: log() });
		expect(read).toEqual([1, 2]);
	});

	it('puts events of a busy message behind, and goes on with the others', () => {
		const log = [logged(5, 'a'), logged(6, 'b'), logged(7, 'a'), logged(8, 'a'), logged(9, null)];
		const planned = plan({ open: [inHand(1, { subjects: ['a'] })], log, batchSize: 2, atOnce: 2 });
		expect(sequences(planned)).toEqual([
			['queued', 5, 7],
			['in-hand', 6, 9],
			['queued', 8],
		]);
	});

	it('keeps what follows a full batch behind it', () => {
		const log = [logged(1, 'a'), logged(2, 'a'), logged(3, 'b')];
		expect(sequences(plan({ log, atOnce: 2 }))).toEqual([
			['in-hand', 1],
			['queued', 2],
			['in-hand', 3],
		]);
	});

	it('queues no more than so many', () => {
		const queued = Array.from({ length: MOST_QUEUED }, (_, n) => open(n, { due_at: NOW + 1 }));
		const all = [...queued, inHand(900, { subjects: ['a'] })];
		const planned = plan({ open: all, log: [logged(1, 'b'), logged(2, 'a')], atOnce: 9 });
		expect(sequences(planned)).toEqual([['in-hand', 1]]);
		expect(planned).toMatchObject({ position: 1, isStopped: true });
	});

	it('keeps batches and answers to a size, but hands out an event of any', () => {
		const huge = [1, 2, 3].map((sequence) => logged(sequence, null, LARGEST_BATCH_SIZE));
		expect(sequences(plan({ log: huge, batchSize: 9, atOnce: 9 }))).toHaveLength(3);
		const large = Array.from({ length: 9 }, (_, n) => logged(n + 1, null, LARGEST_BATCH_SIZE / 2));
		const planned = plan({ log: large, batchSize: 9, atOnce: 9 });
		expect(planned.fresh.map(({ events }) => events.length)).toEqual([2, 2, 2, 2]);
		const whole = [open(1, { size: LARGEST_ANSWER_SIZE + 1 }), open(2)];
		expect(numbers(plan({ open: whole, atOnce: 9 }))).toEqual([1]);
	});
});

describe('settling', () => {
	const batch: Settleable = {
		state: 'in-hand',
		wait: null,
		holder: 'me',
		due_at: NOW,
		failures: 0,
		reason: null,
	};
	const settled = (outcome: 'ack' | 'nak' | 'term' | 'inProgress', more = {}, holder = 'me') =>
		settledBatch({ ...batch, ...more }, { outcome, reason: 'why' }, holder, NOW);

	it('counts an end whoever says so, and the rest only from who has it', () => {
		expect(settled('ack', {}, 'they')).toMatchObject({ state: 'done', holder: null });
		expect(settled('term', { state: 'queued' }, 'they')).toMatchObject({ state: 'dead' });
		expect(settled('nak', {}, 'they')).toBeNull();
		expect(settled('inProgress', { state: 'queued' })).toBeNull();
		expect(settled('inProgress')).toMatchObject({ due_at: NOW + MINUTE, reason: null });
	});

	it('passes over what is settled', () => {
		for (const state of ['done', 'dead']) expect(settled('ack', { state })).toBeNull();
	});

	it('queues what could not be started, later and later, until it is dead', () => {
		let now = batch as Settleable | null;
		const pauses: number[] = [];
		for (let failures = 1; failures < MOST_FAILURES; failures++) {
			now = settled('nak', { failures: now?.failures });
			expect(now).toMatchObject({ state: 'queued', holder: null, reason: 'why', failures });
			pauses.push(((now?.due_at ?? 0) - NOW) / 1000);
		}
		expect(pauses.slice(0, 10)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
		expect(pauses.at(-1)).toBe(300);
		expect(settled('nak', { failures: MOST_FAILURES - 1 })).toMatchObject({ state: 'dead' });
	});

	it('never gives up a wake-up for its failures', () => {
		const failed = settled('nak', { wait: 'wait', failures: 1_000 });
		expect(failed).toMatchObject({ state: 'queued', due_at: NOW + 5 * MINUTE });
	});
});
