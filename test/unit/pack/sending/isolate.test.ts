import fc from 'fast-check';

import { isolate, type PostResult } from '../../../../nodes/shared/sending/isolate.ts';

/** A service that takes a list as a whole or not at all. */
function service({
	bad = [] as number[],
	names = false,
	unclear = [] as number[],
	/** Names one of the bad entries a time. */
	namesFirstOnly = false,
}) {
	const requests: number[][] = [];
	const taken: number[] = [];
	/** What the last request of each entry came to. */
	const results = new Map<number, 'done' | 'failed' | 'rejected'>();
	const answer = (entries: number[]): PostResult<number> => {
		const faulty = entries.filter((entry) => bad.includes(entry));
		if (faulty.length > 0) {
			return { faulty: names ? (namesFirstOnly ? faulty.slice(0, 1) : faulty) : [] };
		}
		if (entries.some((entry) => unclear.includes(entry))) return 'failed';
		taken.push(...entries);
		return 'done';
	};
	const post = async (entries: number[]): Promise<PostResult<number>> => {
		requests.push(entries);
		const outcome = answer(entries);
		const result = typeof outcome === 'object' ? 'rejected' : outcome;
		for (const entry of entries) results.set(entry, result);
		return outcome;
	};
	const having = (result: string) =>
		[...results].flatMap(([entry, own]) => (own === result ? [entry] : [])).sort((a, b) => a - b);
	return { requests, taken, post, having };
}

const list = (length: number) => Array.from({ length }, (_, index) => index);

it('one request is enough when nothing is wrong', async () => {
	const { post, requests, taken } = service({});
	await isolate(list(1000), post);
	expect(requests).toHaveLength(1);
	expect(taken).toEqual(list(1000));
});

it('those the service names are left out, and the rest goes once more', async () => {
	const { post, requests, having } = service({ bad: [1, 3], names: true });
	await isolate(list(5), post);
	expect([having('rejected'), having('done')]).toEqual([
		[1, 3],
		[0, 2, 4],
	]);
	expect(requests).toEqual([list(5), [0, 2, 4]]);
});

it('one it does not name is found by halves', async () => {
	const { post, requests, having } = service({ bad: [6] });
	await isolate(list(8), post);
	expect(having('rejected')).toEqual([6]);
	// 8 are refused, 4 pass, so 4 are known to be bad; 2 pass; of the last two each goes alone.
	expect(requests.map(({ length }) => length)).toEqual([8, 4, 2, 1, 1]);
});

it('stops where it would be no use or could do harm: a batch that failed otherwise stays whole', async () => {
	const { post, requests, having } = service({ bad: [0], unclear: [2] });
	await isolate(list(4), post);
	expect([having('rejected'), having('done'), having('failed')]).toEqual([[0], [1], [2, 3]]);
	expect(requests.filter((one) => one.includes(2))).toEqual([list(4), [2, 3]]);
});

it('entries that are none of the batch name nobody', async () => {
	const requests: number[][] = [];
	await isolate(list(2), async (entries) => {
		requests.push(entries);
		return entries.includes(1) ? { faulty: [-1, 7, 0.5] } : 'done';
	});
	expect(requests).toEqual([list(2), [0], [1]]);
});

// --- Properties -------------------------------------------------------------------------------------

const mailing = fc
	.record({
		size: fc.integer({ min: 1, max: 300 }),
		seed: fc.array(fc.nat(299), { maxLength: 40 }),
	})
	.map(({ size, seed }) => ({ size, bad: [...new Set(seed.filter((one) => one < size))] }));
const kinds = [
	{ names: false, namesFirstOnly: false },
	{ names: true, namesFirstOnly: false },
	{ names: true, namesFirstOnly: true },
];

it('every entry ends with a result, and the good ones are taken exactly once', async () => {
	await fc.assert(
		fc.asyncProperty(mailing, fc.constantFrom(...kinds), async ({ size, bad }, kind) => {
			const { post, taken, having } = service({ bad, ...kind });
			await isolate(list(size), post);
			expect(having('rejected')).toEqual([...bad].sort((a, b) => a - b));
			expect(taken.sort((a, b) => a - b)).toEqual(list(size).filter((one) => !bad.includes(one)));
		}),
		{ numRuns: 300 },
	);
});

it('takes few requests: k + 1 where they are named, about 2k·log₂(n/k) at the very most where not', async () => {
	await fc.assert(
		fc.asyncProperty(mailing, fc.constantFrom(...kinds), async ({ size, bad }, kind) => {
			const { post, requests } = service({ bad, ...kind });
			await isolate(list(size), post);
			const k = bad.length;
			const limit = kind.names
				? k + 1
				: k === 0
					? 1
					: 1 + 2 * k * (Math.ceil(Math.log2(size / k)) + 1);
			expect(requests.length).toBeLessThanOrEqual(limit);
		}),
		{ numRuns: 300 },
	);
});

it('what may have been carried out is never sent again, nor is anything that has been', async () => {
	const unclear = fc.array(fc.nat(299), { maxLength: 5 });
	await fc.assert(
		fc.asyncProperty(
			mailing,
			unclear,
			fc.constantFrom(...kinds),
			async ({ size, bad }, maybe, kind) => {
				const { post, requests, having } = service({ bad, unclear: maybe, ...kind });
				await isolate(list(size), post);
				const ended = [...having('done'), ...having('failed')];
				for (const entry of ended) {
					// Nothing before its last request carried it out, or may have.
					const own = requests.filter((one) => one.includes(entry));
					for (const some of own.slice(0, -1)) {
						expect(some.some((one) => bad.includes(one))).toBe(true);
					}
				}
				expect([...ended, ...having('rejected')].sort((a, b) => a - b)).toEqual(list(size));
			},
		),
		{ numRuns: 200 },
	);
});
