// What a user reads when the service has something to say, and what nobody may read: the secrets.
import { inspect } from 'node:util';

import { arrived, readers, requesting, sendLetters } from '../support/letters.ts';
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

// What a real network and real keys bring: not-sent.test.ts, networks.test.ts, credential.test.ts.
describe('[AUTH-06][N] no answer at all', () => {
	const failed = (message: string, code?: string) => Object.assign(new Error(message), { code });
	// As n8n wraps what its request helper throws: its own words outside, the network's inside.
	const wrapped = (cause: Error) =>
		Object.assign(new Error('The service was not able to process your request'), { cause });
	const circular = failed('round and round', 'EROUND');
	circular.cause = circular;

	it.each<[string, Error, string]>([
		['a name server away', failed('getaddrinfo EAI_AGAIN x', 'EAI_AGAIN'), 'cannot be found'],
		['a silent network', failed('connect ETIMEDOUT 10.0.0.1:443', 'ETIMEDOUT'), 'not established'],
		['no route', failed('connect EHOSTUNREACH', 'EHOSTUNREACH'), 'no route'],
		['a cut connection', failed('socket hang up', 'ECONNRESET'), 'broke'],
		[
			'an unknown authority',
			failed('unable to verify the first certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
			'CA Certificate',
		],
		['an expired server', failed('certificate has expired', 'CERT_HAS_EXPIRED'), 'has expired'],
		[
			'a sandbox that is reached by the name of its container',
			failed(
				"Host: host.docker.internal. is not in the cert's altnames",
				'ERR_TLS_CERT_ALTNAME_INVALID',
			),
			'started with --name and that name',
		],
		['what is not known', failed('Parse Error: odd', 'HPE_ODD'), 'Parse Error: odd'],
		['an error that is its own cause', circular, 'round and round'],
	])('%s is told in words', async (_title, error, words) => {
		for (const given of [error, wrapped(error)]) {
			const node = requesting(() => {
				throw given;
			});
			const { error: told } = await send({ node });
			expect(told?.message).toContain(words);
			expect(told?.description).toContain((error as { code?: string }).code ?? '');
		}
	});
});
