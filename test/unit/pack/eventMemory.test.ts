import fc from 'fast-check';

import {
	EventMemory,
	KEPT_MS,
} from '../../../nodes/RegisteredDeliveryDirectTrigger/eventMemory.ts';

const NOW = 1_769_851_800_000;
const LATER = NOW + 1000;

const until = (time: number) => ({ until: time, record: null });
const timeOf = (memory: EventMemory, key: string, now = NOW) => memory.get(key, now)?.until ?? null;

/** A memory of these keys, each known until {@link LATER}. */
function memoryOf(limit: number, ...keys: string[]): EventMemory {
	const memory = new EventMemory(limit);
	for (const key of keys) memory.remember(key, until(LATER));
	return memory;
}
const known = (memory: EventMemory, ...keys: string[]) =>
	keys.filter((key) => memory.get(key, NOW) !== null).join('');

it('[EVNT-05][T] keeps for thirty days, longer than any redelivery', () => {
	expect(KEPT_MS).toBe(2_592_000_000);
});

it('[EVNT-05][T] knows a key until its time, and not at that time any more', () => {
	const memory = memoryOf(9, 'a');
	expect([NOW, LATER - 1, LATER, LATER + 1].map((now) => memory.get('a', now) !== null)).toEqual([
		true,
		true,
		false,
		false,
	]);
	expect(timeOf(memory, 'a', LATER - 1)).toBe(LATER);
	expect(timeOf(memory, 'a', LATER)).toBeNull();
	expect(timeOf(memory, 'b')).toBeNull();
});

it('[EVNT-05][T] lets go of the oldest keys when it is full, of no more', () => {
	expect(known(memoryOf(3, 'a', 'b', 'c'), 'a', 'b', 'c')).toBe('abc');
	expect(known(memoryOf(3, 'a', 'b', 'c', 'd'), 'a', 'b', 'c', 'd')).toBe('bcd');
});

it('a key that comes again is the newest, and has its new time', () => {
	const memory = memoryOf(2, 'a', 'b');
	memory.remember('a', until(LATER + 5));
	memory.remember('c', until(LATER));
	expect(known(memory, 'a', 'b', 'c')).toBe('ac');
	expect(timeOf(memory, 'a')).toBe(LATER + 5);
});

it('[EVNT-05][T] what it forgets is unknown, and does not come back with the text of another run', () => {
	const memory = memoryOf(9, 'a', 'b', 'c');
	const text = memory.toText(9);
	memory.forget('a', 'a');
	memory.forget('c', 'c');
	expect(known(memory, 'a', 'b', 'c')).toBe('b');
	memory.addText(text);
	expect(known(memory, 'a', 'b', 'c')).toBe('b');
	memory.remember('a', until(LATER));
	expect(known(memory, 'a', 'b', 'c')).toBe('ab');
});

it('gives its last letters and events as a text, and takes over from one what it does not know', () => {
	const other = memoryOf(9, 'a', 'b', 'c');
	other.remember('b', until(LATER + 7));
	const memory = memoryOf(9, 'c');
	memory.addText(other.toText(2));
	expect(known(memory, 'a', 'b', 'c')).toBe('bc');
	expect([timeOf(memory, 'b'), timeOf(memory, 'c')]).toEqual([LATER + 7, LATER]);
	memory.addText(new EventMemory(9).toText(9));
	expect(known(memory, 'a', 'b', 'c')).toBe('bc');
});

it('[EVNT-05][T] forgets one event of a letter, and keeps the others', () => {
	const memory = new EventMemory(9);
	const change = {
		type: 'tracked_mail.sent' as const,
		step: 'SENT',
		at: NOW,
		by: 'webhook' as const,
		eventId: '',
	};
	const record = {
		messageType: null,
		fileReference: null,
		customerReference: null,
		watch: null,
		changes: [
			{ ...change, mark: 'a' },
			{ ...change, mark: 'b' },
		],
		others: [
			{ mark: 'b', until: null },
			{ mark: 'c', until: null },
		],
	};
	memory.remember('letter', { until: LATER, record });
	memory.forget('letter', 'b');
	memory.forget('unknown', 'b');
	expect(memory.get('letter', NOW)?.record).toEqual({
		...record,
		changes: [record.changes[0]],
		others: [record.others[1]],
	});
});

it('[EVNT-05][T] a restart forgets nothing of what was written down, and a full memory stays full', () => {
	const keys = fc.array(fc.stringMatching(/^[a-z0-9]{1,3}$/), { maxLength: 30 });
	fc.assert(
		fc.property(keys, fc.integer({ min: 1, max: 10 }), (all, limit) => {
			const before = memoryOf(limit, ...all);
			const after = new EventMemory(limit);
			after.addText(before.toText(limit));
			const last = [...new Set(all.toReversed())].slice(0, limit);
			for (const key of all) {
				expect(before.get(key, NOW) !== null).toBe(last.includes(key));
				expect(timeOf(after, key)).toBe(timeOf(before, key));
			}
		}),
	);
});
