import { createRequire } from 'node:module';
import fc from 'fast-check';
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { authenticate, presentableTls } from '../../../credentials/authenticate.ts';
import { makeCertificate } from '../../support/certificates.ts';

/** The client of n8n's helpers. */
const axios = createRequire(require.resolve('n8n-core'))('axios') as {
	getUri(config: { url?: string; baseURL?: string }): string;
};

const day = 24 * 60 * 60 * 1000;
const now = new Date('2030-01-01T00:00:00Z');
const base = { baseUrl: 'https://api.delivery.example', apiToken: 'token-1' };
const request: IHttpRequestOptions = { url: 'https://api.delivery.example/v1/messages' };

const sign = (change: ICredentialDataDecryptedObject = {}, options = request) =>
	authenticate({ ...base, ...change }, options, now);

let valid: { clientCertificate: string; clientKey: string };
beforeAll(async () => {
	const made = await makeCertificate(now.getTime() - day, now.getTime() + 1000);
	valid = { clientCertificate: made.certificate, clientKey: made.key };
});

describe('token and headers', () => {
	it('[SEND-12][AUTH-01][N] go on every request, beside the headers it has', () => {
		const { headers } = sign({}, { ...request, headers: { 'X-Other': '1' } });
		expect(headers).toEqual({
			'X-Other': '1',
			Accept: 'application/json',
			'X-API-TOKEN': 'token-1',
		});
	});

	it('[AUTH-01][N] a token pasted with white space around it works', () => {
		expect(sign({ apiToken: ' token-1\n' }).headers).toMatchObject({ 'X-API-TOKEN': 'token-1' });
	});

	it.each([
		[undefined, 'no API Token'],
		['', 'no API Token'],
		['  ', 'no API Token'],
		['S3c ret', 'Copy it again'],
		['S3c\nX-Evil: ret', 'Copy it again'],
		['S3c…ret', 'Copy it again'],
		['S3c\u200bret', 'Copy it again'],
	])('[AUTH-01][N] the token %j is refused: %s', (apiToken, words) => {
		const attempt = () => sign({ apiToken } as ICredentialDataDecryptedObject);
		expect(attempt).toThrow(words);
		expect(attempt).not.toThrow(/S3c|ret"/);
	});

	it('leaves the request it was given alone', () => {
		const given = { ...request, headers: { a: 'b' }, agentOptions: { timeout: 1 } };
		const copy = structuredClone(given);
		expect(sign(valid, given as IHttpRequestOptions).agentOptions).toMatchObject({ timeout: 1 });
		expect(given).toEqual(copy);
	});
});

describe('[AUTH-02][N] the secrets go to the credential’s own address only', () => {
	it.each([
		'https://api.delivery.example/elsewhere',
		'https://API.DELIVERY.EXAMPLE:443/v1/messages',
	])('%s is it', (url) => {
		expect(sign({}, { url }).headers).toMatchObject({ 'X-API-TOKEN': 'token-1' });
	});

	it('a relative address is taken from the request’s own base', () => {
		expect(sign({}, { baseURL: base.baseUrl, url: 'messages' }).headers).toBeDefined();
		expect(() => sign({}, { baseURL: 'https://evil.example', url: '/messages' })).toThrow(
			'not sent',
		);
	});

	it.each([
		'https://evil.example/v1/messages',
		'https://api.delivery.example.evil.example/',
		'https://api.delivery.example@evil.example/',
		'https://api.delivery.example:8443/',
		'http://api.delivery.example/v1/messages',
	])('%s is not', (url) => {
		expect(() => sign({}, { url })).toThrow('not the Base URL');
	});

	it('however url and base are spelled, and joined by what n8n sends them with', () => {
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
		const request = fc.oneof(
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
		fc.assert(
			fc.property(request, (given) => {
				let signed: IHttpRequestOptions;
				try {
					signed = sign({}, given);
				} catch {
					return;
				}
				expect([base.baseUrl, null]).toContain(goesTo(signed));
			}),
			{
				numRuns: 2000,
				examples: [[{ url: '\\\\api.delivery.example', baseURL: `${base.baseUrl}x` }]],
			},
		);
	});

	it('an address that is not https gets nothing', () => {
		expect(() => sign({ baseUrl: 'http://api.delivery.example' })).toThrow('https://');
	});
});

describe('[AUTH-03][N] the certificate', () => {
	it('is presented until the second it expires', () => {
		const at = (ms: number) => presentableTls(valid, new Date(now.getTime() + ms));
		expect(at(999)).toMatchObject({ cert: expect.any(String), key: expect.any(String) });
		expect(at(1000)).toEqual({});
		expect(at(day)).toEqual({});
	});

	it('is left out once expired, while the authority stays', () => {
		const fields = { ...valid, caCertificate: valid.clientCertificate };
		expect(presentableTls(fields, new Date(now.getTime() + day))).toEqual({
			ca: expect.stringContaining('BEGIN CERTIFICATE'),
		});
	});

	it('[AUTH-04][N] is not needed', () => {
		expect(sign().agentOptions).toEqual({});
	});
});
