// Download Evidence: what is fetched from where, and what is said when there is nothing to fetch.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { DownloadEvidence } from '../../nodes/DownloadEvidence/DownloadEvidence.node.ts';
import { binaryContent } from '../support/binary.ts';
import { useBinaryStore } from '../support/n8n-core.ts';
import { sandboxState, type Fault, type Trigger } from '../support/sandbox.ts';
import type * as Pauses from '../support/short-pauses.ts';
import type { StubAnswer } from '../support/stub-service.ts';
import { runAt, sendOne, useStrictSandbox, useStub, type AtService } from './services.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

const sandbox = useStrictSandbox();
const stub = useStub();

const run = (parameters: object, options?: AtService) =>
	runAt(sandbox, new DownloadEvidence(), parameters, options);
const download = (messageId: string, eventType?: string, options?: AtService) =>
	run({ operation: 'download', messageId, ...(eventType && { eventType }) }, options);

async function sendLetter(type: string, steps: Trigger[] = [], options?: object) {
	const id = await sendOne(sandbox, type, options);
	for (const step of steps)
		await sandbox.control('POST /messages/{id}/{trigger}', { id, trigger: step });
	return id;
}

const requests = async (path: RegExp) =>
	(await sandboxState(sandbox)).requests.filter((one) => path.test(one.path));
const fault = (path: string, fault: Fault, more: object = {}) =>
	sandbox.control('POST /faults', { faults: [{ method: 'GET', path, fault, ...more }] });
const signedLink = '/evidences/{id}/{index}';

describe.each(['in the items', 'in n8n’s binary store'])('a file kept %s', (place) => {
	if (place !== 'in the items') beforeAll(useBinaryStore);

	it.each<[string, string, Trigger[]]>([
		['SENT', 'LS', []],
		['ACCEPTED', 'LRE', ['accept']],
	])('[EVID-01][EVID-03][N] %s of %s is a PDF with a telling name', async (event, type, steps) => {
		const id = await sendLetter(type, steps);
		const { items, error } = await download(id, event);
		expect(error).toBeUndefined();
		const fileName = `${id}-${event}.pdf`;
		expect(items).toMatchObject([
			{
				json: { messageId: id, eventType: event, fileName },
				binary: { data: { fileName, mimeType: 'application/pdf', fileExtension: 'pdf' } },
				pairedItem: { item: 0 },
			},
		]);
		const file = await binaryContent(items[0].binary!.data);
		expect(file.toString('latin1')).toMatch(/^%PDF-1\.\d[^]*%%EOF\s*$/);
		const sha256 = createHash('sha256').update(file).digest('hex');
		expect(items[0].json).toMatchObject({ size: file.length, sha256 });
	});
});

it('[EVID-03][READ-05][N] the link is fetched without token and client certificate, the rest with them', async () => {
	const id = await sendLetter('LS');
	await download(id, 'SENT');
	expect(await requests(/^\/messages\/\d+\/evidences\/SENT$/)).toMatchObject([
		{ token: 'valid', clientCertificate: true, headers: { accept: 'application/json' } },
	]);
	expect(await requests(/^\/evidences/)).toMatchObject([
		{ token: 'missing', clientCertificate: false, status: 200 },
	]);
});

it('[EVID-01][N] all that there is: one item each, in a field of the user’s choice', async () => {
	const id = await sendLetter('LRE', ['accept']);
	const { items } = await run({ operation: 'download', messageId: id, binaryPropertyName: 'pdf' });
	expect(items).toMatchObject(
		['SENT', 'ACCEPTED'].map((eventType) => ({
			json: { messageId: id, status: 'ACCEPTED', eventType },
			binary: { pdf: { fileName: `${id}-${eventType}.pdf` } },
			pairedItem: { item: 0 },
		})),
	);
});

it('[EVID-01][N] of several letters, each item is paired, and one that is not there stops no other', async () => {
	const ids = [await sendLetter('LS', ['open']), '000000000000', await sendLetter('LS')];
	const { items } = await download('={{ $json.id }}', 'all', {
		items: ids.map((id) => ({ json: { id } })),
		onError: 'continueRegularOutput',
	});
	expect(items.map(({ pairedItem, json }) => [pairedItem, json.eventType ?? json.error])).toEqual([
		[{ item: 0 }, 'SENT'],
		[{ item: 0 }, 'RECEIVED'],
		[{ item: 1 }, expect.stringContaining('message-not-found')],
		[{ item: 2 }, 'SENT'],
	]);
});

it('[EVID-02][N] a letter that has none yet gives an item without a file', async () => {
	const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
	const id = await sendLetter('LS', [], { scheduledAt });
	const { items, error } = await download(id, 'all');
	expect(error).toBeUndefined();
	expect(items).toEqual([
		{
			json: { messageId: id, status: 'SCHEDULED', eventType: null, fileName: null },
			pairedItem: { item: 0 },
		},
	]);
});

it('[EVID-01][N] gives the link alone', async () => {
	const id = await sendLetter('LS');
	const { items } = await run({ operation: 'getLink', messageId: id, eventType: 'SENT' });
	expect(items).toEqual([
		{
			json: { messageId: id, eventType: 'SENT', url: expect.stringMatching(/^https:.*signature=/) },
			pairedItem: { item: 0 },
		},
	]);
	expect(await requests(/^\/evidences/)).toEqual([]);
});

describe('no evidence', () => {
	const operations = [
		['download', 'SENT'],
		['download', 'all'],
		['getLink', 'SENT'],
	];
	it.each(operations)(
		'[AES-07][N] %s of %s: tracked mail never has any',
		async (operation, eventType) => {
			const messageId = await sendLetter('AES', ['deliver', 'open']);
			const { error } = await run({ operation, messageId, eventType });
			expect(error?.message).toBe(
				`Message ${messageId} is tracked mail, which never has evidence (aes-has-no-evidence)`,
			);
			expect(error?.description).toContain('Use a registered letter (LRE)');
		},
	);

	it.each([
		['LS', 'ACCEPTED', /ACCEPTED exists for registered letters \(LRE\) only/],
		['LS', 'REFUSED', /REFUSED exists for registered letters \(LRE\) only/],
		['LRE', 'RECEIVED', /RECEIVED exists for simple letters \(LS\) only/],
		['LS', 'EXPIRED', /Its status is SENT\. It has evidence of: SENT\./],
	])('[EVID-01][EVID-02][N] %s has no %s, which is explained', async (type, event, words) => {
		const id = await sendLetter(type);
		for (const operation of ['download', 'getLink']) {
			const { error } = await run({ operation, messageId: id, eventType: event });
			expect(error?.message).toBe(`Message ${id} has no evidence of ${event}`);
			expect(error?.description).toMatch(words);
		}
	});

	it('[EVID-02][N] more than one of a type: All gets them, under names of their own', async () => {
		const link = (n: number) => ({ eventType: 'UNDELIVERED', url: `${stub.url}/pdf/${n}` });
		stub.answer = ({ path }) => {
			if (path.startsWith('/pdf/'))
				return { contentType: 'application/pdf', body: `%PDF-${path} %%EOF` };
			if (path === '/messages/000000000001')
				return { body: { id: '000000000001', status: 'SENT', evidences: [link(1), link(2)] } };
			return { status: 404, body: { code: 'message-not-found', message: 'More than one' } };
		};
		const options = { credential: stub.credential };
		const { error } = await download('000000000001', 'UNDELIVERED', options);
		expect(error?.message).toContain('more than one piece of evidence of UNDELIVERED');
		expect(error?.description).toContain("Set 'Event Type' to 'All'");
		const { items } = await download('000000000001', 'all', options);
		expect(items.map(({ json }) => json.fileName)).toEqual([
			'000000000001-UNDELIVERED.pdf',
			'000000000001-UNDELIVERED-2.pdf',
		]);
	});

	it('[READ-03][EVID-02][AUTH-06][N] a letter that is not there', async () => {
		for (const eventType of ['SENT', 'all']) {
			const { error } = await download('000000000000', eventType);
			expect(error?.message).toContain('(message-not-found)');
			expect(error?.description).toContain('Check the message ID');
		}
	});
});

describe('the signed link', () => {
	it('[EVID-03][N] is read once more when it answers 403', async () => {
		const id = await sendLetter('LS');
		for (const eventType of ['SENT', 'all']) {
			await fault(signedLink, { kind: 'status', status: 403 });
			const { items, error } = await download(id, eventType);
			expect(error).toBeUndefined();
			expect(items[0].binary?.data.fileName).toBe(`${id}-SENT.pdf`);
		}
		expect(await requests(/evidences\/SENT$/)).toHaveLength(2);
	});

	it('[EVID-02][EVID-03][N] a fresh one leads to the same of several pieces', async () => {
		let listed = 0;
		stub.answer = ({ path }) => {
			const [, list, piece] = /^\/pdf\/(\d+)\/(\d)$/.exec(path) ?? [];
			if (list === '1') return { status: 403 };
			if (list) return { contentType: 'application/pdf', body: `%PDF-piece ${piece} %%EOF` };
			listed++;
			const evidences = [1, 2].map((one) => ({
				eventType: 'UNDELIVERED',
				url: `${stub.url}/pdf/${listed}/${one}`,
			}));
			return { body: { id: '000000000001', status: 'SENT', evidences } };
		};
		const { items } = await download('000000000001', 'all', { credential: stub.credential });
		const files = await Promise.all(items.map(({ binary }) => binaryContent(binary!.data)));
		expect(files.map(String)).toEqual([1, 2].map((piece) => `%PDF-piece ${piece} %%EOF`));
	});

	it('[EVID-03][N] is given up when the fresh one fails as well, and not shown', async () => {
		const id = await sendLetter('LS');
		await fault(signedLink, { kind: 'status', status: 403 }, { times: null });
		const { error } = await download(id, 'SENT');
		expect(error?.message).toBe('The evidence could not be fetched from its link');
		expect(error?.description).toMatch(/^localhost:\d+ answered with HTTP status 403\.$/);
		expect(JSON.stringify(error)).not.toContain('signature=');
		expect(await requests(/^\/evidences/)).toHaveLength(2);
	});

	it('[AUTH-05][EVID-03][N] is waited for when its host is busy', async () => {
		const id = await sendLetter('LS');
		await fault(signedLink, { kind: 'status', status: 429, retryAfter: 1 });
		const { items } = await download(id, 'SENT');
		expect(items[0].binary?.data.mimeType).toBe('application/pdf');
	});

	const firstPart = '%PDF-1.7\n<</Linearized 1/L 2000>>\nxref\ntrailer\nstartxref\n0\n%%EOF';
	// What is kept, fetched again or told, whatever the file is: evidence-worlds.test.ts.
	it.each<[string, StubAnswer, RegExp]>([
		[
			'an HTML page',
			{ body: '<html>Sign in</html>', contentType: 'text/html' },
			/^localhost:\d+ did not return a PDF file\.$/,
		],
		['no content', { status: 204 }, /HTTP status 204/],
		[
			'what is said to be compressed',
			{ body: '%PDF-1.7 %%EOF', headers: { 'content-encoding': 'gzip' } },
			/^localhost:\d+ marks the file as compressed, but it cannot be decompressed \(Z_DATA_ERROR\)\. Whoever runs the host has to correct the header "Content-Encoding"\. Until then, open the link in a browser\.$/,
		],
		[
			'what is compressed in a way that n8n does not know',
			{ body: 'zipped', headers: { 'content-encoding': 'lzma' } },
			/^localhost:\d+ did not return a PDF file \(Content-Encoding: lzma\)\.$/,
		],
		[
			'a part of unknown length',
			{ body: firstPart, cutAt: Infinity, headers: { 'content-length': null } },
			/^localhost:\d+ does not say how long the file is, and nothing else shows that the 64 bytes are all of it\. Open the link of "Get Link to Evidence" in a browser and compare\.$/,
		],
	])('[EVID-03][N] to %s is no evidence', async (_, answer, words) => {
		stub.answer = ({ path }) =>
			path === '/pdf'
				? { contentType: 'application/pdf', ...answer }
				: { body: { url: `${stub.url}/pdf?secret` } };
		const { error } = await download('000000000001', 'SENT', { credential: stub.credential });
		expect(error?.description).toMatch(words);
	});
});

describe('an answer that holds no link', () => {
	const options = () => ({ credential: stub.credential });

	it.each<[string, object]>([
		['a page', { contentType: 'text/html', body: '<h1>Sign in</h1>' }],
		['a link of http', { body: { url: 'http://localhost/x?signature=secret' } }],
		['no link', { body: { href: 'https://localhost/x' } }],
	])('[EVID-01][AUTH-02][N] %s is an error, of both operations', async (_title, answer) => {
		stub.answer = () => answer;
		for (const operation of ['getLink', 'download']) {
			const parameters = { operation, messageId: '000000000001', eventType: 'SENT' };
			const { error, items } = await run(parameters, options());
			expect(items).toEqual([]);
			expect(error?.message).toMatch(
				/^The service returned an unexpected response: .* instead of an https link/,
			);
			expect(error?.description).toContain('Check the Base URL');
			expect(error?.message).not.toContain('signature=');
		}
	});
});

describe('a link that redirects', () => {
	const pdf = { contentType: 'application/pdf', body: '%PDF-1.7 here %%EOF' };
	const to = (location: string) => ({ status: 302, headers: { location }, body: '' });
	const follow = (answer: (path: string) => object) => {
		stub.answer = ({ path }) =>
			path.startsWith('/messages/') ? { body: { url: `${stub.url}/link` } } : answer(path);
		return download('000000000001', 'SENT', {
			credential: stub.credential,
		});
	};

	it('[EVID-03][N] is followed over https, relative or whole, without the token', async () => {
		const { items, error } = await follow((path) => {
			if (path === '/link') return to('/next?a=b');
			return path === '/next' ? to(`${stub.url}/file`) : pdf;
		});
		expect(error).toBeUndefined();
		expect(String(await binaryContent(items[0].binary!.data))).toBe('%PDF-1.7 here %%EOF');
		const [asked, ...others] = stub.requests;
		expect(asked.headers['x-api-token']).toBe('stub-token');
		expect(others.map(({ path }) => path)).toEqual(['/link', '/next', '/file']);
		for (const { headers } of others) expect(headers).not.toHaveProperty('x-api-token');
	});

	it('[AUTH-02][EVID-03][N] to plain http is refused, and nobody asks there', async () => {
		let asked = 0;
		const plain = createServer((_request, response) => {
			asked += 1;
			response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.7 plain %%EOF');
		});
		await once(plain.listen(0, 'localhost'), 'listening');
		try {
			const { port } = plain.address() as AddressInfo;
			const { error } = await follow(() => to(`http://localhost:${port}/file`));
			expect(error?.description).toMatch(
				/^localhost:\d+ redirects to an address that does not use https\. The node does not follow it\.$/,
			);
			expect(asked).toBe(0);
		} finally {
			plain.close();
		}
	});

	it.each<[string, object, RegExp]>([
		['to nowhere', { status: 302, body: '' }, /answered with HTTP status 302/],
		['to no address', to('https://'), /does not use https/],
		['to a file', to('file:///etc/passwd'), /does not use https/],
		['round and round', to('/link'), /redirected more than 5 times/],
	])('[EVID-03][N] %s is refused', async (_title, answer, words) => {
		const { error } = await follow(() => answer);
		expect(error?.message).toBe('The evidence could not be fetched from its link');
		expect(error?.description).toMatch(words);
		expect(stub.requests.length).toBeLessThan(8);
	});
});

it.each([
	['[READ-01] 11 digits', { messageId: '12345678901' }, /^Message ID: /],
	[
		'[EVID-01] an unknown event type',
		{ eventType: 'OPENED' },
		/^Event Type: It is "OPENED"\. Choose one of/,
	],
	[
		'[EVID-01] all links at once',
		{ operation: 'getLink', eventType: 'all' },
		/^Event Type: It is "all"/,
	],
])('%s [N] is refused before any request', async (_, parameters, message) => {
	const { error } = await run({
		operation: 'download',
		messageId: '000000000001',
		eventType: 'SENT',
		...parameters,
	});
	expect(error?.message).toMatch(message);
	expect(await requests(/./)).toEqual([]);
});
