import fc from 'fast-check';

import {
	EventMemory,
	KEPT_MS,
} from '../../../nodes/RegisteredDeliveryDirectTrigger/eventMemory.ts';

const NOW = 1_769_851_800_000;
const LATER = NOW + 1000;

/** A memory of these keys, each known until {@link LATER}. */
function memoryOf(limit: number, ...keys: string[]): EventMemory {
	const memory = new EventMemory(limit);
	for (const key of keys) memory.remember(key, LATER);
	return memory;
}
const known = (memory: EventMemory, ...keys: string[]) =>
	keys.filter((key) => memory.has(key, NOW)).join('');

it('[EVNT-05][T] keeps for thirty days, longer than any redelivery', () => {
	expect(KEPT_MS).toBe(2_592_000_000);
});

it('[EVNT-05][T] knows a key until its time, and not at that time any more', () => {
	const memory = memoryOf(9, 'a');
	expect([NOW, LATER - 1, LATER, LATER + 1].map((now) => memory.has('a', now))).toEqual([
		true,
		true,
		false,
		false,
	]);
	expect(memory.until('a', LATER - 1)).toBe(LATER);
	expect(memory.until('a', LATER)).toBeNull();
	expect(memory.until('b', NOW)).toBeNull();
});

it('[EVNT-05][T] lets go of the oldest keys when it is full, of no more', () => {
	expect(known(memoryOf(3, 'a', 'b', 'c'), 'a', 'b', 'c')).toBe('abc');
	expect(known(memoryOf(3, 'a', 'b', 'c', 'd'), 'a', 'b', 'c', 'd')).toBe('bcd');
});

it('a key that comes again is the newest, and has its new time', () => {
	const memory = memoryOf(2, 'a', 'b');
	memory.remember('a', LATER + 5);
	memory.remember('c', LATER);
	expect(known(memory, 'a', 'b', 'c')).toBe('ac');
	expect(memory.until('a', NOW)).toBe(LATER + 5);
});

it('[EVNT-05][T] what it forgets is unknown, and does not come back with the text of another run', () => {
	const memory = memoryOf(9, 'a', 'b', 'c');
	const text = memory.toText(9);
	memory.forget(['a', 'c']);
	expect(known(memory, 'a', 'b', 'c')).toBe('b');
	memory.addText(text);
	expect(known(memory, 'a', 'b', 'c')).toBe('b');
	expect(memory.toText(9)).toBe(`b ${LATER}`);
	memory.remember('a', LATER);
	expect(known(memory, 'a', 'b', 'c')).toBe('ab');
});

it('gives its last keys as a text, a line each', () => {
	const memory = memoryOf(9, 'a', 'b', 'c');
	expect(memory.toText(2)).toBe(`b ${LATER}\nc ${LATER}`);
	expect(memory.toText(9)).toBe(`a ${LATER}\nb ${LATER}\nc ${LATER}`);
	expect(new EventMemory(9).toText(9)).toBe('');
});

it('takes over from a text what it does not know yet, and keeps its own times', () => {
	const memory = memoryOf(9, 'a');
	memory.addText(`a ${LATER + 7}\nb ${LATER + 7}`);
	expect(memory.until('a', NOW)).toBe(LATER);
	expect(memory.until('b', NOW)).toBe(LATER + 7);
});

it.each(['', '\n', 'a', 'a ', 'a soon', 'a 0', ` ${LATER}`])(
	'takes nothing over from the broken text %j',
	(text) => {
		const memory = new EventMemory(9);
		memory.addText(text);
		expect(memory.toText(9)).toBe('');
		expect(known(memory, 'a', '', 'undefined')).toBe('');
	},
);

it('[EVNT-05][T] a restart forgets nothing of what was written down, and a full memory stays full', () => {
	const keys = fc.array(fc.stringMatching(/^[a-z0-9]{1,3}$/), { maxLength: 30 });
	fc.assert(
		fc.property(keys, fc.integer({ min: 1, max: 10 }), (all, limit) => {
			const before = memoryOf(limit, ...all);
			const after = new EventMemory(limit);
			after.addText(before.toText(limit));
			const last = [...new Set(all.toReversed())].slice(0, limit);
			for (const key of all) {
				expect(before.has(key, NOW)).toBe(last.includes(key));
				expect(after.until(key, NOW)).toBe(before.until(key, NOW));
			}
		}),
	);
});
