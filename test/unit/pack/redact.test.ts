import fc from 'fast-check';

import { redact } from '../../../nodes/shared/transport/redact.ts';

it('a token is removed wherever it is, member names included', () => {
	const answer = { message: 'Bad token a.c*d!', data: [{ 'a.c*d': ['a.c*da.c*d', 'accd'] }] };
	expect(redact(answer, ' a.c*d ')).toEqual({
		message: 'Bad token [redacted]!',
		data: [{ '[redacted]': ['[redacted][redacted]', 'accd'] }],
	});
	expect(answer.message).toContain('a.c*d');
	expect(redact('<p>abcd</p>', 'abcd')).toBe('<p>[redacted]</p>');
});

it('an answer without it comes back as it is', () => {
	for (const answer of [{ a: [1, null, { b: 'text' }] }, 'text', null, undefined, 7]) {
		expect(redact(answer, 'abcd')).toEqual(answer);
	}
});

it('what is shorter than four characters is no secret', () => {
	expect(redact({ a: 'abc' }, 'abc')).toEqual({ a: 'abc' });
	expect(redact({ a: 'abc' }, undefined)).toEqual({ a: 'abc' });
});

it('no generated answer keeps a generated token', () => {
	// A token of the mark itself would be found in what is left.
	const token = fc.stringMatching(/^[\x21-\x7e]{4,20}$/).filter((one) => /[A-Z0-9]{2}/.test(one));
	fc.assert(
		fc.property(token, fc.string(), fc.string(), (secret, before, after) => {
			const text = `${before}${secret}${after}`;
			const answer = redact({ a: [text], [text]: 1 }, secret) as { a: string[] };
			expect([...Object.keys(answer), ...answer.a].filter((one) => one.includes(secret))).toEqual(
				[],
			);
		}),
		{ numRuns: 500 },
	);
});
