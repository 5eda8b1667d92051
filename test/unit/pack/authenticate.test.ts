// What the service's credential adds to a request, and to which.
import { createRequire } from 'node:module';
import fc from 'fast-check';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { RegisteredDeliveryApi } from '../../../credentials/RegisteredDeliveryApi.credentials.ts';
import { makeCertificate } from '../../support/certificates.ts';

/** The client of n8n's helpers. */
const axios = createRequire(require.resolve('n8n-core'))('axios') as {
	getUri(config: { url?: string; baseURL?: string }): string;
};

const day = 24 * 60 * 60 * 1000;
const base = { baseUrl: 'https://api.delivery.example', apiToken: 'token-1' };
const request: IHttpRequestOptions = { url: 'https://api.delivery.example/v1/messages' };
const credential = new RegisteredDeliveryApi();

const sign = async (change: ICredentialDataDecryptedObject = {}, options = request) =>
	await credential.authenticate({ ...base, ...change }, options);
const refusal = async (...given: Parameters<typeof sign>) =>
	await sign(...given).then(
		() => 'It was signed.',
		({ message }: Error) => message,
	);

afterEach(() => jest.useRealTimers());

describe('token and headers', () => {
	it('[SEND-12][AUTH-01][N] go on every request, beside the headers it has', async () => {
		const { headers } = await sign({}, { ...request, headers: { 'X-Other': '1' } });
		expect(headers).toEqual({
			'X-Other': '1',
			Accept: 'application/json',
			'X-API-TOKEN': 'token-1',
		});
	});

	it('[AUTH-01][N] a token pasted with white space around it works', async () => {
		const { headers } = await sign({ apiToken: ' token-1\n' });
		expect(headers).toMatchObject({ 'X-API-TOKEN': 'token-1' });
	});

	it.each([
		[undefined, 'no API Token'],
		['  ', 'no API Token'],
		['S3c ret', 'Copy it again'],
		['S3c\nX-Evil: ret', 'Copy it again'],
		['S3c…ret', 'Copy it again'],
		['S3c\u200bret', 'Copy it again'],
	])('[AUTH-01][N] the token %j is refused: %s', async (apiToken, words) => {
		const message = await refusal({ apiToken } as ICredentialDataDecryptedObject);
		expect(message).toContain(words);
		expect(message).not.toMatch(/S3c|ret"/);
	});

	it('leaves the request it was given alone', async () => {
		const given = { ...request, headers: { a: 'b' }, agentOptions: { timeout: 1 } };
		const copy = structuredClone(given);
		expect((await sign({}, given)).agentOptions).toEqual({ timeout: 1 });
		expect(given).toEqual(copy);
	});
});

describe('the Base URL', () => {
	it.each([
		['https://api.delivery.example/', 'https://api.delivery.example'],
		['  https://api.delivery.example///  ', 'https://api.delivery.example'],
		['https://API.Delivery.example:443', 'https://api.delivery.example'],
		['HTTPS://localhost:8443', 'https://localhost:8443'],
		['https://[::1]:8443/', 'https://[::1]:8443'],
		['https://köln.example', 'https://xn--kln-sna.example'],
	])('[AUTH-02][N] %j is taken as %s', async (baseUrl, origin) => {
		expect((await sign({ baseUrl }, { url: `${origin}/v1/messages` })).headers).toBeDefined();
	});

	it.each([
		[undefined, 'has no Base URL'],
		['   ', 'has no Base URL'],
		['api.delivery.example', 'https://'],
		['http://api.delivery.example', 'https://'],
		['https://', 'https://'],
		['javascript:alert(1)', 'https://'],
		['https://user@api.delivery.example', 'plain address'],
		['https://ada:S3cret@api.delivery.example', 'plain address'],
		['https://api.delivery.example?a=b', 'plain address'],
		['https://api.delivery.example/?', 'plain address'],
		['https://api.delivery.example/#', 'plain address'],
		['https://api.delivery.example/v1/', 'Enter https://api.delivery.example.'],
		[
			'https://api.delivery.example:8443/messages',
			'has the path "/messages". Enter https://api.delivery.example:8443.',
		],
		['https://api.delivery.example//consents', 'has the path'],
	])('[AUTH-02][N] %j is refused: %s', async (baseUrl, words) => {
		const message = await refusal({ baseUrl } as ICredentialDataDecryptedObject);
		expect(message).toContain(words);
		expect(message).not.toContain('S3cret');
	});
});

describe('[AUTH-02][N] the secrets go to the credential’s own address only', () => {
	it.each([
		'https://api.delivery.example/elsewhere',
		'https://API.DELIVERY.EXAMPLE:443/v1/messages',
	])('%s is it', async (url) => {
		expect((await sign({}, { url })).headers).toMatchObject({ 'X-API-TOKEN': 'token-1' });
	});

	it('a relative address is taken from the request’s own base', async () => {
		const own = await sign({}, { baseURL: base.baseUrl, url: 'messages' });
		expect(own.headers).toBeDefined();
		const other = { baseURL: 'https://evil.example', url: '/messages' };
		expect(await refusal({}, other)).toContain('not sent');
	});

	it.each([
		'https://evil.example/v1/messages',
		'https://api.delivery.example.evil.example/',
		'https://api.delivery.example@evil.example/',
		'https://api.delivery.example:8443/',
		'http://api.delivery.example/v1/messages',
	])('%s is not', async (url) => {
		expect(await refusal({}, { url })).toContain('not the Base URL');
	});

	it('however url and base are spelled, and joined by what n8n sends them with', async () => {
		const piece = fc.constantFrom(
			'https:',
			'http:',
			'//',
			'/',
			'\\',
			'@',
			'.',
			'..',
			':443',
			'?',
			'#',
			'x',
			' ',
			'\t',
			'api.delivery.example',
			'evil.example',
		);
		const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
		const from = fc.oneof(
			fc.constant(base.baseUrl),
			text,
			text.map((end) => base.baseUrl + end),
		);
		const requests = fc.oneof(
			fc.record({ url: fc.oneof(text, from), baseURL: from }),
			fc.record({ url: from }),
			fc.record({ uri: from }),
		) as fc.Arbitrary<IHttpRequestOptions & { uri?: string }>;
		/** Where the request ends up; null if it can't be sent. */
		const goesTo = ({ url, uri, baseURL }: IHttpRequestOptions & { uri?: string }) => {
			try {
				return new URL(axios.getUri({ url: url ?? uri, baseURL })).origin;
			} catch {
				return null;
			}
		};
		await fc.assert(
			fc.asyncProperty(requests, async (given) => {
				const signed = await sign({}, given).catch(() => null);
				if (signed !== null) expect([base.baseUrl, null]).toContain(goesTo(signed));
			}),
			{
				numRuns: 2000,
				examples: [[{ url: '\\\\api.delivery.example', baseURL: `${base.baseUrl}x` }]],
			},
		);
	});
});

describe('[AUTH-03][N] the certificate', () => {
	const now = Date.UTC(2030, 0, 1);
	let valid: { clientCertificate: string; clientKey: string };
	beforeAll(async () => {
		const made = await makeCertificate(now - day, now + 1000);
		valid = { clientCertificate: made.certificate, clientKey: made.key };
	});
	const presented = async (ms: number, more: ICredentialDataDecryptedObject = {}) => {
		jest.useFakeTimers({ now: now + ms });
		return (await sign({ ...valid, ...more })).agentOptions;
	};

	it('is presented until the second it expires', async () => {
		const both = { cert: expect.any(String), key: expect.any(String) };
		expect(await presented(999)).toMatchObject(both);
		expect(await presented(1000)).toEqual({});
		expect(await presented(day)).toEqual({});
	});

	it('is left out once expired, while the authority stays', async () => {
		expect(await presented(day, { caCertificate: valid.clientCertificate })).toEqual({
			ca: expect.stringContaining('BEGIN CERTIFICATE'),
		});
	});

	it('[AUTH-04][N] is not needed', async () => {
		expect((await sign()).agentOptions).toEqual({});
	});
});
