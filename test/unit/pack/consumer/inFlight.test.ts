import { InFlight } from '../../../../nodes/shared/consumer/inFlight.ts';
import type { Batch } from '../../../../webhook-receiver/src/core/pull-contract.ts';

const batch = (id: string): Batch => ({ id, attempt: 1, events: [] });
const taken = (inFlight: InFlight, ...ids: string[]) =>
	inFlight.take(ids.map(batch)).map(({ id }) => id);
const said = (inFlight: InFlight) => inFlight.report().map((one) => `${one.batch} ${one.outcome}`);

it.each(['ack', 'term'] as const)(
	'gives a batch to be started once, however often it is handed out: %s',
	(outcome) => {
		const inFlight = new InFlight();
		expect(taken(inFlight, 'a', 'b', 'a')).toEqual(['a', 'b']);
		expect(taken(inFlight, 'b', 'c')).toEqual(['c']);
		inFlight.settle('a', outcome);
		expect(taken(inFlight, 'a')).toEqual([]);
		expect(said(inFlight)).toEqual([`a ${outcome}`, 'b inProgress', 'c inProgress']);
		inFlight.confirm(inFlight.report());
		expect(taken(inFlight, 'a')).toEqual([]);
		expect(said(inFlight)).toEqual([`a ${outcome}`, 'b inProgress', 'c inProgress']);
	},
);

it('says what became of a batch until that is confirmed', () => {
	const inFlight = new InFlight();
	taken(inFlight, 'a', 'b');
	expect(inFlight.hasNews).toBe(false);
	inFlight.settle('a', 'nak', 'no room');
	expect(inFlight.report()).toContainEqual({ batch: 'a', outcome: 'nak', reason: 'no room' });
	const sent = inFlight.report();
	inFlight.settle('b', 'ack');
	inFlight.confirm(sent);
	expect(said(inFlight)).toEqual(['b ack']);
	expect(inFlight.hasNews).toBe(true);
	inFlight.confirm(inFlight.report());
	expect(said(inFlight)).toEqual([]);
	expect(inFlight.hasNews).toBe(false);
});

it('starts again what it could not start, also when nobody confirmed that', () => {
	const inFlight = new InFlight();
	taken(inFlight, 'a');
	inFlight.settle('a', 'nak');
	const sent = inFlight.report();
	expect(taken(inFlight, 'a')).toEqual(['a']);
	expect(said(inFlight)).toEqual(['a inProgress']);
	inFlight.confirm(sent);
	expect(said(inFlight)).toEqual(['a inProgress']);
	inFlight.settle('a', 'ack');
	inFlight.confirm(sent);
	expect(said(inFlight)).toEqual(['a ack']);
});

it('starts again what it could not start, also once that is confirmed', () => {
	const inFlight = new InFlight();
	taken(inFlight, 'a');
	inFlight.settle('a', 'nak');
	inFlight.confirm(inFlight.report());
	expect(said(inFlight)).toEqual([]);
	expect(taken(inFlight, 'a')).toEqual(['a']);
	expect(said(inFlight)).toEqual(['a inProgress']);
});

it('remembers longest what was over last, however often that is said', () => {
	const inFlight = new InFlight();
	const over = (id: string) => {
		inFlight.settle(id, 'ack');
		inFlight.confirm(inFlight.report());
	};
	const ids = Array.from({ length: 100 }, (_, index) => `batch-${index}`);
	for (const id of [...ids, 'batch-0', 'batch-100']) over(id);
	expect(taken(inFlight, 'batch-0', 'batch-1')).toEqual(['batch-1']);
});

it('remembers the last hundred that are over', () => {
	const inFlight = new InFlight();
	const ids = Array.from({ length: 101 }, (_, index) => `batch-${index}`);
	for (const id of ids) {
		taken(inFlight, id);
		inFlight.settle(id, 'ack');
		inFlight.confirm(inFlight.report());
	}
	expect(taken(inFlight, ...ids)).toEqual(['batch-0']);
	expect(said(inFlight)).toHaveLength(101);
});
