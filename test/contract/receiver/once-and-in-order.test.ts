// The same event with and without an id, and what still mentions an erased letter: over HTTP, on both stores.
import fc from 'fast-check';
import { cleanUp } from './harness.ts';
import { Restartable } from './restartable.ts';
import { STORES } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const ID = '000000000123';

describe.each(STORES)('$name', (kind) => {
	let receiver: Restartable['receiver'];
	let world = 0;
	beforeEach(async () => {
		({ receiver } = await Restartable.on(kind));
	});

	const post = async (events: unknown) => (await receiver.emit(JSON.stringify(events))).body;
	const stored = async () => (await receiver.events()).reverse();

	it('[EVNT-05][R] two ids make two events, and one without is each of them, in any order and grouping', () =>
		fc.assert(
			fc.asyncProperty(
				fc.array(
					fc.record({
						id: fc.constantFrom('a', 'b', null),
						letter: fc.integer({ min: 1, max: 2 }),
					}),
					{ minLength: 1, maxLength: 8 },
				),
				fc.integer({ min: 1, max: 8 }),
				async (arrivals, together) => {
					world++;
					const known = new Map<number, Set<string | null>>();
					let expected = 0;
					for (const { id, letter } of arrivals) {
						const ids = known.get(letter) ?? new Set();
						const isKnown = id === null ? ids.size > 0 : ids.has(id) || ids.has(null);
						if (isKnown) continue;
						expected++;
						known.set(letter, ids.add(id));
					}
					let accepted = 0;
					for (let at = 0; at < arrivals.length; at += together) {
						const events = arrivals.slice(at, at + together).map(({ id, letter }) => ({
							event: 'aes_sent',
							messageId: 10 * world + letter,
							timestamp: 1769851800,
							...(id !== null && { id }),
						}));
						accepted += Number((await post(events)).accepted);
					}
					expect(accepted).toBe(expected);
				},
			),
			{ numRuns: kind.runs },
		));

	it('nothing that names an erased letter is stored later, wherever the number stands', async () => {
		const mention = (number: string, more = '') => [
			{ event: 'report_made', about: [`letter ${number}${more}`] },
			{ note: `${number}${more}`, events: ['none'] },
			`no event: ${number}!${more}`,
		];
		const other = '000000000456';
		for (const one of mention(ID)) await post(one);
		expect(await stored()).toHaveLength(3);
		await receiver.manage('DELETE', `/letters/${ID}`);
		expect(await stored()).toHaveLength(0);
		// Not the same events again, which would be duplicates anyway.
		for (const one of mention(ID, ' is gone')) {
			expect(await post(one)).toEqual({ accepted: 0, duplicates: 1 });
		}
		// Longer numbers and other letters are not meant.
		for (const one of [...mention(other), ...mention(`9${ID}`)]) {
			expect(await post(one)).toEqual({ accepted: 1, duplicates: 0 });
		}
	});
});
