import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { duplicateKey, storedKey } from '../../../webhook-receiver/src/core/duplicates.ts';
import { normalise } from '../../../webhook-receiver/src/core/normalise.ts';
import { parseBody } from '../../../webhook-receiver/src/core/parse-body.ts';

const CONFIG = { bodyWindowMs: 600_000, keyRetentionMs: 86_400_000 };
const ID = '000000000123';
const keyOf = (raw: unknown, headers = {}) => duplicateKey(normalise(raw, headers), CONFIG);

// Keys lie in stores that outlive an upgrade: made otherwise, every late redelivery would count as new.
// The digest of what the first event of a list alone keeps comes last.
it.each<[string, unknown, string, unknown[], number]>([
	[
		'message, kind and time',
		{ event: 'mt.sent', messageId: 123, date: '2026-01-31T09:30:00Z' },
		`${ID}:`,
		['tracked_mail.sent', '2026-01-31T09:30:00.000Z'],
		CONFIG.keyRetentionMs,
	],
	[
		'message, kind and time where there is an event id as well',
		{ id: 'e1', event: 'aes_sent', messageId: ID, date: '2026-01-31T09:30:00Z' },
		`${ID}:`,
		['tracked_mail.sent', '2026-01-31T09:30:00.000Z'],
		CONFIG.keyRetentionMs,
	],
	[
		'the content where the time is missing',
		{ event: 'aes_sent', messageId: ID },
		`${ID}:`,
		['tracked_mail.sent', null, null, { event: 'aes_sent', messageId: ID }, ''],
		CONFIG.bodyWindowMs,
	],
	[
		'the content where the message is missing',
		{ event: 'aes_sent', date: 1769851800 },
		':',
		[
			...['tracked_mail.sent', '2026-01-31T09:30:00.000Z', null],
			...[{ event: 'aes_sent', date: 1769851800 }, ''],
		],
		CONFIG.bodyWindowMs,
	],
	[
		'the name as written where it is unknown',
		{ id: 'e1', event: 'Brand_New' },
		':',
		['Brand_New', null, 'e1', { id: 'e1', event: 'Brand_New' }, ''],
		CONFIG.keyRetentionMs,
	],
	[
		'the content where nothing is understood',
		'text',
		':',
		[null, null, null, 'text', ''],
		CONFIG.bodyWindowMs,
	],
])('[EVNT-05][R] the key is made of %s', (_title, raw, message, parts, windowMs) => {
	const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
	const byContent = windowMs === CONFIG.bodyWindowMs;
	expect(keyOf(raw)).toMatchObject({ key: message + digest.slice(0, 32), windowMs, byContent });
});

const AT = '2026-01-31T09:30:00.000Z';
const EARLIER = '2026-01-30T00:00:00.000Z';
const LATER = '2026-01-31T09:30:00.001Z';

it.each([
	['without a time', { event: 'aes_received' }, null, true],
	['without a time', { event: 'aes_received' }, AT, true],
	['on a day', { event: 'aes_opened', date: EARLIER }, null, true],
	['at a time', { event: 'aes_opened', date: AT }, null, false],
	['after the bounce', { event: 'aes_opened', date: AT }, EARLIER, false],
	["at the bounce's time", { event: 'aes_opened', date: AT, id: 'e1' }, AT, true],
	["on the bounce's day", { event: 'aes_opened', date: EARLIER }, EARLIER, true],
	['before the bounce', { event: 'aes_opened', date: AT }, LATER, false],
	['that is no delivery', { event: 'aes_sent' }, null, false],
	['that is a bounce itself', { event: 'aes_undelivered', date: AT }, EARLIER, false],
])('[STAT-05][R] an event %s, %j, with a bounce at %s, counts again: %s', (_, raw, at, isNew) => {
	const normalised = normalise({ ...raw, messageId: ID });
	const key = duplicateKey(normalised, CONFIG);
	const stored = (...sequences: number[]) =>
		storedKey(
			key,
			normalised.event.occurredAt,
			sequences.map((sequence) => ({ sequence, occurredAt: at })),
		);
	expect(stored()).toBe(key.key);
	expect(new Set([stored(), stored(7), stored(7, 8)]).size).toBe(isNew ? 3 : 1);
	expect(stored(8)).toBe(stored(7, 8));
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

it('[EVNT-05][R] two different changes never have one key', () => {
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
		return parseBody(Buffer.from(text.replace('"?"', id)), 'application/json')[0]?.raw;
	};
	fc.assert(
		fc.property(change, change, (one, other) => {
			const [left, right] = [keyOf(received(one)), keyOf(received(other))];
			if (left.key === right.key && left.id === right.id)
				expect(identity(one)).toBe(identity(other));
		}),
		{ numRuns: 2_000 },
	);
});

it('[EVNT-05][R] a repeated event has the key of the first, even if details differ', () => {
	const identified = change.filter(
		({ messageId, date }) => messageId !== undefined && date !== undefined,
	);
	fc.assert(
		fc.property(identified, ({ eventId, ...one }) => {
			const id = eventId === undefined ? {} : { eventId: String(eventId) };
			expect(keyOf({ ...one, ...id, details: 'c' })).toEqual(keyOf({ ...one, ...id }));
		}),
	);
});
