// A forward proxy between n8n and the service: what it refuses has not left.
import { arrived, readers, sendLetters, takeAll, verdictOf } from '../support/letters.ts';
import { startForwardProxy, type ForwardProxy } from '../support/forward-proxy.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { startStubService, type StubService } from '../support/stub-service.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

let stub: StubService;
let proxy: ForwardProxy;

const KEPT = ['HTTPS_PROXY', 'NO_PROXY', 'no_proxy'].map(
	(name) => [name, process.env[name]] as const,
);

beforeAll(async () => {
	stub = await startStubService();
	proxy = await startForwardProxy();
	process.env.HTTPS_PROXY = proxy.url;
	process.env.NO_PROXY = process.env.no_proxy = '';
});
afterAll(async () => {
	for (const [name, value] of KEPT) {
		if (value === undefined) delete process.env[name];
		else process.env[name] = value;
	}
	await Promise.all([stub.close(), proxy.close()]);
});
beforeEach(() => {
	takeAll(stub);
	proxy.refuse = () => null;
	proxy.asked = [];
});

const PAGE = '<h1>Access denied</h1>';
const refusal = (status: number, headers = '', body = PAGE) =>
	`HTTP/1.1 ${status} Refused\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;

const large = { name: 'large.bin', type: 'text/plain', content: Buffer.alloc(3 * 1024 * 1024) };
const withFile = {
	parameters: { attachmentFields: 'data' },
	items: [{ ...readers(1)[0], files: { data: large } }],
};

it.each([
	['without a file', {}],
	['with one', withFile],
])('a letter %s goes through', async (_, letter) => {
	const { items } = await sendLetters(stub.credential, letter);
	expect(items.map(verdictOf)).toEqual(['sent']);
	expect(proxy.asked).toEqual([new URL(stub.url).host]);
});

describe.each([
	['without a file', {}],
	['with one', withFile],
])('a letter %s, whose connection the proxy refuses, is not sent', (_, letter) => {
	it.each([
		...[400, 403, 407, 302, 404, 422].map((status) => [status, 1]),
		// The proxy may be busy, or its way to the service be down for a moment.
		...[429, 500, 502, 503, 504].map((status) => [status, 4]),
	])('%d, after %d tries', async (status, tries) => {
		proxy.refuse = () => refusal(status);
		const { error } = await sendLetters(stub.credential, letter);
		expect(error?.message).toMatch(`The proxy between n8n and the service rejected the connection`);
		expect(error?.message).toContain(`HTTP status ${status}`);
		expect(proxy.asked).toHaveLength(tries);
		expect(arrived(stub)).toEqual([]);
	});
});

it('goes out once, as soon as the proxy lets it through', async () => {
	proxy.refuse = () => (proxy.asked.length <= 3 ? refusal(503) : null);
	const { items } = await sendLetters(stub.credential);
	expect(items.map(verdictOf)).toEqual(['sent']);
	expect(arrived(stub)).toHaveLength(1);
});

it('an own no of the service that came through it is the service’s word', async () => {
	stub.answer = () => ({ status: 422, body: { message: 'No', code: 'message-bad-contacts' } });
	const { error } = await sendLetters(stub.credential);
	expect(error?.message).toMatch(/^No \(message-bad-contacts\)/);
});

it('a 502 of the service itself stays unclear', async () => {
	stub.answer = () => ({ status: 502, body: PAGE });
	const { error } = await sendLetters(stub.credential);
	expect(error?.message).toMatch(/^Outcome unknown: /);
	expect(arrived(stub)).toHaveLength(1);
});
