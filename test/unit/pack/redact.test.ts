import fc from 'fast-check';

import { redact, secretsOf } from '../../../nodes/shared/transport/redact.ts';

const token = 'tok&en "1"<x>/+=é';

it.each<[string, string]>([
	['as it is', token],
	['URL-encoded', encodeURIComponent(token)],
	['as a form field', new URLSearchParams({ t: token }).toString().slice(2)],
	['URL-encoded in lower case', encodeURIComponent(token).replace(/%../g, (c) => c.toLowerCase())],
	['Base64', Buffer.from(token).toString('base64')],
	['Base64 for URLs', Buffer.from(token).toString('base64url')],
	['with entities', 'tok&amp;en &quot;1&quot;&lt;x&gt;/+=é'],
	['with numbers for entities', 'tok&#38;en &#34;1&#34;&#60;x&#62;/+=é'],
	['with hexadecimal entities', 'tok&#x26;en &#X0022;1&#x22;&#x3C;x&#x3e;/+=&#xE9;'],
	['in a JSON text', JSON.stringify(token).slice(1, -1)],
])('a secret %s is taken out', (_title, text) => {
	const answer = { message: `Bad token ${text}!`, data: [{ [text]: [`${text}${text}`] }] };
	expect(redact(answer, [token])).toEqual({
		message: 'Bad token [redacted]!',
		data: [{ '[redacted]': ['[redacted][redacted]'] }],
	});
	expect(answer.message).toContain(text);
});

it('what holds none comes back itself', () => {
	const stream = new (class Stream {
		token = token;
	})();
	for (const answer of [{ a: [1, null, { b: 'text' }] }, 'text', null, undefined, 7, stream]) {
		expect(redact(answer, [token])).toBe(answer);
	}
	expect(redact({ a: 'abc' }, ['', 'abc'])).toEqual({ a: 'abc' });
});

it.each([
	["it's", 'it&apos;s'],
	["it's", 'it&#39;s'],
	["it's", 'it&#x27;s'],
	['a b c', 'a+b+c'],
	['a b c', 'a%20b%20c'],
	['a\tbc', 'a%09bc'],
	['a\tbc', 'a\\tbc'],
	['é€ab', '%C3%a9%E2%82%ACab'],
	['abcd', 'YWJjZA=='],
	['abcd', 'YWJjZA'],
	['>>>???', 'Pj4+Pz8/'],
	['>>>???', 'Pj4-Pz8_'],
])('of the secret %j nothing is left of %j', (secret, text) => {
	expect(redact(`<${text}>`, [secret])).toBe('<[redacted]>');
});

it('is a secret from four characters on, and whatever object it is in', () => {
	expect(redact('abc abcd', ['abc', 'abcd'])).toBe('abc [redacted]');
	const bare = Object.assign(Object.create(null) as object, { a: 'abcd' });
	expect(redact(bare, ['abcd'])).toEqual({ a: '[redacted]' });
	expect(redact({ abcd: 1 }, ['abcd'])).toEqual({ '[redacted]': 1 });
	expect(redact('null and void', ['abc'])).toBe('null and void');
	// A list of which one entry holds it is another list, a member that holds none the same.
	const clean = { b: 1 };
	const [first, second] = redact([clean, 'abcd'], ['abcd']);
	expect(first).toBe(clean);
	expect(second).toBe('[redacted]');
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
	const found = redact(nested(201), ['abcd']);
	expect([depthOf(found), innermost(found)]).toEqual([201, '[redacted]']);
	expect(depthOf(redact(nested(202), ['abcd']))).toBe(201);
});

it('signs of patterns are no pattern, and a longer secret is taken out whole', () => {
	expect(redact('a.c* abc* a.c*d', ['a.c*', 'a.c*d'])).toBe('[redacted] abc* [redacted]');
});

it('what is nested beyond all measure goes whole', () => {
	let deep: unknown = token;
	for (let depth = 0; depth < 50_000; depth++) deep = [deep];
	expect(() => redact(deep, [token])).not.toThrow();
});

it('no generated answer keeps a generated secret', () => {
	// A secret of the mark itself, or of JSON's own signs, would be found in what is left.
	const secret = fc
		.stringMatching(/^[A-Za-z0-9&<>"'%+/=. -]{4,20}$/)
		.filter((one) => /[A-Z0-9]{2}/.test(one));
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
				const answer = redact({ a: [shown], [shown]: 1 }, [text]);
				expect(JSON.stringify(Object.keys(answer))).not.toContain(form);
				expect((answer.a as string[])[0]).not.toContain(form);
			},
		),
		{ numRuns: 500 },
	);
});

it('is fast: 5 MB within a second', () => {
	const answer = Array.from({ length: 20_000 }, (_, id) => ({ id, text: 'x'.repeat(250) }));
	const since = process.cpuUsage();
	expect(redact(answer, [token, 'passphrase', 'k'.repeat(2000)])).toBe(answer);
	// Of its own time, whatever else the machine does.
	expect(process.cpuUsage(since).user).toBeLessThan(1_000_000);
});

it('knows the token of a credential, trimmed too, and takes no passphrase out of an id or a link', () => {
	const secrets = secretsOf({ apiToken: ' token ', passphrase: '1234', baseUrl: 'https://x' });
	expect(secrets).toEqual([' token ', 'token']);
	const answer = { id: '881234500077', url: 'https://1234.example/' };
	expect(redact(answer, secrets)).toBe(answer);
	expect(secretsOf({}).join('')).toBe('');
});
