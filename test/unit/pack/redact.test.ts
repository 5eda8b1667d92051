import fc from 'fast-check';

import { redact } from '../../../nodes/shared/transport/redact.ts';

const token = 'tok&en"1"<x>/+=';

it.each<[string, string]>([
	['as it is', token],
	['URL-encoded', encodeURIComponent(token)],
	['as a form field', new URLSearchParams({ t: token }).toString().slice(2)],
	['URL-encoded in lower case', encodeURIComponent(token).replace(/%../g, (c) => c.toLowerCase())],
	['Base64', Buffer.from(token).toString('base64')],
	['Base64 for URLs', Buffer.from(token).toString('base64url')],
	['with entities', 'tok&amp;en&quot;1&quot;&lt;x&gt;/+='],
	['with numbers for entities', 'tok&#38;en&#34;1&#34;&#60;x&#62;/+='],
	['with hexadecimal entities', 'tok&#x26;en&#X0022;1&#x22;&#x3C;x&#x3e;/+='],
	['in a JSON text', JSON.stringify(token).slice(1, -1)],
])('a secret %s is taken out', (_title, text) => {
	const answer = { message: `Bad token ${text}!`, data: [{ [text]: [`${text}${text}`] }] };
	expect(redact(answer, token)).toEqual({
		message: 'Bad token [redacted]!',
		data: [{ '[redacted]': ['[redacted][redacted]'] }],
	});
	expect(answer.message).toContain(text);
});

it('what holds none comes back as it is', () => {
	for (const answer of [{ a: [1, null, { b: 'text' }] }, 'text', null, undefined, 7]) {
		expect(redact(answer, token)).toEqual(answer);
	}
	expect(redact({ a: 'abc' }, 'abc')).toEqual({ a: 'abc' });
	expect(redact({ a: 'abc' }, undefined)).toEqual({ a: 'abc' });
});

it.each([
	["it's", 'it&apos;s'],
	["it's", 'it&#39;s'],
	["it's", 'it&#x27;s'],
	['a+bc', 'a%2Bbc'],
	['a+bc', 'a%2bbc'],
	['a"\\c', 'a\\"\\\\c'],
	['abcd', 'YWJjZA=='],
	['abcd', 'YWJjZA'],
	['>>>???', 'Pj4+Pz8/'],
	['>>>>', 'Pj4+Pg'],
	['>>>???', 'Pj4-Pz8_'],
])('of the secret %j nothing is left of %j', (secret, text) => {
	expect(redact(`<${text}>`, secret)).toBe('<[redacted]>');
});

it('is a secret from four characters on, without the spaces around it', () => {
	expect(redact('abc abcd', 'abc')).toBe('abc abcd');
	expect(redact('abc abcd', ' abcd ')).toBe('abc [redacted]');
	expect(redact({ abcd: 1 }, 'abcd')).toEqual({ '[redacted]': 1 });
	const bare = Object.assign(Object.create(null) as object, { a: 'abcd' });
	expect(redact(bare, 'abcd')).toEqual({ a: '[redacted]' });
});

it('is looked for two hundred levels deep', () => {
	const nested = (depth: number) => {
		let value: unknown = 'abcd';
		for (let level = 0; level < depth; level++) value = [value];
		return value;
	};
	const innermost = (value: unknown): unknown =>
		Array.isArray(value) ? innermost(value[0]) : value;
	const depthOf = (value: unknown): number => (Array.isArray(value) ? 1 + depthOf(value[0]) : 0);
	const found = redact(nested(201), 'abcd');
	expect([depthOf(found), innermost(found)]).toEqual([201, '[redacted]']);
	expect(depthOf(redact(nested(202), 'abcd'))).toBe(201);
});

it('signs of patterns are no pattern', () => {
	expect(redact('a.c*d abcd accd', 'a.c*d')).toBe('[redacted] abcd accd');
});

it('what is nested beyond all measure goes whole', () => {
	let deep: unknown = token;
	for (let depth = 0; depth < 50_000; depth++) deep = depth % 2 ? [deep] : { deep };
	expect(() => redact(deep, token)).not.toThrow();
});

it('no generated answer keeps a generated secret', () => {
	// A secret of the mark itself, or of JSON's own signs, would be found in what is left.
	const secret = fc.stringMatching(/^[\x21-\x7e]{4,20}$/).filter((one) => /[A-Z0-9]{2}/.test(one));
	const around = (text: string) =>
		fc.tuple(fc.string(), fc.string()).map(([before, after]) => `${before}${text}${after}`);
	const forms = (text: string) =>
		fc
			.constantFrom(
				text,
				encodeURIComponent(text),
				Buffer.from(text).toString('base64'),
				new URLSearchParams({ t: text }).toString().slice(2),
			)
			.chain((form) => around(form).map((shown) => ({ form, shown })));
	fc.assert(
		fc.property(
			secret.chain((text) => fc.tuple(fc.constant(text), forms(text))),
			([text, { form, shown }]) => {
				const answer = redact({ a: [shown], [shown]: 1 }, text) as { a: string[] };
				expect(JSON.stringify(Object.keys(answer))).not.toContain(form);
				expect(answer.a[0]).not.toContain(form);
			},
		),
		{ numRuns: 500 },
	);
});

it('is fast: 5 MB within a second', () => {
	const answer = Array.from({ length: 20_000 }, (_, id) => ({ id, text: 'x'.repeat(250) }));
	const since = process.cpuUsage();
	expect(redact(answer, 'k'.repeat(2000))).toEqual(answer);
	// Of its own time, whatever else the machine does.
	expect(process.cpuUsage(since).user).toBeLessThan(1_000_000);
});
