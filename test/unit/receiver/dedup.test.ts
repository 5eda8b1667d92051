import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { duplicateKey, storedKey } from '../../../webhook-receiver/src/core/duplicates.ts';
import { normalise } from '../../../webhook-receiver/src/core/normalise.ts';

const CONFIG = { bodyWindowMs: 600_000, keyRetentionMs: 86_400_000 };
const ID = '000000000123';
const keyOf = (raw: unknown, headers = {}) => duplicateKey(normalise(raw, headers), CONFIG);

// Keys lie in stores that outlive an upgrade: made otherwise, every late redelivery would count as new.
it.each<[string, unknown, unknown[], number]>([
	[
		'event id and kind',
		{ id: 'e1', event: 'aes_sent', messageId: ID, date: '2026-01-31T09:30:00Z' },
		['id', 'e1', 'tracked_mail.sent'],
		CONFIG.keyRetentionMs,
	],
	[
		'message, kind and time',
		{ event: 'mt.sent', messageId: 123, date: '2026-01-31T09:30:00Z' },
		['time', ID, 'tracked_mail.sent', '2026-01-31T09:30:00.000Z'],
		CONFIG.keyRetentionMs,
	],
	[
		'kind and content where the time is missing',
		{ event: 'aes_sent', messageId: ID },
		['body', 'tracked_mail.sent', { event: 'aes_sent', messageId: ID }],
		CONFIG.bodyWindowMs,
	],
	[
		'kind and content where the message is missing',
		{ event: 'aes_sent', date: 1769851800 },
		['body', 'tracked_mail.sent', { event: 'aes_sent', date: 1769851800 }],
		CONFIG.bodyWindowMs,
	],
	[
		'the name as written where it is unknown',
		{ id: 'e1', event: 'Brand_New' },
		['id', 'e1', 'Brand_New'],
		CONFIG.keyRetentionMs,
	],
	['the content where nothing is understood', 'text', ['body', null, 'text'], CONFIG.bodyWindowMs],
])('[EVNT-05][R] the key is made of %s', (_title, raw, parts, windowMs) => {
	const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
	const key = digest.slice(0, 32);
	expect(keyOf(raw)).toMatchObject({ key, windowMs, byContent: parts[0] === 'body' });
});

it.each([
	[{ event: 'aes_received', messageId: ID }, true],
	[{ event: 'aes_opened', messageId: ID }, true],
	[{ event: 'aes_opened', messageId: ID, date: '2026-01-31' }, true],
	[{ event: 'aes_opened', messageId: ID, date: '2026-01-31T00:00:01Z' }, false],
	[{ event: 'aes_undelivered', messageId: ID }, false],
	[{ event: 'aes_undelivered', messageId: ID, date: '2026-01-31' }, false],
	[{ event: 'aes_failed', messageId: ID }, false],
	[{ event: 'aes_opened', messageId: ID, id: 'e1' }, false],
])('[STAT-05][R] %j counts anew after a bounce: %s', (raw, renewedByBounce) => {
	expect(keyOf(raw).renewedByBounce).toBe(renewedByBounce);
});

it('[STAT-05][R] after each bounce it counts anew once', () => {
	const key = keyOf({ event: 'aes_received', messageId: ID });
	const keys = [null, 0, 7, 8].map((bounce) => storedKey(key, bounce));
	expect(new Set(keys).size).toBe(4);
	expect(keys[0]).toBe(key.key);
	const fixed = { ...key, renewedByBounce: false };
	expect([null, 0, 7].map((bounce) => storedKey(fixed, bounce))).toEqual([
		key.key,
		key.key,
		key.key,
	]);
});

it('[EVNT-05][R] two events have one key only when id and kind, or message, kind and time, agree', () => {
	const event = fc.record({
		event: fc.constantFrom('aes_sent', 'mt_sent', 'aes_opened', 'new_one'),
		messageId: fc.constantFrom(1, 2),
		date: fc.constantFrom(1769851800, 1769851801),
		eventId: fc.option(fc.constantFrom('e1', 'e2'), { nil: undefined }),
	});
	type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;
	const kind = (name: string) => name.replace('mt_', 'aes_');
	const identity = ({ event: name, messageId, date, eventId }: Event) =>
		JSON.stringify(eventId ? [eventId, kind(name)] : [messageId, date, kind(name)]);
	fc.assert(
		fc.property(event, event, (one, other) => {
			expect(keyOf(one).key === keyOf(other).key).toBe(identity(one) === identity(other));
		}),
	);
});
