import fc from 'fast-check';

import {
	readServiceError,
	unexpectedAnswer,
} from '../../../nodes/shared/transport/serviceError.ts';

it.each<[string, unknown, boolean]>([
	['the interface’s own', { message: 'No', code: 'message-not-found' }, true],
	['a rejected id', { errors: [{ field: 'id', rule: 'fixedLength', message: 'No' }] }, true],
	['a gateway that knows no codes', { message: 'Conflict' }, false],
	['a gateway with a code in its own spelling', { message: 'No', code: 'UPSTREAM_TIMEOUT' }, false],
	['one with a sentence', { message: 'No', code: 'Gateway time-out' }, false],
	['a fault of Node’s', { message: 'No', code: 'ECONNRESET' }, false],
	['a number of a CDN', { success: false, errors: [{ code: 1015, message: 'No' }] }, false],
	['GraphQL', { errors: [{ message: 'No', path: ['send'] }], data: null }, false],
	['a rejection without a rule', { errors: [{ field: 'id', message: 'No' }] }, false],
	['a failed validation', { message: 'No', code: 'E_VALIDATION_ERROR', data: {} }, true],
	['a code alone', { code: 'conflict' }, false],
	['errors of another kind', { errors: [{ title: 'Conflict' }] }, false],
	['some errors of another kind', { errors: [{ message: 'No' }, 'Conflict'] }, false],
	['an own one within', { error: { message: 'No', code: 'x' } }, false],
	['a list', [{ message: 'No', code: 'x' }], false],
	['a page', '<h1>Conflict</h1>', false],
	['its JSON, cut off', '{"message":"No","code":"x"', false],
	['nothing', undefined, false],
])('whether the service itself said it: %s', (_, body, isOwn) => {
	expect(readServiceError(409, body).isOwn).toBe(isOwn);
	expect(readServiceError(409, body, null, true).isOwn).toBe(false);
});

describe('[AUTH-06][N] every code of the interface', () => {
	it.each<[number, string, RegExp]>([
		[400, 'customer-logo-required', /JPEG or PNG/],
		[401, 'unauthorized', /API token/],
		[402, 'payment-request-rejected', /Settle the payment/],
		[404, 'message-not-found', /message ID/],
		[404, 'customer-not-found', /customer ID/],
		[404, 'consent-not-found', /consent ID/],
		[405, 'lre-must-use-mtls', /client certificate/],
		[422, 'message-bad-contacts', /recipients listed/],
		[422, 'customer-not-found', /customer ID/],
		[422, 'customer-not-registered', /ACCEPTED/],
		[422, 'aes-has-no-evidence', /never has evidence/],
		[422, 'consent-bad-recipients', /recipients listed/],
		[422, 'consent-cannot-be-reminded', /PENDING/],
		[422, 'E_VALIDATION_ERROR', /fields listed/],
	])('%i %s keeps the service’s words and says what to do', (status, code, advice) => {
		const failure = readServiceError(status, { message: 'Les mots du service', code });
		expect(failure).toMatchObject({ message: `Les mots du service (${code})`, code, status });
		// Other rows may have been sent, and a letter is not created.
		expect(failure.description).not.toMatch(/Nothing was/);
		expect(failure.description).toMatch(advice);
	});

	it.each([
		['some-new-code', 418, ''],
		['some-new-code', 404, 'Check the Base URL'],
		['some-new-code', 503, 'Try again later'],
		['__proto__', 422, ''],
	])('the unknown code %s with status %i is shown as it came', (code, status, advice) => {
		const failure = readServiceError(status, { message: 'New', code });
		expect(failure).toMatchObject({ message: `New (${code})`, code, status });
		expect(failure.description).toContain(advice);
		expect(failure.description).not.toContain('native code');
		if (advice === '') expect(failure.description).toBe('');
	});
});

describe('[AUTH-06][N] every shape of the interface: what is wrong is told one by one', () => {
	it.each<[string, object, string[]]>([
		[
			'`data` of message-bad-contacts',
			{
				code: 'message-bad-contacts',
				data: [
					{
						index: 1,
						email: 'a@b.example',
						field: 'lastname',
						rule: 'required',
						message: 'is missing',
					},
					{ email: 'c@d.example', message: 'is no mailbox' },
				],
			},
			['<a@b.example>, lastname: is missing (required)', '<c@d.example>: is no mailbox'],
		],
		[
			'`data.errors` of E_VALIDATION_ERROR',
			{
				code: 'E_VALIDATION_ERROR',
				data: { errors: [{ field: 'customers.2.email', rule: 'email', message: 'is no email' }] },
			},
			['Customer 3', 'email: is no email (email)'],
		],
		[
			'`invalidRecipients` of consent-bad-recipients',
			{
				code: 'consent-bad-recipients',
				invalidRecipients: [{ index: 0, message: 'is unknown' }, 'e@f.example'],
			},
			['is unknown', 'e@f.example'],
		],
		[
			'`errors` of a malformed id',
			{ errors: [{ field: 'id', rule: 'fixedLength', message: 'must have 12 characters' }] },
			['id: must have 12 characters (fixedLength)'],
		],
		['entries of another shape', { data: [{ what: 'x' }, 7, null] }, ['{"what":"x"}', '7', 'null']],
	])('%s', (_title, body, words) => {
		const { description } = readServiceError(422, { message: 'No', ...body });
		for (const word of words) expect(description).toContain(word);
	});

	it('a long list loses nobody', () => {
		const data = Array.from({ length: 1000 }, (_, index) => ({ index, message: 'bad' }));
		expect(readServiceError(422, { message: 'No', data }).description.match(/bad/g)).toHaveLength(
			1000,
		);
	});
});

describe('[AUTH-06][N] answers that are not the service’s', () => {
	it('the HTML of a proxy becomes its text', () => {
		const page =
			'<html><head><title>502 Bad Gateway</title><style>p{}</style></head>\r\n<body><h1>Bad Gateway</h1><script>x()</script><p>nginx</p></body></html>';
		expect(readServiceError(502, page)).toMatchObject({
			message: 'Bad Gateway nginx',
			description: expect.stringContaining('proxy'),
			code: null,
			status: 502,
		});
	});

	it('a long text is cut', () => {
		expect(readServiceError(500, 'word '.repeat(1000)).message.length).toBeLessThan(220);
	});

	it.each([
		[undefined],
		[null],
		[''],
		['<html></html>'],
		[{}],
		[[]],
		[7],
		[{ message: { fr: 'Non' }, code: 42 }],
	])('of %j, which says nothing, the status remains', (body) => {
		expect(readServiceError(500, body)).toMatchObject({
			message: 'The service answered with HTTP status 500',
			code: null,
		});
	});

	it('entities are decoded, once, in pages and in the service’s own text', () => {
		const text =
			'L&#8217;adresse &lt;a@b.example&gt; &amp; l&#39;&#xE9;chec &#x26; &amp;lt; &constructor;';
		const words = "L’adresse <a@b.example> & l'échec & &lt; &constructor;";
		expect(readServiceError(422, { message: text }).message).toBe(words);
		expect(readServiceError(502, `<p>${text}</p>`).message).toBe(words);
		expect(readServiceError(422, { data: [{ message: text }] }).description).toContain(words);
	});

	it.each<[number, string | null, string]>([
		[429, '300', 'Try again in 5 minutes, or send fewer at a time.'],
		[503, '300', 'Try again in 5 minutes.'],
		[503, '1', 'Try again in 1 second.'],
		[429, null, 'Try again later, or send fewer at a time.'],
		[503, 'soon', 'Try again later.'],
	])('%i with Retry-After %p names the time to wait', (status, retryAfter, words) => {
		expect(readServiceError(status, '', retryAfter).description).toContain(words);
	});

	it.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed, and says so', (status) => {
		expect(readServiceError(status, '').description).toMatch(
			/redirect, which the node does not follow.*Base URL/,
		);
	});

	it.each([
		[401, 'API token'],
		[404, 'Base URL'],
		[413, 'larger'],
		[429, 'limits the request rate'],
		[500, 'fault'],
	])('the status %i alone tells what to do', (status, words) => {
		expect(readServiceError(status, '').description).toContain(words);
	});

	describe('with a success: quoted, with what to check', () => {
		it.each<[string, unknown, string]>([
			[
				'a page',
				'<html><head><title>x</title></head><p>Please sign&nbsp;in</p>',
				'"Please sign in"',
			],
			['JSON cut off', '{"messages":[{"id":"0000', '"{"messages":[{"id":"0000"'],
			['another shape', { ok: true }, '"{"ok":true}"'],
			['nothing', undefined, 'nothing'],
			['markup alone', '<html></html>', 'nothing'],
		])('%s', (_title, body, quoted) => {
			expect(unexpectedAnswer(201, body, 'the letters')).toMatchObject({
				message: `The service returned an unexpected response: ${quoted} with HTTP status 201, instead of the letters`,
				description: expect.stringMatching(/Base URL.*proxy.*sign-in page/),
				status: 201,
				code: null,
			});
		});

		it('of a long one no more than 200 characters, of a link not what opens it', () => {
			const long = unexpectedAnswer(200, 'é'.repeat(100_000), 'x').message;
			expect(long.length).toBeLessThan(320);
			const link = { url: 'http://x.example/a?signature=secret', b: 1 };
			const { message } = unexpectedAnswer(200, link, 'x');
			expect(message).toContain('http://x.example/a?…');
			expect(message).not.toContain('secret');
		});

		// Read back and forth they would take hours.
		it.each(['<head ', '<!--', '<style>'])('reads a page of nothing but %s', (markup) => {
			const { message } = unexpectedAnswer(200, markup.repeat(500_000), 'x');
			expect(message).toContain('instead of x');
		});
	});

	it('never throws, and always has words, whatever JSON comes', () => {
		const named = fc.constantFrom('message', 'code', 'data', 'errors', 'invalidRecipients');
		const entry = fc.oneof(
			fc.jsonValue(),
			fc.dictionary(fc.constantFrom('index', 'email', 'field', 'message', 'rule'), fc.jsonValue()),
		);
		const body = fc.oneof(
			fc.jsonValue(),
			fc.dictionary(
				named,
				fc.oneof(fc.jsonValue(), fc.array(entry), fc.record({ errors: fc.array(entry) })),
			),
		);
		fc.assert(
			fc.property(fc.integer({ min: 400, max: 599 }), body, (status, answer) => {
				const { message, description } = readServiceError(status, answer);
				expect(message).not.toBe('');
				expect(typeof description).toBe('string');
			}),
			{ numRuns: 500 },
		);
	});
});
