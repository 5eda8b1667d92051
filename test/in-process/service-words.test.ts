// What a user reads when the service has something to say, and what nobody may read: the secrets.
import { inspect } from 'node:util';

import { arrived, readers, requesting, sendLetters, takeAll } from '../support/letters.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { startStubService, type StubAnswer, type StubService } from '../support/stub-service.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

const token = 'token-3f9c+/=';
const passphrase = 'pass phrase';

let stub: StubService;
beforeAll(async () => {
	stub = await startStubService();
});
afterAll(() => stub.close());
beforeEach(() => takeAll(stub));

const send = async (letters: Parameters<typeof sendLetters>[1] = {}) =>
	await sendLetters({ ...stub.credential, apiToken: token, passphrase }, letters);
const answers = (answer: StubAnswer) => void (stub.answer = () => answer);

describe('a service that repeats the token does not get it into the execution', () => {
	const said = `Bad token ${token}!`;
	const messages = [{ id: '000000000001' }];
	const refusal = { message: 'No', code: 'message-bad-contacts' };
	const page = { contentType: 'text/html', body: `<title>${said}</title><h1>${said}</h1>` };
	const echoes: Array<[string, StubAnswer]> = [
		['with a letter it took', { status: 201, body: { messages, body: said, seen: [{ said }] } }],
		['as the name of a member', { status: 201, body: { messages, [token]: { [token]: 1 } } }],
		['in a refusal', { status: 401, body: { message: said, code: token } }],
		[
			'in its problems',
			{ status: 422, body: { ...refusal, data: [{ field: token, message: said }] } },
		],
		['in a page of a fault', { status: 500, ...page }],
		['in a page with 200', page],
		['in an answer cut short', { status: 201, body: `{"messages":[{"id":"${token}` }],
	];
	const onErrors = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
	describe.each(onErrors)('On Error: %s', (onError) => {
		it.each(echoes)('%s', async (_title, answer) => {
			answers(answer);
			const result = await send({ onError, retryOnFail: true, items: readers(2) });
			expect(arrived(stub)[0].headers['x-api-token']).toBe(token);
			const shown = inspect(result, { depth: 40, maxStringLength: null, showHidden: true });
			expect(shown).toContain('[redacted]');
			for (const secret of [token, passphrase]) {
				expect(shown).not.toContain(secret);
			}
		});
	});
});

it('429 that asks for a long wait names it, and is not sent', async () => {
	answers({ status: 429, headers: { 'retry-after': '300' }, body: { message: 'Slow down' } });
	const { error } = await send();
	expect(error?.message).toBe('Slow down');
	expect(error?.description).toMatch(/Try again in 5 minutes/);
	expect(arrived(stub)).toHaveLength(1);
});

it.each<[string, StubAnswer, string, RegExp]>([
	[
		'a refusal',
		{ status: 422, body: { message: 'L&#39;adresse &amp; le nom', code: 'message-bad-contacts' } },
		"L'adresse & le nom (message-bad-contacts)",
		/Correct the recipients/,
	],
	[
		'its problems',
		{
			status: 422,
			body: {
				...{ message: 'No', code: 'some-code' },
				data: [{ field: 'recipients.0.email', message: '&#233;chou&#xE9; &amp;' }],
			},
		},
		'No (some-code) [row 1]',
		/échoué &/,
	],
	[
		'a page',
		{ status: 403, contentType: 'text/html', body: '<p>R&amp;D only &lt;here&gt;</p>' },
		'R&D only <here>',
		/./,
	],
])('entities are decoded in %s', async (_title, answer, message, description) => {
	answers(answer);
	const { error } = await send();
	expect(error?.message).toBe(message);
	expect(error?.description).toMatch(description);
});

it('a small file takes no time away from the answer', async () => {
	const timeouts: number[] = [];
	const node = requesting((request) => {
		timeouts.push(Number(request.timeout));
		return request;
	});
	const content = Buffer.alloc(100);
	const files = { data: { name: 'a.txt', type: 'text/plain', content } };
	const [{ json }] = readers(1);
	await send({ node });
	await send({ node, items: [{ json, files }], parameters: { attachmentFields: 'data' } });
	const [without, withFile] = timeouts;
	expect(without).toBe(300_000);
	expect(withFile).toBeGreaterThanOrEqual(without);
	expect(arrived(stub)).toHaveLength(2);
});
