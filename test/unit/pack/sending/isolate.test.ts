import fc from 'fast-check';

import { isolate, type Outcome } from '../../../../nodes/shared/sending/isolate.ts';

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
	const post = async (entries: number[]): Promise<Outcome<number, string>> => {
		requests.push(entries);
		const faulty = entries.filter((entry) => bad.includes(entry));
		if (faulty.length > 0) {
			const named = names ? (namesFirstOnly ? faulty.slice(0, 1) : faulty) : [];
			return { rejected: 'no', faulty: named };
		}
		if (entries.some((entry) => unclear.includes(entry))) return { failed: 'unclear' };
		taken.push(...entries);
		return { isDone: true };
	};
	return { requests, taken, post };
}

const list = (length: number) => Array.from({ length }, (_, index) => index);

it('one request is enough when nothing is wrong', async () => {
	const { post, requests } = service({});
	expect(await isolate(list(1000), post)).toEqual([{ entries: list(1000), isDone: true }]);
	expect(requests).toHaveLength(1);
});

it('no entries make no request', async () => {
	const { post, requests } = service({});
	expect(await isolate([], post)).toEqual([]);
	expect(requests).toEqual([]);
});

it('those the service names are left out, and the rest goes once more', async () => {
	const { post, requests } = service({ bad: [1, 3], names: true });
	expect(await isolate(list(5), post)).toEqual([
		{ entries: [1, 3], rejected: 'no' },
		{ entries: [0, 2, 4], isDone: true },
	]);
	expect(requests).toEqual([list(5), [0, 2, 4]]);
});

it('one it does not name is found by halves', async () => {
	const { post, requests } = service({ bad: [6] });
	const parts = await isolate(list(8), post);
	expect(parts).toContainEqual({ entries: [6], rejected: 'no' });
	// 8 are refused, 4 pass, so 4 are known to be bad; 2 pass; of the last two each goes alone.
	expect(requests.map(({ length }) => length)).toEqual([8, 4, 2, 1, 1]);
});

it('stops where it would be no use or could do harm: a batch that failed otherwise stays whole', async () => {
	const { post, requests } = service({ bad: [0], unclear: [2] });
	const parts = await isolate(list(4), post);
	expect(parts).toEqual([
		{ entries: [0], rejected: 'no' },
		{ entries: [1], isDone: true },
		{ entries: [2, 3], failed: 'unclear' },
	]);
	expect(requests.filter((one) => one.includes(2))).toEqual([list(4), [2, 3]]);
});

it('entries that are none of the batch name nobody', async () => {
	const requests: number[][] = [];
	const parts = await isolate(list(2), async (entries) => {
		requests.push(entries);
		return entries.includes(1) ? { rejected: 'no', faulty: [-1, 7, 0.5] } : { isDone: true };
	});
	expect(requests).toEqual([list(2), [0], [1]]);
	expect(parts).toEqual([
		{ entries: [0], isDone: true },
		{ entries: [1], rejected: 'no' },
	]);
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

it('every entry ends with exactly one result, and the good ones are taken exactly once', async () => {
	await fc.assert(
		fc.asyncProperty(mailing, fc.constantFrom(...kinds), async ({ size, bad }, kind) => {
			const { post, taken } = service({ bad, ...kind });
			const parts = await isolate(list(size), post);
			const results = parts.flatMap(({ entries }) => entries);
			expect(results.sort((a, b) => a - b)).toEqual(list(size));
			const refused = parts.flatMap((part) => ('rejected' in part ? part.entries : []));
			expect(refused.sort((a, b) => a - b)).toEqual([...bad].sort((a, b) => a - b));
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
				const { post, requests } = service({ bad, unclear: maybe, ...kind });
				const parts = await isolate(list(size), post);
				for (const part of parts) {
					if ('rejected' in part) continue;
					for (const entry of part.entries) {
						const last = requests.findLastIndex((one) => one.includes(entry));
						expect(requests[last]).toEqual(part.entries);
					}
				}
				expect(parts.flatMap(({ entries }) => entries).sort((a, b) => a - b)).toEqual(list(size));
			},
		),
		{ numRuns: 200 },
	);
});
