import fc from 'fast-check';

import { claimKey, type ClaimKey } from '../../../../nodes/shared/sending/claims.ts';
import { leadersOf, planRequests } from '../../../../nodes/shared/sending/plan.ts';

interface Piece {
	itemIndex: number;
	content: string | null;
	weight: number;
	once?: ClaimKey;
}

const once = fc
	.record({ text: fc.constantFrom('k', 'l'), type: fc.constantFrom('LS', 'LRE') })
	.map(({ text, type }) =>
		claimKey(text, {
			service: 'https://service.example',
			accounts: ['account'],
			sender: null,
			type,
			recipients: 'digest',
			to: 'a@x.example',
		}),
	);

const pieces = fc.array(
	fc.record({
		itemIndex: fc.nat(5),
		content: fc.constantFrom(null, 'a', 'b'),
		weight: fc.integer({ min: 1, max: 4 }),
		once: fc.option(once, { nil: undefined }),
	}),
	{ maxLength: 12 },
);
const most = fc.option(fc.integer({ min: 1, max: 6 }));

it('every entry goes in one batch, with its like, and no batch is too heavy', () => {
	fc.assert(
		fc.property(pieces, most, (all: Piece[], limit) => {
			const sharing = {
				key: ({ content }: Piece) => content,
				weight: ({ weight }: Piece) => weight,
				most: limit,
			};
			const batches = planRequests(all, sharing);
			expect(new Set(batches.flat())).toEqual(new Set(all));
			expect(batches.flat()).toHaveLength(all.length);
			for (const batch of batches) {
				const names = batch.map(({ content, itemIndex }) => content ?? `item ${itemIndex}`);
				expect(new Set(names).size).toBe(1);
				const total = batch.reduce((sum, { weight }) => sum + weight, 0);
				expect(batch.length === 1 || limit === null || total <= limit).toBe(true);
			}
		}),
	);
});

it('requests are as few as the sharing allows', () => {
	const plan = (most: number | null, ...all: Array<[content: string | null, weight: number]>) =>
		planRequests(
			all.map(([content, weight], itemIndex) => ({ itemIndex, content, weight })),
			{ key: ({ content }) => content, weight: ({ weight }) => weight, most },
		).map((batch) => batch.map(({ itemIndex }) => itemIndex));
	expect(plan(null, ['a', 9], ['b', 1], ['a', 9], [null, 1], [null, 1])).toEqual([
		[0, 2],
		[1],
		[3],
		[4],
	]);
	// Full to the last bit, then the next one.
	expect(plan(3, ['a', 1], ['a', 2], ['a', 1])).toEqual([[0, 1], [2]]);
	expect(plan(3, ['a', 2], ['a', 2], ['a', 1])).toEqual([[0], [1, 2]]);
	expect(plan(3, ['a', 4], ['a', 1], ['a', 2])).toEqual([[0], [1, 2]]);
});

it('one entry of each key leads, those for the same letter follow it, and no others do', () => {
	fc.assert(
		fc.property(pieces, (all: Piece[]) => {
			const { leaders, followers, strangers } = leadersOf(all);
			const keys = leaders.flatMap(({ once }) => once?.text ?? []);
			expect(new Set(keys).size).toBe(keys.length);
			expect(leaders.length + followers.length + strangers.length).toBe(all.length);
			for (const [follower, leader] of [...followers, ...strangers]) {
				const isSame = follower.once?.usedFor?.type === leader.once?.usedFor?.type;
				expect(followers.some(([one]) => one === follower)).toBe(isSame);
				expect(follower.once?.text).toBe(leader.once?.text);
				expect(all.indexOf(leader)).toBeLessThan(all.indexOf(follower));
			}
		}),
	);
});
