// What StreamedForm leans on: that n8n-core's request helper, and axios under it, take the class for a
// form and stream its files. It is duck typing there, so a new version of n8n may break it silently.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
	type INodeType,
} from 'n8n-workflow';

import { StreamedForm, type FilePart } from '../../../nodes/shared/transport/multipart.ts';
import { runNode } from '../../support/n8n-core.ts';
import { readForm, startServer, type Handler, type ReceivedForm } from './form-server.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

let handler: Handler;
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
	server = await startServer(() => handler);
});
afterAll(() => server.close());

/** Works in the context that n8n-core gives a node; what the work throws, it throws. */
async function inNode(work: (context: IExecuteFunctions) => Promise<void>): Promise<void> {
	const outcome: { error?: unknown } = {};
	const credential = 'registeredDeliveryReceiverApi';
	const node: INodeType = {
		description: {
			displayName: 'Upload',
			name: 'upload',
			group: ['output'],
			version: 1,
			description: '',
			defaults: { name: 'Upload' },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: credential, required: true }],
			properties: [],
		},
		async execute() {
			await work(this).catch((error: unknown) => (outcome.error = error));
			return [[]];
		},
	};
	const own = { receiverUrl: server.url, managementToken: 't' };
	await runNode(node, { parameters: {}, credentials: { [credential]: own } });
	if (outcome.error !== undefined) throw outcome.error;
}

/** The request as nodes/shared/transport/service.ts makes it. */
async function upload(context: IExecuteFunctions, form: StreamedForm) {
	const options: IHttpRequestOptions = {
		method: 'POST',
		url: server.url,
		body: form as unknown as IHttpRequestOptions['body'],
		json: true,
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	};
	return (await context.helpers.httpRequestWithAuthentication.call(
		context,
		'registeredDeliveryReceiverApi',
		options,
	)) as IN8nHttpFullResponse;
}

/** Sends the form and gives what the server read. */
async function sent(context: IExecuteFunctions, form: StreamedForm): Promise<ReceivedForm> {
	let received: ReceivedForm | undefined;
	handler = async (request, response) => {
		received = await readForm(request);
		response.writeHead(201, { 'content-type': 'application/json' }).end('{"ok":true}');
	};
	const { statusCode, body } = await upload(context, form);
	expect({ statusCode, body }).toEqual({ statusCode: 201, body: { ok: true } });
	if (!received) throw new Error('Nothing arrived.');
	return received;
}

async function* inChunks(content: Uint8Array, sizes: number[]) {
	let at = 0;
	for (const size of sizes) {
		yield content.subarray(at, at + size);
		at += size;
	}
	yield content.subarray(at);
}

const filePart = (content: Uint8Array, change: Partial<FilePart> = {}): FilePart => ({
	field: 'attachments[0]',
	fileName: 'contract.pdf',
	mimeType: 'application/pdf',
	size: content.length,
	open: () => inChunks(content, []),
	...change,
});

// --- Framing ----------------------------------------------------------------------------------------

const anyText = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.string({ unit: 'grapheme' }),
	fc
		.array(fc.constantFrom(...'"\\/\r\n\0\t;=é😀 ', '\r\n', '%22', '--'))
		.map((pieces) => pieces.join('')),
);
const anyName = fc.oneof(
	anyText,
	anyText.map((name) => `${name}.pdf`),
	anyText.map((name) => `${name || 'long'}${'x'.repeat(3000)}`),
	fc.constantFrom(
		'"; filename="evil.exe',
		'a"\r\nContent-Type: text/html\r\n\r\n<b>',
		"'*=UTF-8''x",
	),
);
const anyContent = fc.oneof(
	fc.uint8Array({ maxLength: 2 * KIB }),
	fc.constantFrom(
		Buffer.from('\r\n--form-data-boundary-\r\n'),
		Buffer.from('\r\n----\r\n\r\n--'),
		Buffer.alloc(200 * KIB, '\r\n-'),
	),
);
const anyFile = fc.record({
	fileName: anyName,
	mimeType: fc.constantFrom(
		'application/pdf',
		'text/plain',
		'image/png',
		'application/octet-stream',
	),
	content: anyContent,
	sizes: fc.array(fc.nat(3 * KIB), { maxLength: 8 }),
});
const anyField = fc.tuple(
	fc.constantFrom('body', 'type', 'recipients[0].company', 'customerReference'),
	anyText,
);

// What a name becomes in a header: nothing that ends it, breaks it, or leads to another folder. The
// quote is escaped as browsers do.
const nameInHeader = (name: string) =>
	(name.replace(/[\p{Cc}\p{Cs}\\/]/gu, '_') || 'file').replaceAll('"', '%22');
const digest = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
// Half a character is refused before it gets here.
const valueInForm = (value: string) => value.toWellFormed();

it('[SEND-09][N] any fields and any files, whatever their names and bytes and however they are read, arrive byte for byte', async () => {
	await inNode(async (context) => {
		const anyForm = fc.record({
			fields: fc.array(anyField, { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
			files: fc.array(anyFile, { maxLength: 4 }),
		});
		await fc.assert(
			fc.asyncProperty(anyForm, async ({ fields, files }) => {
				const parts = files.map(({ content, sizes, ...names }, position) =>
					filePart(content, {
						...names,
						field: `attachments[${position}]`,
						open: () => inChunks(content, sizes),
					}),
				);
				fc.pre(parts.length + Object.keys(fields).length > 0);
				const received = await sent(context, new StreamedForm(fields, parts));
				expect(received.fields).toEqual(
					Object.entries(fields).map(([name, value]) => [name, valueInForm(value)]),
				);
				const receivedFiles = received.files.map((file) => ({
					...file,
					content: digest(file.content),
				}));
				expect(receivedFiles).toEqual(
					files.map(({ fileName, mimeType, content }, position) => ({
						field: `attachments[${position}]`,
						fileName: nameInHeader(fileName),
						mimeType,
						content: digest(content),
					})),
				);
				expect(received.contentLength).toBe(String(received.bytes));
				expect(received.transferEncoding).toBeUndefined();
			}),
			{ numRuns: 200 },
		);
	});
});

// --- Streaming --------------------------------------------------------------------------------------

/** A file that is made while it is read, and counts what was taken of it. */
function countedFile(bytes: number) {
	const taken = { bytes: 0, opened: 0 };
	const chunk = Buffer.alloc(64 * KIB, 'x');
	const open = async function* () {
		taken.opened++;
		for (let at = 0; at < bytes; at += chunk.length) {
			taken.bytes += chunk.length;
			yield chunk;
		}
	};
	return { taken, part: filePart(chunk, { size: bytes, open }) };
}

it('[SEND-08][N] a file is read as fast as the peer reads it, and no faster', async () => {
	const size = 128 * MIB;
	const { taken, part } = countedFile(size);
	let read = 0;
	let go!: () => void;
	const mayRead = new Promise<void>((resolve) => (go = resolve));
	handler = async (request, response) => {
		await mayRead;
		for await (const chunk of request) read += (chunk as Buffer).length;
		response.writeHead(201).end();
	};
	await inNode(async (context) => {
		const answer = upload(context, new StreamedForm({}, [part]));
		const stalled = await settled(() => taken.bytes);
		// Ahead of the peer is what the system's buffers of both ends hold, and a chunk or two.
		expect(stalled).toBeGreaterThan(0);
		expect(stalled).toBeLessThan(32 * MIB);
		go();
		await answer;
	});
	expect(taken).toEqual({ bytes: size, opened: 1 });
	expect(read).toBeGreaterThan(size);
});

/** The value once it stands still. */
async function settled(value: () => number): Promise<number> {
	for (let last = -1; ; await sleep(250)) {
		if (value() === last && last > 0) return last;
		last = value();
	}
}

it('[SEND-08][N] a peer that goes away ends the reading of the file', async () => {
	const { taken, part } = countedFile(128 * MIB);
	handler = async (request) => {
		request.once('data', () => request.socket.destroy());
	};
	await inNode(async (context) => {
		await expect(upload(context, new StreamedForm({}, [part]))).rejects.toThrow();
	});
	expect(taken.bytes).toBeLessThan(64 * MIB);
});

it('[SEND-08][N] a file that cannot be read to its end fails the request, and the peer gets no whole form', async () => {
	let arrived!: () => void;
	const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
	const ended = new Promise<{ isWhole: boolean }>((resolve) => {
		handler = async (request) => {
			request.on('error', () => undefined).once('data', arrived);
			request.once('close', () => resolve({ isWhole: request.complete }));
		};
	});
	const open = async function* () {
		yield Buffer.from('half');
		await hasArrived;
		throw new Error('the store is gone');
	};
	await inNode(async (context) => {
		const form = new StreamedForm({}, [filePart(Buffer.alloc(8), { open })]);
		await expect(upload(context, form)).rejects.toThrow('the store is gone');
	});
	expect(await ended).toEqual({ isWhole: false });
});

// n8n itself would repeat it.
it('[SEND-08][N] a request that is answered 401 goes out once, as the nodes make it', async () => {
	const content = Buffer.from('the whole file');
	const open = jest.fn(() => inChunks(content, [3]));
	handler = async (request, response) => {
		await readForm(request);
		response.writeHead(401).end();
	};
	await inNode(async (context) => {
		const form = new StreamedForm({}, [filePart(content, { open })]);
		expect((await upload(context, form)).statusCode).toBe(401);
	});
	expect(open).toHaveBeenCalledTimes(1);
});
