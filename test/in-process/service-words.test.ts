// What a user reads when the service has something to say, and what nobody may read: the secrets.
import { inspect } from 'node:util';

import { arrived, readers, sendLetters } from '../support/letters.ts';
import type * as Pauses from '../support/short-pauses.ts';
import type { StubAnswer } from '../support/stub-service.ts';
import { useStub } from './services.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

const token = 'token-3f9c+/=';
const passphrase = 'pass phrase';

const stub = useStub();

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
