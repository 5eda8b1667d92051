import * as fc from 'fast-check';
import { shrink } from '../../storm/shrink.ts';
import { LAYERS, retold, tell } from '../../storm/story.ts';

const KNOWN = {
	killed: { layer: 'process' },
	edited: { layer: 'editor' },
	'429': { layer: 'service' },
	cut: { layer: 'connection' },
} as const;

it('a story is the same for the same seed, and another for another', () => {
	expect(tell(7, 5, 3, KNOWN)).toEqual(tell(7, 5, 3, KNOWN));
	expect(tell(8, 5, 3, KNOWN)).not.toEqual(tell(7, 5, 3, KNOWN));
});

it('each letter has a key of its own, and a chapter begins with what needs the other parts', () => {
	fc.assert(
		fc.property(fc.integer(), (seed) => {
			const story = tell(seed, 8, 4, KNOWN);
			const keys = story.flatMap(({ letters }) => letters.map(({ key }) => key));
			expect(new Set(keys).size).toBe(keys.length);
			for (const { blows } of story) {
				const ranks = blows.map(({ layer }) => LAYERS.indexOf(layer));
				expect(ranks).toEqual(ranks.toSorted());
				expect(new Set(blows.map(({ fault }) => fault)).size).toBe(blows.length);
			}
			expect(retold(story)).toHaveLength(8);
		}),
		{ numRuns: 20 },
	);
});

it('shrinks to what fails, whatever that is', async () => {
	const parts = fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 12 });
	await fc.assert(
		fc.asyncProperty(parts, fc.nat(), fc.nat(), async (all, one, other) => {
			const guilty = new Set([all[one % all.length], all[other % all.length]]);
			const fails = async (some: readonly number[]) => [...guilty].every((n) => some.includes(n));
			expect(new Set(await shrink(all, fails, 1_000))).toEqual(guilty);
		}),
	);
});

it('asks no more often than it may, and keeps a story that fails', async () => {
	let asked = 0;
	const all = Array.from({ length: 64 }, (_, n) => n);
	const fails = async (some: readonly number[]) => {
		asked++;
		return some.includes(63);
	};
	const left = await shrink(all, fails, 4);
	expect(asked).toBe(4);
	expect(left).toContain(63);
	expect(left.length).toBeLessThan(64);
});
