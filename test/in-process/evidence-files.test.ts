// Download Evidence: which files are kept as they come, which are fetched again, and which are told.
import { gzipSync } from 'node:zlib';

import { DownloadEvidence } from '../../nodes/DownloadEvidence/DownloadEvidence.node.ts';
import { binaryContent } from '../support/binary.ts';
import { runNode } from '../support/n8n-core.ts';
import type * as Pauses from '../support/short-pauses.ts';
import type { StubAnswer } from '../support/stub-service.ts';
import { useStub } from './services.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

const stub = useStub();

const table = 'xref\ntrailer\nstartxref\n15\n%%EOF';
const first = `%PDF-1.7\n1 0 obj\n${table}`;
const signed = `${first}\n2 0 obj the signature\n${table}\n`;
const firstPart = `%PDF-1.7\n<</Linearized 1/L 2000>>\n${table.replace('15', '0')}`;
const tiny = '%PDF-1.7 %%EOF';
const noLength = { 'content-length': null };

/** Downloads what the host answers, at its last try again and again. */
async function fetched(...answers: Array<Partial<StubAnswer>>) {
	let tries = 0;
	stub.answer = ({ path }) =>
		path === '/pdf'
			? {
					contentType: 'application/pdf',
					cutAt: Infinity,
					...(answers[tries++] ?? answers.at(-1)),
				}
			: { body: { url: `${stub.url}/pdf` } };
	const { items, error } = await runNode(new DownloadEvidence(), {
		parameters: { operation: 'download', messageId: '000000000001', eventType: 'SENT' },
		credentials: { registeredDeliveryApi: stub.credential },
	});
	const kept = error ? null : (await binaryContent(items[0].binary!.data)).toString('latin1');
	return { kept, tries, told: error?.description };
}

it.each<[string, string]>([
	['1,025 NUL behind it', `${signed}${'\0'.repeat(1025)}`],
	['1,025 blanks behind it', `${signed}${' '.repeat(1025)}`],
	['a comment behind it', `${signed}%${'c'.repeat(1025)}`],
	['a byte order mark before it', `\xef\xbb\xbf${signed}`],
	['a line before it', `\r\n${signed}`],
	['a blank before it', ` ${signed}`],
	['1,000 bytes before it', `${'x'.repeat(1000)}${signed}`],
])('[EVID-03][N] a PDF with %s is kept as it is', async (_title, content) => {
	const { kept, tries } = await fetched({ body: Buffer.from(content, 'latin1') });
	expect(kept).toBe(content);
	expect(tries).toBe(1);
});

it.each<[string, string]>([
	['smaller', `%PDF-1.7 ${'all of it '.repeat(100)}%%EOF`],
	['larger', tiny],
])(
	'[EVID-03][N] a PDF that its host compresses unasked, and is %s then, is kept',
	async (_title, content) => {
		const headers = { 'content-encoding': 'gzip' };
		const { kept, tries } = await fetched({ body: gzipSync(content), headers });
		expect(kept).toBe(content);
		expect(tries).toBe(1);
	},
);

it.each<[string, string]>([
	['a signed one, cut behind its first version', first],
	['a signed one, cut in its second version', signed.slice(0, first.length + 8)],
	['the first part of one for the web', firstPart],
])('[EVID-03][N] a PDF without a length is fetched again: %s', async (_title, cut) => {
	const { kept, tries } = await fetched(
		{ body: cut, headers: noLength },
		{ body: signed, headers: noLength },
		{ body: signed, headers: noLength },
	);
	expect(kept).toBe(signed);
	expect(tries).toBe(3);
});

it('[EVID-03][N] a PDF without a length, and with no end, is told as doubtful at last', async () => {
	const { kept, tries, told } = await fetched({ body: firstPart, headers: noLength });
	expect(kept).toBeNull();
	expect(tries).toBe(4);
	expect(told).toMatch(
		/^localhost:\d+ does not say how long the file is, and nothing else shows that the 64 bytes are all of it\. Open the link of "Get Link to Evidence" in a browser and compare\.$/,
	);
});

it('[EVID-03][N] a PDF in chunks is kept at once', async () => {
	const headers = { ...noLength, 'transfer-encoding': 'chunked' };
	const body = `${signed.length.toString(16)}\r\n${signed}\r\n0\r\n\r\n`;
	expect(await fetched({ body, headers })).toMatchObject({ kept: signed, tries: 1 });
});

it.each<[string, Partial<StubAnswer>, RegExp]>([
	[
		'a page that mentions one',
		{ body: `<html>No %PDF-1.7 %%EOF`, contentType: 'text/html' },
		/^localhost:\d+ did not return a PDF file\.$/,
	],
	[
		'one that is said to be compressed',
		{ body: signed, headers: { 'content-encoding': 'gzip' } },
		/^localhost:\d+ marks the file as compressed, but it cannot be decompressed \(Z_DATA_ERROR\)\. Whoever runs the host has to correct the header "Content-Encoding"\. Until then, open the link in a browser\.$/,
	],
	[
		'one compressed in a way that n8n does not know',
		{ body: 'zipped', headers: { 'content-encoding': 'lzma' } },
		/^localhost:\d+ did not return a PDF file \(Content-Encoding: lzma\)\.$/,
	],
])('[EVID-03][N] no evidence is %s', async (_title, answer, words) => {
	expect((await fetched(answer)).told).toMatch(words);
});
