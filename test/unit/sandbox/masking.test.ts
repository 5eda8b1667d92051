import fc from 'fast-check';
import { BodyTap, MAX_TEXT_BYTES } from '../../../sandbox/src/journal/body-tap.ts';
import { MASK, masked, maskedHeaders } from '../../../sandbox/src/journal/masking.ts';

const SECRET = 'token-of-direct';

it.each([
	['a known token in a text', `Bearer ${SECRET}.`, 'Bearer ***.'],
	['the signature of a link', '/a/b?expires=7&signature=Ab-_9', `/a/b?expires=7&signature=${MASK}`],
	['the same in HTML', 'x?expires=7&amp;signature=Ab"', `x?expires=7&amp;signature=${MASK}"`],
	['fields of a form, in any case', 'PIN_TOKEN=a&api_key=b', `PIN_TOKEN=${MASK}&api_key=${MASK}`],
	['the first field of a form', 'password=a%20b&to=c', `password=${MASK}&to=c`],
	['a member of a document', '{"apiToken": "a\\"b", "to": 1}', `{"apiToken": "${MASK}", "to": 1}`],
	['one that was cut off', '{"passphrase":"half', `{"passphrase":"${MASK}`],
	[
		'PEM',
		'a -----BEGIN EC PRIVATE KEY-----\nMII=\n-----END EC PRIVATE KEY----- b',
		`a -----BEGIN EC PRIVATE KEY-----${MASK} b`,
	],
	[
		'PEM in JSON, cut off',
		'"-----BEGIN CERTIFICATE-----\\nMII',
		`"-----BEGIN CERTIFICATE-----${MASK}`,
	],
	[
		'PEM in a header',
		'-----BEGIN%20CERTIFICATE-----%0AMII%0A-----END%20CERTIFICATE-----',
		`-----BEGIN%20CERTIFICATE-----${MASK}`,
	],
	['nothing else', '{"fileReference":"key-1","to":"a@b.example"}', null],
])('masks %s', (_, text, expected) => {
	expect(masked(text, [SECRET])).toBe(expected ?? text);
});

it('masks no short secret that nothing announces, since its text is part of others', () => {
	expect(masked('expires=1234&token=1234', ['1234'])).toBe(`expires=1234&token=${MASK}`);
});

it('masks headers that hold a secret by name, and any other by what is in it', () => {
	const headers = {
		'X-API-TOKEN': 'unknown',
		authorization: 'Basic dXNlcg==',
		'set-cookie': ['a=1', 'b=2'],
		'x-webhook-secret': 's',
		'x-webhook-signature': 'sha256=00ff',
		location: `/x?token=${SECRET}`,
		accept: ['a/b', 'c/d'],
		'content-length': 12,
		absent: undefined,
	};
	expect(maskedHeaders(headers, [])).toEqual({
		'x-api-token': MASK,
		authorization: MASK,
		'set-cookie': MASK,
		'x-webhook-secret': MASK,
		'x-webhook-signature': 'sha256=00ff',
		location: `/x?token=${MASK}`,
		accept: 'a/b, c/d',
		'content-length': '12',
	});
});

const secret = fc.string({
	minLength: 8,
	maxLength: 40,
	unit: fc.constantFrom(...'aB7"\\\n %&é<'),
});

it('never lets a known secret through, raw, in JSON or in a URL', () => {
	fc.assert(
		fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), (known) => {
			for (const one of known) {
				const spellings = [one, JSON.stringify(one).slice(1, -1), encodeURIComponent(one)];
				for (const spelled of spellings) expect(masked(`(${spelled})`, known)).toBe(`(${MASK})`);
			}
		}),
	);
});

it('leaves no part of a secret where a text is cut off', () => {
	const word = fc.stringMatching(/^[A-Z]{8,60}$/);
	fc.assert(
		fc.property(word, fc.integer({ min: -80, max: 80 }), (secret, shift) => {
			const text = `${'.'.repeat(MAX_TEXT_BYTES + shift)}${secret}${'.'.repeat(200)}`;
			const type = { contentType: 'text/plain', contentEncoding: null, fileName: null };
			const tap = new BodyTap(
				() => type,
				() => [secret],
			);
			for (const part of text.match(/.{1,1000}/g) ?? []) tap.add(Buffer.from(part));
			const { text: kept, truncated } = tap.result([secret]) ?? {};
			expect(truncated).toBe(true);
			expect(kept).toMatch(/^[.*]*$/);
			expect(kept?.length).toBeGreaterThan(MAX_TEXT_BYTES - 200);
		}),
		{ numRuns: 50 },
	);
});
