import fc from 'fast-check';

import type { Fate } from '../../../../nodes/shared/sending/fate.ts';
import { isolate } from '../../../../nodes/shared/sending/isolate.ts';

interface Row {
	id: number;
	fate: Fate;
}

/** Isolates a number of entries against a service that takes a list as a whole or not at all. */
async function isolated(
	size: number,
	{
		bad = [] as number[],
		names = false,
		unclear = [] as number[],
		/** Names one of the bad entries a time. */
		namesFirstOnly = false,
	},
) {
	const error = { message: '', description: '', data: {} };
	const rows = list(size).map((id): Row => ({ id, fate: { state: 'leaving' } }));
	const requests: number[][] = [];
	const taken: number[] = [];
	const end = (entries: Row[], fate: Fate) => {
		for (const entry of entries) entry.fate = fate;
	};
	await isolate(rows, async (entries) => {
		const ids = entries.map(({ id }) => id);
		expect(ids).not.toEqual([]);
		requests.push(ids);
		const faulty = entries.filter(({ id }) => bad.includes(id));
		if (faulty.length > 0) {
			end(entries, { state: 'not sent', error });
			return names ? faulty.slice(0, namesFirstOnly ? 1 : undefined) : [];
		}
		if (ids.some((id) => unclear.includes(id))) {
			end(entries, { state: 'unknown', error });
			return null;
		}
		taken.push(...ids);
		end(entries, { state: 'sent', output: {} });
		return null;
	});
	const having = (state: Fate['state']) =>
		rows.flatMap(({ id, fate }) => (fate.state === state ? [id] : []));
	return { requests, taken, having };
}

const list = (length: number) => Array.from({ length }, (_, index) => index);

it('one it does not name is found by halves', async () => {
	const { requests, having } = await isolated(8, { bad: [6] });
	expect(having('not sent')).toEqual([6]);
	// 8 are refused, 4 pass, so 4 are known to be bad; 2 pass; of the last two each goes alone.
	expect(requests.map(({ length }) => length)).toEqual([8, 4, 2, 1, 1]);
});

it('where all are named nothing is left to send', async () => {
	const { requests } = await isolated(2, { bad: [0, 1], names: true });
	expect(requests).toEqual([[0, 1]]);
});

it('stops where it would be no use or could do harm: a batch that failed otherwise stays whole', async () => {
	const { requests, having } = await isolated(4, { bad: [0], unclear: [2] });
	expect([having('not sent'), having('sent'), having('unknown')]).toEqual([[0], [1], [2, 3]]);
	expect(requests.filter((one) => one.includes(2))).toEqual([list(4), [2, 3]]);
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
			const { taken, having } = await isolated(size, { bad, ...kind });
			expect(having('not sent')).toEqual([...bad].sort((a, b) => a - b));
			expect(taken.sort((a, b) => a - b)).toEqual(list(size).filter((one) => !bad.includes(one)));
		}),
		{ numRuns: 300 },
	);
});

it('takes few requests: k + 1 where they are named, about 2k·log₂(n/k) at the very most where not', async () => {
	await fc.assert(
		fc.asyncProperty(mailing, fc.constantFrom(...kinds), async ({ size, bad }, kind) => {
			const { requests } = await isolated(size, { bad, ...kind });
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
				const { requests, having } = await isolated(size, { bad, unclear: maybe, ...kind });
				const ended = [...having('sent'), ...having('unknown')];
				for (const entry of ended) {
					// Nothing before its last request carried it out, or may have.
					const own = requests.filter((one) => one.includes(entry));
					for (const some of own.slice(0, -1)) {
						expect(some.some((one) => bad.includes(one))).toBe(true);
					}
				}
				expect([...ended, ...having('not sent')].sort((a, b) => a - b)).toEqual(list(size));
			},
		),
		{ numRuns: 200 },
	);
});
