import { Hand } from '../../../../nodes/shared/consumer/hand.ts';
import type { Batch } from '../../../../webhook-receiver/src/core/pull-contract.ts';

const batch = (id: string): Batch => ({ id, attempt: 1, events: [] });
const taken = (hand: Hand, ...ids: string[]) => hand.take(ids.map(batch)).map(({ id }) => id);
const said = (hand: Hand) => hand.report().map((one) => `${one.batch} ${one.outcome}`);

it('gives a batch to be started once, however often it is handed out', () => {
	const hand = new Hand();
	expect(taken(hand, 'a', 'b', 'a')).toEqual(['a', 'b']);
	expect(taken(hand, 'b', 'c')).toEqual(['c']);
	hand.settle('a', 'ack');
	expect(taken(hand, 'a')).toEqual([]);
	hand.confirm(hand.report());
	expect(taken(hand, 'a')).toEqual([]);
	expect(said(hand)).toEqual(['a ack', 'b inProgress', 'c inProgress']);
});

it('says what became of a batch until that is confirmed', () => {
	const hand = new Hand();
	taken(hand, 'a', 'b');
	expect(hand.hasNews).toBe(false);
	hand.settle('a', 'nak', 'no room');
	expect(hand.report()).toContainEqual({ batch: 'a', outcome: 'nak', reason: 'no room' });
	const sent = hand.report();
	hand.settle('b', 'ack');
	hand.confirm(sent);
	expect(said(hand)).toEqual(['b ack']);
	expect(hand.hasNews).toBe(true);
	hand.confirm(hand.report());
	expect(said(hand)).toEqual([]);
	expect(hand.hasNews).toBe(false);
});

it('starts again what it could not start, also when nobody confirmed that', () => {
	const hand = new Hand();
	taken(hand, 'a');
	hand.settle('a', 'nak');
	const sent = hand.report();
	expect(taken(hand, 'a')).toEqual(['a']);
	hand.confirm(sent);
	expect(said(hand)).toEqual(['a inProgress']);
	hand.settle('a', 'ack');
	hand.confirm(sent);
	expect(said(hand)).toEqual(['a ack']);
});

it('remembers the last hundred that are over', () => {
	const hand = new Hand();
	const ids = Array.from({ length: 101 }, (_, index) => `batch-${index}`);
	for (const id of ids) {
		taken(hand, id);
		hand.settle(id, 'ack');
		hand.confirm(hand.report());
	}
	expect(taken(hand, ...ids)).toEqual(['batch-0']);
	expect(said(hand)).toHaveLength(101);
});
