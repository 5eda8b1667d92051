// What stands between n8n and the servers it asks: n8n's own protection, authorities, proxies. What a proxy refuses has
// not left.
import { request, type IncomingHttpHeaders } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { makeCertificate } from '../support/certificates.ts';
import { serve, type HttpServer } from '../support/http-server.ts';
import { startForwardProxy, type ForwardProxy } from '../support/forward-proxy.ts';
import { arrived, readers, sendLetters, verdictOf, type Letters } from '../support/letters.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { protectFromSsrf } from '../support/n8n-core.ts';
import type { StubService } from '../support/stub-service.ts';
import { byN8n, byReceiver } from '../support/sandbox.ts';
import { tested, useStub } from './services.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

const stub = useStub();

describe('n8n’s SSRF protection', () => {
	beforeAll(() => protectFromSsrf(true));
	afterAll(() => protectFromSsrf(false));
	const words = /SSRF protection forbids .*N8N_SSRF_ALLOWED_HOSTNAMES .*N8N_SSRF_ALLOWED_IP_RANGES/;

	it('stops a letter, which is said with the setting that allows it', async () => {
		const { error } = await sendLetters(stub.credential, { options: { sendOnceKey: 'ssrf' } });
		expect(error?.message).toMatch(words);
		protectFromSsrf(false);
		const later = await sendLetters(stub.credential, { options: { sendOnceKey: 'ssrf' } });
		protectFromSsrf(true);
		expect(later.error).toBeUndefined();
		expect(arrived(stub)).toHaveLength(1);
	});

	const token = 'a-token';
	it.each<[string, () => object]>([
		['the service', () => stub.credential],
		['the receiver', () => byReceiver('http://localhost:5680', token)],
		['n8n itself', () => byN8n('http://127.0.0.1:5678', token)],
	])('is named by the test of the credential for %s', async (_title, credential) => {
		expect((await tested(credential())).message).toMatch(words);
	});
});

/** Of n8n's process, for the tests of a block. */
function setsProxy(settings: () => NodeJS.ProcessEnv): void {
	const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'no_proxy'];
	const before = names.map((name) => process.env[name]);
	beforeEach(() => void Object.assign(process.env, { NO_PROXY: '', no_proxy: '', ...settings() }));
	afterAll(() => {
		names.forEach((name, at) => {
			delete process.env[name];
			if (before[at] !== undefined) process.env[name] = before[at];
		});
	});
}

describe('a forward proxy between n8n and the service', () => {
	let proxy: ForwardProxy;
	beforeAll(async () => {
		proxy = await startForwardProxy();
	});
	afterAll(() => proxy.close());
	setsProxy(() => ({ HTTPS_PROXY: proxy.url }));
	beforeEach(() => {
		proxy.refuse = () => null;
		proxy.asked = [];
	});

	const PAGE = '<h1>Access denied</h1>';
	const refusal = (status: number) =>
		`HTTP/1.1 ${status} Refused\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}\r\n\r\n${PAGE}`;
	const large = { name: 'large.bin', type: 'text/plain', content: Buffer.alloc(3 * 1024 * 1024) };

	describe.each<[string, Letters]>([
		['without a file', {}],
		[
			'with one',
			{
				parameters: { attachmentFields: 'data' },
				items: [{ ...readers(1)[0], files: { data: large } }],
			},
		],
	])('a letter %s', (_, letter) => {
		it('goes through', async () => {
			const { items } = await sendLetters(stub.credential, letter);
			expect(items.map(verdictOf)).toEqual(['sent']);
			expect(proxy.asked).toEqual([new URL(stub.url).host]);
		});

		it.each([
			[302, 1],
			[403, 1],
			[407, 1],
			// The proxy may be busy, or its way to the service be down for a moment.
			[429, 4],
			[502, 4],
		])('is not sent when the proxy answers %d, after %d tries', async (status, tries) => {
			proxy.refuse = () => refusal(status);
			const { error } = await sendLetters(stub.credential, letter);
			expect(error?.message).toMatch(
				`The proxy between n8n and the service rejected the connection`,
			);
			expect(error?.message).toContain(`HTTP status ${status}`);
			expect(proxy.asked).toHaveLength(tries);
			expect(arrived(stub)).toEqual([]);
		});
	});

	it('lets it out once, as soon as it does', async () => {
		proxy.refuse = () => (proxy.asked.length <= 3 ? refusal(503) : null);
		const { items } = await sendLetters(stub.credential);
		expect(items.map(verdictOf)).toEqual(['sent']);
		expect(arrived(stub)).toHaveLength(1);
	});

	it('passes on the service’s own no, and its own 502, which stays unclear', async () => {
		stub.answer = () => ({ status: 422, body: { message: 'No', code: 'message-bad-contacts' } });
		expect((await sendLetters(stub.credential)).error?.message).toMatch(
			/^No \(message-bad-contacts\)/,
		);
		stub.answer = () => ({ status: 502, body: PAGE });
		expect((await sendLetters(stub.credential)).error?.message).toMatch(/^Outcome unknown: /);
		expect(arrived(stub)).toHaveLength(2);
	});
});

describe('the authority of the credential counts beside those that Node knows', () => {
	const day = 24 * 60 * 60 * 1000;
	let another: string;
	beforeAll(async () => {
		another = (await makeCertificate(Date.now() - day, Date.now() + day)).certificate;
	});
	const publicOnes = getCACertificates('default');
	afterEach(() => setDefaultCACertificates(publicOnes));
	const makePublic = ({ credential }: StubService) =>
		setDefaultCACertificates([
			...publicOnes,
			(credential as { caCertificate: string }).caCertificate,
		]);

	it('for letters, each sent once; which one fits is tried once', async () => {
		makePublic(stub);
		const change = { ...stub.credential, caCertificate: another };
		for (const connections of [2, 3]) {
			expect((await sendLetters(change)).error).toBeUndefined();
			expect(stub.connections).toBe(connections);
		}
		expect(arrived(stub)).toHaveLength(2);

		// A server that changes its authority is found again.
		setDefaultCACertificates(publicOnes);
		expect((await sendLetters(stub.credential)).error).toBeUndefined();
		expect(arrived(stub)).toHaveLength(3);
	});

	it('with a file, which is read anew', async () => {
		makePublic(stub);
		const content = Buffer.alloc(100_000, 'x');
		const { error } = await sendLetters(
			{ ...stub.credential, caCertificate: another },
			{
				parameters: { attachmentFields: 'data' },
				items: [
					{ ...readers(1)[0], files: { data: { name: 'a.txt', type: 'text/plain', content } } },
				],
			},
		);
		expect(error).toBeUndefined();
		expect(arrived(stub).map(({ body }) => body.includes(content.toString()))).toEqual([true]);
	});

	it('for the test of the credential', async () => {
		makePublic(stub);
		stub.answer = () => ({ body: { data: [], meta: {} } });
		const credential = { ...stub.credential, caCertificate: another };
		expect(await tested(credential)).toMatchObject({ status: 'OK' });
	});

	it('and none other does', async () => {
		const { error } = await sendLetters({ ...stub.credential, caCertificate: another });
		expect(error?.message).toMatch(/not from a known authority/);
		expect(stub.handshakes).toBe(0);
	});
});

describe('a forward proxy that reads plain http', () => {
	let proxy: HttpServer;
	let server: HttpServer;
	let seen: IncomingHttpHeaders[];
	beforeAll(async () => {
		server = await serve((_, response) => response.end(JSON.stringify({ data: [] })));
		proxy = await serve(({ url = '', headers }, response) => {
			seen.push(headers);
			request(url, { headers }, (answer) => answer.pipe(response)).end();
		});
	});
	setsProxy(() => ({ HTTP_PROXY: proxy.url }));
	beforeEach(() => void (seen = []));
	afterAll(async () => void (await Promise.all([server.close(), proxy.close()])));

	it.each<[string, () => object, string]>([
		['the receiver', () => byReceiver(server.url, 'S3cret'), 'Receiver Token'],
		['n8n itself', () => byN8n(server.url, 'S3cret'), 'n8n API key'],
	])('is told of by the test of the credential for %s', async (_, credential, secret) => {
		expect(await tested(credential())).toEqual({
			status: 'Error',
			message: expect.stringContaining(`reads the ${secret}, since the address is plain http`),
		});
		expect(JSON.stringify(seen)).toContain('S3cret');

		process.env.NO_PROXY = '127.0.0.1';
		expect(await tested(credential())).toEqual({ status: 'OK', message: 'Connection successful!' });
		expect(seen).toHaveLength(1);
	});
});
