import { createHmac } from 'node:crypto';
import fc from 'fast-check';

import { waitSecret } from '../../../nodes/AwaitOutcome/waitSecret.ts';
import { subscriptionSecret } from '../../../nodes/RegisteredDeliveryTrigger/subscriptionSecret.ts';
import { isSignatureValid } from '../../../nodes/shared/signature.ts';

const now = 1_893_456_000_000;
const seconds = now / 1000;
const secret = subscriptionSecret('management-token', 'workflow~node~production');
const body = Buffer.from('{"events":[]}');

// By hand after Standard Webhooks, so that both sides of the code under test are not the same.
function signature(id: string, timestamp: string | number, content: Buffer, key = secret): string {
	const bytes = Buffer.from(key.slice('whsec_'.length), 'base64');
	const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), content]);
	return `v1,${createHmac('sha256', bytes).update(signed).digest('base64')}`;
}

const headers = (change: Record<string, unknown> = {}) => ({
	'webhook-id': 'msg_1',
	'webhook-timestamp': String(seconds),
	'webhook-signature': signature('msg_1', seconds, body),
	...change,
});
const check = (given: Record<string, unknown>, content = body, key = secret, at = now) =>
	isSignatureValid(key, given, content, at);

// Executions sleep for weeks, and the receiver keeps what it was given: a new version of the pack must
// come to the same secrets.
it('the secrets stay what they are', () => {
	expect(secret).toBe('whsec_74szly3x5l9FF/WTT5lxOYgE2TStqiHw9EnfWSYdecw=');
	expect(waitSecret('management-token', '0b9f1f0e-wait')).toBe(
		'whsec_hElTzo44Ucv+yNMh6pqYsmT52b9zO0vVri9aBKtuIjA=',
	);
});

it('[EVNT-04][T] takes what was signed with the secret', () => {
	expect(check(headers())).toBe(true);
});

it.each([
	[-301, false],
	[-300, true],
	[0, true],
	[300, true],
	[301, false],
])('[EVNT-04][T] a timestamp %d s from now is in the window: %s', (skew, isTaken) => {
	const timestamp = seconds + skew;
	const signed = {
		'webhook-timestamp': String(timestamp),
		'webhook-signature': signature('msg_1', timestamp, body),
	};
	expect(check(headers(signed))).toBe(isTaken);
});

it('[EVNT-04][T] while a secret is rotated, one good signature among several is enough', () => {
	const good = headers()['webhook-signature'];
	expect(check(headers({ 'webhook-signature': `v1,AAAA ${good}` }))).toBe(true);
	expect(check(headers({ 'webhook-signature': `v2,xyz ${good} v1,` }))).toBe(true);
});

it.each<[string, Record<string, unknown>]>([
	['no id', { 'webhook-id': undefined }],
	['another id', { 'webhook-id': 'msg_2' }],
	['no timestamp', { 'webhook-timestamp': undefined }],
	['another timestamp', { 'webhook-timestamp': String(seconds + 1) }],
	['a timestamp with a sign', { 'webhook-timestamp': `+${seconds}` }],
	['a timestamp with a fraction', { 'webhook-timestamp': `${seconds}.0` }],
	['a timestamp that is a number', { 'webhook-timestamp': seconds }],
	['no signature', { 'webhook-signature': undefined }],
	['an empty signature', { 'webhook-signature': '' }],
	['an empty v1', { 'webhook-signature': 'v1,' }],
	[
		'a signature without version',
		{ 'webhook-signature': signature('msg_1', seconds, body).slice(3) },
	],
	[
		'another version',
		{ 'webhook-signature': signature('msg_1', seconds, body).replace('v1', 'v1a') },
	],
	['half a signature', { 'webhook-signature': signature('msg_1', seconds, body).slice(0, 25) }],
	['two headers of a kind', { 'webhook-signature': [signature('msg_1', seconds, body)] }],
	[
		'another secret',
		{ 'webhook-signature': signature('msg_1', seconds, body, subscriptionSecret('other', 'key')) },
	],
])('[EVNT-04][T] refuses %s', (_title, change) => {
	expect(check(headers(change))).toBe(false);
});

it.each([`+${seconds}`, ` ${seconds}`, `${seconds}.0`, `${seconds}e0`, `0${seconds}000`])(
	'[EVNT-04][T] a timestamp written as %j is refused though it was signed',
	(timestamp) => {
		const signed = {
			'webhook-timestamp': timestamp,
			'webhook-signature': signature('msg_1', timestamp, body),
		};
		expect(check(headers(signed), body, secret, Number(timestamp) * 1000)).toBe(false);
	},
);

it('[EVNT-04][T] no ID is no ID, also where somebody signed the word undefined', () => {
	const signed = {
		'webhook-id': undefined,
		'webhook-signature': signature('undefined', seconds, body),
	};
	expect(check(headers(signed))).toBe(false);
});

it('[EVNT-04][T] a timestamp that is no number is refused though it was signed', () => {
	const signed = {
		'webhook-timestamp': 'now',
		'webhook-signature': signature('msg_1', 'now', body),
	};
	expect(check(headers(signed))).toBe(false);
});

it('[EVNT-04][T] any body of any bytes verifies, and no longer when one byte of it changes', () => {
	const bytes = fc.uint8Array({ minLength: 1, maxLength: 500 });
	fc.assert(
		fc.property(
			bytes,
			fc.nat(),
			fc.integer({ min: 1, max: 255 }),
			fc.string(),
			(content, at, flip, id) => {
				const given = Buffer.from(content);
				const signed = headers({
					'webhook-id': id,
					'webhook-signature': signature(id, seconds, given),
				});
				expect(check(signed, given)).toBe(true);
				given[at % given.length] ^= flip;
				expect(check(signed, given)).toBe(false);
			},
		),
	);
});

it('[EVNT-04][T] never throws, whatever the headers hold', () => {
	const value = fc.oneof(fc.jsonValue(), fc.stringMatching(/^(v1,[A-Za-z0-9+/=]* ?){0,4}$/));
	fc.assert(
		fc.property(value, value, value, (id, timestamp, given) => {
			const odd = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given };
			expect(check(odd)).toBe(false);
		}),
	);
});

describe('the secret of a subscription', () => {
	it('is 32 bytes in the form of Standard Webhooks', () => {
		expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
	});

	it('is the same each time, and another one for each token and each key', () => {
		const pair = fc.tuple(fc.string(), fc.string());
		fc.assert(
			fc.property(pair, pair, (one, other) => {
				const same = one[0] === other[0] && one[1] === other[1];
				expect(subscriptionSecret(...one) === subscriptionSecret(...other)).toBe(same);
			}),
		);
	});

	it('does not hold the management token', () => {
		expect(Buffer.from(secret.slice(6), 'base64').toString('latin1')).not.toContain('management');
	});
});
