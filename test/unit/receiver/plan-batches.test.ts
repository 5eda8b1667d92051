// What a consumer gets next, and what a settlement does to a batch; over HTTP, on both stores:
// contract/receiver/pull.test.ts and store.test.ts.
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { normalise } from '../../../webhook-receiver/src/core/normalise.ts';
import {
	LARGEST_ANSWER_SIZE,
	LARGEST_BATCH_SIZE,
	MOST_QUEUED,
	planBatches,
	MOST_FAILURES,
	settledBatch,
} from '../../../webhook-receiver/src/queue/plan-batches.ts';
import type {
	BatchPlan,
	PlanInput,
	OpenBatch,
	Settleable,
} from '../../../webhook-receiver/src/queue/plan-batches.ts';

/** An event as planning reads it. */
type Logged = PlanInput<OpenBatch>['log'] extends Iterable<infer Event> ? Event : never;

const NOW = 1_000_000;
const MINUTE = 60_000;

function logged(sequence: number, messageId: string | null, size = 100): Logged {
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

	it('waits for an earlier one of the same message', () => {
		const all = [
			open(1, { subjects: ['a'], due_at: NOW + 1 }),
			open(2, { subjects: ['a', 'b'] }),
			open(3, { subjects: ['b'] }),
			open(4, { subjects: ['c'] }),
		];
		expect(numbers(plan({ open: all, atOnce: 9 }))).toEqual([4]);
	});

	it('fills an answer to its limit', () => {
		const half = { size: LARGEST_ANSWER_SIZE / 2 };
		const all = [open(1, half), open(2, half), open(3, { size: 1 })];
		expect(numbers(plan({ open: all, atOnce: 9 }))).toEqual([1, 2]);
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
