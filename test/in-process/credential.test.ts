// The credential: its test as the editor runs it, and what requests carry.
import type { TlsOptions } from 'node:tls';
import type { INodeType } from 'n8n-workflow';

import { RegisteredDeliveryApi } from '../../credentials/RegisteredDeliveryApi.credentials.ts';
import { AwaitConsent } from '../../nodes/AwaitConsent/AwaitConsent.node.ts';
import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { GetStatus } from '../../nodes/GetStatus/GetStatus.node.ts';
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { makeCertificate } from '../support/certificates.ts';
import { sendLetters } from '../support/letters.ts';
import { runNode } from '../support/n8n-core.ts';
import { byN8n, byReceiver, sandboxState, serviceCredential } from '../support/sandbox.ts';
import { managementToken, PulledReceiver } from './pulled-receiver.ts';
import { startStubService, type StubAnswer } from '../support/stub-service.ts';
import { tested, useStrictSandbox, useStub } from './services.ts';

const sandbox = useStrictSandbox({ automatic: true });
let expired: { certificate: string; key: string };
let endsSoon: { certificate: string; key: string };
const day = 24 * 60 * 60 * 1000;

beforeAll(async () => {
	expired = await makeCertificate(Date.now() - 30 * day, Date.now() - day);
	endsSoon = await makeCertificate(Date.now() - day, Date.now() + 10 * day);
});

const test = async (change: object = {}, account = 'direct') =>
	await tested(serviceCredential(sandbox, account, change));

describe('the test of the credential', () => {
	it('[AUTH-01][AUTH-03][N] asks by GET alone, and says what that cannot tell', async () => {
		expect(await test()).toEqual({
			status: 'OK',
			message: expect.stringMatching(
				/^Connection successful! Whether .* the client certificate .* only shows when one is sent/,
			),
		});
		const { requests } = await sandboxState(sandbox);
		expect(requests).toMatchObject([
			{
				method: 'GET',
				path: '/consents',
				token: 'valid',
				clientCertificate: true,
				headers: { accept: 'application/json' },
			},
		]);
	});

	it('[AUTH-04][N] is happy with the token alone', async () => {
		const message = 'Connection successful!';
		expect(await test({}, 'token-only')).toEqual({ status: 'OK', message });
		expect((await sandboxState(sandbox)).requests.at(-1)).toMatchObject({ path: '/consents' });
	});

	it('[AUTH-03][N] warns of a certificate that soon ends', async () => {
		const change = { clientCertificate: endsSoon.certificate, clientKey: endsSoon.key };
		expect((await test(change)).message).toMatch(/expires on .*Replace it/);
	});

	// What else keeps a request from leaving: not-sent.test.ts.
	const failures: Array<[string, () => object, RegExp]> = [
		['a wrong token', () => ({ apiToken: 'wrong' }), /\(unauthorized\).*API token/],
		['[AUTH-02][N] http', () => ({ baseUrl: 'http://localhost' }), /start with "https:\/\/"/],
		[
			'[AUTH-03][N] an expired certificate',
			() => ({ clientCertificate: expired.certificate, clientKey: expired.key }),
			/The token works.*expired on .*LRE/,
		],
		['nothing there', () => ({ baseUrl: 'https://localhost:1' }), /connection was refused/],
	];
	it.each(failures)('says plainly: %s', async (_, change, message) => {
		const result = await test(change());
		expect(result.status).toBe('Error');
		expect(result.message).toMatch(message);
	});
});

describe('who answers in place of the service', () => {
	const stub = useStub();
	const answered = async (answer: StubAnswer) => {
		stub.answer = () => answer;
		return await tested({ ...stub.credential, passphrase: 'a passphrase' });
	};
	const list = { data: [], meta: { total: 0, perPage: 1, currentPage: 1, lastPage: 1 } };

	it('[AUTH-01][N] the list of consents alone is a success', async () => {
		expect(await answered({ body: list })).toMatchObject({ status: 'OK' });
		expect(stub.requests.map(({ method }) => method)).toEqual(['GET']);
	});

	it.each<[string, StubAnswer, RegExp]>([
		[
			'a sign-in page',
			{ contentType: 'text/html', body: '<h1>Sign in</h1>' },
			/"Sign in" with HTTP status 200.*sign-in page/,
		],
		['a list without meta', { body: { data: [] } }, /instead of the list of consents/],
		[
			'a list that was created',
			{ status: 201, body: list },
			/HTTP status 201, instead of the list/,
		],
		['nothing', { status: 204, body: '' }, /nothing with HTTP status 204/],
		[
			'a redirect',
			{ status: 302, headers: { location: '/sign-in' }, body: '' },
			/HTTP status 302\. The address answers with a redirect/,
		],
		...[400, 401, 402, 403, 404, 429, 500, 503].map((status): [string, StubAnswer, RegExp] => [
			`status ${status}`,
			{ status, body: { data: [], meta: {} } },
			new RegExp(`HTTP status ${status}\\.`),
		]),
		[
			'the token',
			{ status: 500, body: { message: 'Bad token stub-token' } },
			/Bad token \[redacted\]/,
		],
		['the token in a page', { body: '<p>stub%2Dtoken stub-token</p>' }, /\[redacted\]/],
	])('[AUTH-06][N] %s is none', async (_title, answer, words) => {
		const { status, message } = await answered(answer);
		expect(status).toBe('Error');
		expect(message).toMatch(words);
		expect(message).not.toMatch(/stub-token/);
	});
});

describe('an expired certificate', () => {
	/** In place of that of a credential. */
	const change = () => ({ clientCertificate: expired.certificate, clientKey: expired.key });
	const send = async (type: string) =>
		await sendLetters(serviceCredential(sandbox, 'direct', change()), { parameters: { type } });

	it('[AUTH-03][TYPE-01][N] stops a registered letter before any request', async () => {
		const { error } = await send('LRE');
		expect(error?.message).toMatch(/Client Certificate of the credential expired on/);
	});

	describe('is named where a server asks for one', () => {
		const words = /Client Certificate of the credential expired on [-\d]+ and was left out/;
		const judging = { requestCert: true, rejectUnauthorized: true };
		it.each<[string, TlsOptions, StubAnswer | null]>([
			['in TLS 1.2', { ...judging, maxVersion: 'TLSv1.2' }, null],
			['in TLS 1.3', { ...judging, minVersion: 'TLSv1.3' }, null],
			['by a page', {}, { status: 400, body: '<p>No required SSL certificate was sent</p>' }],
		])('%s, and its letter is not sent', async (_title, tls, answer) => {
			const strict = await startStubService(tls);
			if (answer) strict.answer = () => answer;
			const credential = { ...strict.credential, ...change() };
			const result = await tested(credential);
			const { error } = await sendLetters(credential);
			await strict.close();
			expect(result).toEqual({ status: 'Error', message: expect.stringMatching(words) });
			expect(error?.message).not.toMatch(/Outcome unknown/);
			expect(error?.description).toMatch(words);
		});
	});

	it('[AUTH-03][N] is left out of what needs none, with a warning', async () => {
		const { error, hints } = await send('LS');
		expect(error).toBeUndefined();
		expect(hints).toMatchObject([{ message: expect.stringMatching(/expired on .*left out/) }]);
		expect((await sandboxState(sandbox)).requests.at(-1)).toMatchObject({
			clientCertificate: false,
		});
	});
});

describe('a part that is missing is named by the node that needs it', () => {
	const messageId = '000000000123';
	const contact = {
		recipientKind: 'person',
		email: 'a@example.com',
		firstname: 'A',
		lastname: 'B',
	};
	const noService = /^The credential has no Base URL\. Enter the address of the service\.$/;
	const followsNone = /^The credential follows no letters$/;

	it.each<[string, INodeType, object, object, RegExp]>([
		['the service, of Get Status', new GetStatus(), { operation: 'get', messageId }, {}, noService],
		[
			'the service, of Send Letter',
			new SendLetter(),
			{ body: '<p>Hello</p>', recipientsFrom: 'json', recipientsJson: contact },
			{},
			noService,
		],
		[
			'the service, of Await Outcome that n8n follows',
			new AwaitOutcome(),
			{ messageId },
			byN8n('http://127.0.0.1:9', 'key'),
			noService,
		],
		['who follows, of Await Outcome', new AwaitOutcome(), { messageId }, {}, followsNone],
		['who follows, of Await Consent', new AwaitConsent(), contact, {}, followsNone],
	])('%s', async (_title, node, parameters, filled, words) => {
		const { error } = await runNode(node, {
			parameters: parameters as never,
			credentials: { registeredDeliveryApi: filled },
		});
		expect(error?.message).toMatch(words);
		expect(error?.message).not.toContain('registeredDelivery');
	});
});

describe('the test of the credential, part by part', () => {
	let receiver: PulledReceiver;
	beforeAll(async () => {
		receiver = await PulledReceiver.start();
	});
	afterAll(() => receiver.end());
	const ofReceiver = () => byReceiver(`${receiver.url}/`, managementToken);

	it('is happy with a receiver alone, as the trigger is', async () => {
		expect(await tested(ofReceiver())).toEqual({
			status: 'OK',
			message: 'Connection successful!',
		});
	});

	it('names the parts where there are several', async () => {
		const both = serviceCredential(sandbox, 'token-only', ofReceiver());
		expect(await tested(both)).toEqual({
			status: 'OK',
			message: 'Delivery service: Connection successful! Webhook receiver: Connection successful!',
		});
		const { status, message } = await tested({ ...both, receiverToken: 'other' });
		expect(status).toBe('Error');
		expect(message).toMatch(
			/^Delivery service: Connection successful! Webhook receiver: .* does not accept the Receiver Token/,
		);
		expect((await tested({ ...both, followWith: 'nothing' })).message).toBe(
			'Connection successful!',
		);
	});

	it('says what to fill in where nothing is', async () => {
		expect((await tested({ followWith: 'nothing' })).message).toMatch(/has no Base URL/);
	});

	it.each<[string, () => object, RegExp]>([
		[
			'nothing there',
			() => ({ receiverUrl: 'http://localhost:1' }),
			/^The webhook receiver cannot be reached. Nothing answers at the Receiver URL: the connection was refused/,
		],
		['a wrong token', () => ({ receiverToken: 'other' }), /does not accept the Receiver Token/],
		['another server', () => ({ receiverUrl: sandbox.pageUrl }), /is not a webhook receiver/],
		['no address', () => ({ receiverUrl: '' }), /Receiver URL/],
		['another path', () => ({ receiverUrl: `${receiver.url}/x` }), /is not a webhook receiver/],
	])('says plainly of the receiver: %s', async (_title, change, words) => {
		const { status, message } = await tested({ ...ofReceiver(), ...change() });
		expect(status).toBe('Error');
		expect(message).toMatch(words);
	});
});

/** n8n spreads credential types when it lists them for its HTTP Request node: a method would be lost. */
it('n8n finds that it authenticates', () => {
	expect({ ...new RegisteredDeliveryApi() }).toHaveProperty('authenticate');
});
