import fc from 'fast-check';

import { partOf } from '../../../sandbox/src/page/listing.ts';

const entries = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `m${n}` }));
const NEWEST = { before: null, after: null };
const ids = (list: Array<{ id: string }>) => list.map(({ id }) => id);

const counts = fc.record({ count: fc.nat(60), size: fc.integer({ min: 1, max: 12 }) });

describe('the part of a list that a reader is at', () => {
	it('shows every entry once, walking back, and again on the way forth', () => {
		fc.assert(
			fc.property(counts, ({ count, size }) => {
				const all = entries(count);
				const list = () => all;
				const parts = [partOf(list, NEWEST, size)];
				while (parts.at(-1)?.older) {
					const before = parts.at(-1)?.shown.at(-1)?.id ?? '';
					parts.push(partOf(list, { before, after: null }, size));
				}
				expect(parts.flatMap(({ shown }) => ids(shown))).toEqual(ids(all));
				expect(parts[0]?.newer).toBe(false);
				for (let index = parts.length - 1; index > 0; index--) {
					const after = parts[index]?.shown[0]?.id ?? '';
					const { shown, newer, older } = partOf(list, { before: null, after }, size);
					expect(ids(shown)).toEqual(ids(parts[index - 1]?.shown ?? []));
					expect([newer, older]).toEqual([index > 1, true]);
				}
			}),
		);
	});

	it('stays where it is while newer entries arrive', () => {
		fc.assert(
			fc.property(counts, fc.nat(40), fc.nat(59), ({ count, size }, arrived, at) => {
				const all = entries(count);
				const before = all[at]?.id;
				if (before === undefined) return;
				const more = [...Array.from({ length: arrived }, (_, n) => ({ id: `new${n}` })), ...all];
				const view = { before, after: null };
				expect(partOf(() => more, view, size)).toEqual(partOf(() => all, view, size));
			}),
		);
	});

	it.each([
		['before', { before: 'gone', after: null }],
		['after', { before: null, after: 'gone' }],
	])('shows the newest where the entry it hangs on is gone (%s)', (_, view) => {
		expect(partOf(() => entries(9), view, 4)).toEqual(partOf(() => entries(9), NEWEST, 4));
	});

	it('looks no further than it must', () => {
		let looked = 0;
		const list = function* () {
			for (const entry of entries(1000)) {
				looked++;
				yield entry;
			}
		};
		partOf(list, NEWEST, 10);
		expect(looked).toBe(11);
	});
});
