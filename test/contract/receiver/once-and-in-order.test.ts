// The same event with and without an id, and what still mentions an erased letter: over HTTP, on both stores.
import { cleanUp } from './harness.ts';
import { Restartable } from './restartable.ts';
import { STORES } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const ID = '000000000123';

describe.each(STORES)('$name', (kind) => {
	let receiver: Restartable['receiver'];
	beforeEach(async () => {
		({ receiver } = await Restartable.on(kind));
	});

	const post = async (events: unknown) => (await receiver.emit(JSON.stringify(events))).body;
	const stored = async () => (await receiver.events()).reverse();

	it.each<[string, Array<string | null>, number]>([
		['two ids make two events', ['a', 'b', 'a'], 2],
		['one without an id is each of them', ['a', 'b', null], 2],
		['and each of them is that one', [null, 'a', 'b', null], 1],
	])('[EVNT-05][R] %s: %j, together or one by one', async (_, ids, expected) => {
		// One that is a change of status, and one that is none: they are kept apart.
		for (const [letter, event] of ['aes_sent', 'aes_sealed'].entries()) {
			const events = (messageId: number) =>
				ids.map((id) => ({ event, messageId, timestamp: 1769851800, ...(id && { id }) }));
			expect(await post(events(2 * letter + 1))).toMatchObject({ accepted: expected });
			let accepted = 0;
			for (const one of events(2 * letter + 2)) accepted += Number((await post(one)).accepted);
			expect(accepted).toBe(expected);
		}
	});

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
