import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { authenticate, presentableTls } from '../../../credentials/authenticate.ts';
import { makeCertificate } from '../../support/certificates.ts';

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
