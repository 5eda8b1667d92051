import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { isSameMark, markOf } from '../../../webhook-receiver/src/core/mark.ts';
import { normalise } from '../../../webhook-receiver/src/core/normalise.ts';
import { parseBody } from '../../../webhook-receiver/src/core/parse-body.ts';

const ID = '000000000123';
const of = (raw: unknown) => markOf(normalise(raw));
const digest = (length: number, ...parts: unknown[]) =>
	createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, length);

// Marks lie in stores that outlive an upgrade: made otherwise, every late redelivery would count as new.
it.each<[string, unknown, string, boolean]>([
	[
		'the time of a step',
		{ event: 'mt.sent', messageId: 123, date: '2026-01-31T09:30:00Z' },
		'2026-01-31T09:30:00.000Z',
		false,
	],
	[
		'the time and the event id, if there is one',
		{ id: 'e1', event: 'aes_sent', messageId: ID, date: '2026-01-31T09:30:00Z' },
		`2026-01-31T09:30:00.000Z#${digest(16, 'e1')}`,
		false,
	],
	[
		'name and time of what is no step',
		{ event: 'new_one', messageId: ID, date: '2026-01-31T09:30:00Z' },
		digest(32, 'new_one', '2026-01-31T09:30:00.000Z'),
		false,
	],
	[
		'the content where the time is missing',
		{ event: 'aes_sent', messageId: ID },
		digest(32, 'tracked_mail.sent', null, null, { event: 'aes_sent', messageId: ID }),
		true,
	],
	[
		'the content where the message is missing',
		{ event: 'aes_sent', date: 1769851800 },
		digest(32, 'tracked_mail.sent', '2026-01-31T09:30:00.000Z', null, {
			event: 'aes_sent',
			date: 1769851800,
		}),
		true,
	],
	[
		'the name as written where it is unknown',
		{ id: 'e1', event: 'Brand_New' },
		digest(32, 'Brand_New', null, 'e1', { id: 'e1', event: 'Brand_New' }),
		false,
	],
	['the content where nothing is understood', 'text', digest(32, null, null, null, 'text'), true],
])('[EVNT-05][R] the mark is %s', (_title, raw, mark, byContent) => {
	expect(of(raw)).toEqual({ mark, byContent });
});

/** What a service may put into its events, or leave out; ids that number requests, kinds or messages. */
const change = fc.record(
	{
		event: fc.constantFrom('aes_sent', 'mt_sent', 'aes_opened', 'new_one'),
		messageId: fc.constantFrom(1, 2),
		date: fc.constantFrom(1769851800, 1769851801),
		eventId: fc.constantFrom('e1', 7, 9007199254740993n, 9007199254740992n),
		details: fc.constantFrom('a', 'b'),
	},
	{ requiredKeys: ['event'] },
);

it('[EVNT-05][R] two different events of a step or a name never have one mark', () => {
	type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
	const identity = ({ details, ...one }: Change) => {
		const isIdentified = one.messageId !== undefined && one.date !== undefined;
		return inspect({
			...one,
			event: one.event.replace('mt_', 'aes_'),
			details: isIdentified || details,
		});
	};
	const received = (one: Change) => {
		const text = JSON.stringify({ ...one, eventId: '?' });
		const id = typeof one.eventId === 'string' ? `"${one.eventId}"` : String(one.eventId ?? null);
		return parseBody(Buffer.from(text.replace('"?"', id)))[0];
	};
	fc.assert(
		fc.property(change, change, (one, other) => {
			const [left, right] = [of(received(one)), of(received(other))];
			const isStep = one.event !== 'new_one';
			// Steps are told apart by the record, letters by whose record it is.
			if (left.mark === right.mark && one.messageId === other.messageId) {
				const same = isStep ? { event: one.event } : {};
				expect(identity({ ...other, ...same })).toBe(identity(one));
			}
		}),
		{ numRuns: 2_000 },
	);
});

it.each([
	['one id and time', 'time#id', 'time#id', true],
	['no id in the one', 'time', 'time#id', true],
	['no id in the other', 'time#id', 'time', true],
	['two ids', 'time#id', 'time#other', false],
	['two times', 'time#id', 'later#id', false],
])('[EVNT-05][R] marks with %s are the same: %s, %s: %p', (_title, left, right, isSame) => {
	expect(isSameMark(left, right)).toBe(isSame);
});

it('[EVNT-05][R] a repeated event has the mark of the first, even if details differ', () => {
	const identified = change.filter(
		({ messageId, date }) => messageId !== undefined && date !== undefined,
	);
	fc.assert(
		fc.property(identified, ({ eventId, ...one }) => {
			const id = eventId === undefined ? {} : { eventId: String(eventId) };
			expect(of({ ...one, ...id, details: 'c' })).toEqual(of({ ...one, ...id }));
		}),
	);
});
