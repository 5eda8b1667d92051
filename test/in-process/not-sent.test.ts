// Whether a letter has left is decided by what went out, against real sockets.
import { createPrivateKey } from 'node:crypto';
import { createServer, type Server } from 'node:tls';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { makeCertificate, shortRsa } from '../support/certificates.ts';
import {
	accepted,
	arrived,
	readers,
	requesting,
	sendLetters,
	takeAll,
	verdictOf,
	type Letters,
} from '../support/letters.ts';
import { asBegun, useBinaryStore } from '../support/n8n-core.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { startPlainHttp, startStubService, type StubService } from '../support/stub-service.ts';
import { localhostCertificate } from '../support/tls-server.ts';
import { followed, sendLetterWith } from './nodes.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

let stub: StubService;
/** Services that nobody can talk to, each for a reason of its own. */
let plain: Awaited<ReturnType<typeof startPlainHttp>>;
let stranger: StubService;
let strict: StubService[];
/** Client certificates that OpenSSL refuses, and that the credential does. */
let short: object;
let locked: object;
let hangsUp: Awaited<ReturnType<typeof startHangingUp>>;
const day = 24 * 60 * 60 * 1000;
const large = { name: 'large.bin', type: 'text/plain', content: Buffer.alloc(24 * 1024 * 1024) };

beforeAll(async () => {
	stub = await startStubService();
	plain = await startPlainHttp();
	const { certificate, key } = await makeCertificate(Date.now() - day, Date.now() + day);
	stranger = await startStubService({ cert: certificate, key });
	stranger.credential = { baseUrl: stranger.url, caCertificate: certificate };
	const judging = { requestCert: true, rejectUnauthorized: true };
	strict = [
		await startStubService({ ...judging, maxVersion: 'TLSv1.2' }),
		await startStubService({ ...judging, minVersion: 'TLSv1.3' }),
	];
	const made = await makeCertificate(Date.now() - day, Date.now() + day, shortRsa);
	short = { clientCertificate: made.certificate, clientKey: made.key };
	const cipher = { cipher: 'aes-256-cbc', passphrase: 'right' };
	const encrypted = createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', ...cipher });
	locked = { clientCertificate: certificate, clientKey: encrypted };
	hangsUp = await startHangingUp();
});
afterAll(async () => {
	await Promise.all([stub, plain, stranger, ...strict].map(async (one) => await one.close()));
	hangsUp.server.close();
});
beforeEach(() => takeAll(stub));

/** At once, so that many tries do not take long. */
const LIMITED = { status: 429, headers: { 'retry-after': '0' }, body: '' };

let keys = 0;
/** A letter under a key that no other test uses. */
function letterOnce({ options, ...more }: Letters = {}): Letters {
	return { ...more, options: { ...options, sendOnceKey: `key-${++keys}` } };
}
const send = async (letter: Letters, change: object = {}) =>
	await sendLetters({ ...stub.credential, ...change }, letter);
const withFile = {
	parameters: { attachmentFields: 'data' },
	items: [{ ...readers(1)[0], files: { data: large } }],
};

/** What is wrong, and what that is called; gives what is different in the credential. */
type Fault = [title: string, arrange: () => object, words: RegExp];

describe('what has not left is not sent: never twice by a retry, and its key stays free', () => {
	const certified: Fault[] = [0, 1].map((at) => [
		`a client certificate that is missing, in TLS 1.${at + 2}`,
		() => ({ ...strict[at].credential }),
		/rejected the client certificate/,
	]);
	const faults: Fault[] = [
		['nobody listens', () => ({ baseUrl: 'https://localhost:1' }), /the connection was refused/],
		['no such name', () => ({ baseUrl: 'https://nowhere.invalid' }), /host .* cannot be found/],
		['a port of plain HTTP', () => ({ baseUrl: plain.url }), /does not speak HTTPS/],
		[
			'closed in the TLS handshake',
			() => ((stub.handshake = () => 'cutInHandshake'), {}),
			/The connection broke before/,
		],
		['an unknown authority', () => ({ caCertificate: '' }), /not from a known authority/],
		['another host’s certificate', () => stranger.credential, /is for another host name/],
		['a short key', () => short, /RSA needs 2048 bits/],
		['a wrong passphrase', () => ({ ...locked, passphrase: 'wrong' }), /does not decrypt/],
		['a .p12 as it is', () => ({ clientCertificate: 'MIIEDAIBAzCCA8IG' }), /openssl pkcs12 -in/],
		...certified,
	];
	it.each(faults)('%s', async (_title, arrange, words) => {
		await expectNotSent(letterOnce(), arrange, words);
	});

	const page = '<h1>No entry</h1>';
	const own = { message: 'No', code: 'some-code' };
	const NO = { field: 'id', rule: 'fixedLength', message: 'No' };
	type Refusal = [title: string, status: number, body: unknown];
	it.each<Refusal>([
		['a page with 403', 403, page],
		['the interface’s own 409', 409, own],
		['the interface’s own list of errors', 422, { errors: [NO] }],
	])('%s', async (_title, status, body) => {
		stub.answer = () => ({ status, body });
		const letter = letterOnce();
		const { error } = await send({ ...letter, retryOnFail: true });
		expect(error?.message).toMatch(/^No|HTTP status 422/);
		// Once for each of n8n's tries: the node itself does not repeat it.
		expect(stub.requests).toHaveLength(3);

		takeAll(stub);
		const later = await send(letter);
		expect(later.items.map(({ json }) => json.alreadySent ?? false)).toEqual([false]);
		expect(arrived(stub)).toHaveLength(1);
	});

	it('said with a word that n8n would take for a stop: it is listed as failed', async () => {
		const body = { message: 'This was canceled', code: 'not-allowed' };
		stub.answer = () => ({ status: 422, body });
		const { error, run } = await send({});
		expect(error?.message).toBe('This was cancelled (not-allowed)');
		expect(run.status).toBe('error');
	});

	it('429, which the node itself repeats', async () => {
		let count = 0;
		const { answer } = stub;
		stub.answer = async (request) => (++count > 8 ? await answer(request) : LIMITED);
		const { items } = await send(letterOnce());
		expect(items.map(verdictOf)).toEqual(['sent']);
		expect(count).toBe(9);
	});

	it('429 to a whole file, then 413 in the middle of the next try', async () => {
		stub.answer = () => LIMITED;
		stub.earlyAnswer = () => (stub.requests.length > 0 ? { status: 413, body: '' } : undefined);
		const { error } = await send(withFile);
		expect(error?.message).toMatch(
			/^(The service answered with HTTP status 413|The connection broke)/,
		);
		expect(stub.requests.map(({ complete }) => complete)).toEqual([true, false]);
	});

	describe.each(['the item', 'n8n’s binary store'])('with a file kept in %s', (place) => {
		if (place !== 'the item') beforeAll(useBinaryStore);

		it.each<Fault>([
			[
				'cut while a large file is uploaded',
				() => ((stub.readBytes = () => 100_000), {}),
				/The connection broke before/,
			],
			[
				'413 before the file was read',
				() => ((stub.earlyAnswer = () => ({ status: 413, body: '' })), {}),
				/HTTP status 413|The connection broke/,
			],
			[
				'413 before the file was read, with a reset',
				() => ((stub.earlyAnswer = () => ({ status: 413, body: '', rst: true })), {}),
				/HTTP status 413|The connection broke/,
			],
		])('%s', async (_title, arrange, words) => {
			const { node, files } = opening();
			await expectNotSent({ ...letterOnce(withFile), node }, arrange, words);
			expect(files.length > 0).toBe(place !== 'the item');
			expect(files.every(({ destroyed }) => destroyed)).toBe(true);
		});
	});

	async function expectNotSent(letter: Letters, arrange: () => object, words: RegExp) {
		const change = arrange();
		const failed = await send({ ...letter, retryOnFail: true }, change);
		expect(failed.error?.message).toMatch(words);
		expect(failed.error?.message).not.toMatch(/Outcome unknown/);
		const all = [stub, stranger, ...strict];
		expect(all.flatMap(arrived)).toEqual([]);

		takeAll(stub);
		const later = await send(letter);
		expect(later.error).toBeUndefined();
		expect(later.items.map(({ json }) => json.alreadySent ?? false)).toEqual([false]);
		expect(arrived(stub)).toHaveLength(1);
	}

	it.each<[string, Letters, () => void]>([
		[
			'handshakes that are cut',
			letterOnce(),
			() => (stub.handshake = (count) => (count <= 6 ? 'cutInHandshake' : 'ok')),
		],
		[
			'uploads that are cut',
			letterOnce(withFile),
			() => (stub.readBytes = () => (stub.connections <= 5 ? 100_000 : undefined)),
		],
	])('%s end in one letter as soon as one gets through', async (_title, letter, arrange) => {
		arrange();
		const { error, items } = await send({ ...letter, retryOnFail: true });
		expect(error).toBeUndefined();
		expect(items.map(verdictOf)).toEqual(['sent']);
		// Beyond the tries of one run of the node.
		expect(stub.connections).toBeGreaterThan(4);
		expect(arrived(stub)).toHaveLength(1);
	});

	it('an execution that was stopped before their turn', async () => {
		const letters = {
			items: readers(5),
			onError: 'continueRegularOutput' as const,
			options: { sendOnceKey: '=stopped-{{ $json.at }}', concurrency: 1 },
		};
		const { node, runs } = followed(new SendLetter());
		let stop = () => {};
		stub.answer = () => (stop(), new Promise(() => {}));
		await send({ ...letters, node, onStart: (given) => (stop = given) });
		const [items] = await runs[0];
		expect(items.map(verdictOf)).toEqual(['unknown', ...Array<string>(4).fill('not sent')]);
		expect(items[4].json.error).toMatch(/the execution was stopped first/);

		takeAll(stub);
		const later = await send(letters);
		expect(later.items.map(verdictOf)).toEqual(['unknown', ...Array<string>(4).fill('sent')]);
		expect(arrived(stub)).toHaveLength(4);
	});
});

describe('what has left without a clear answer is unknown: one request, and its key is taken', () => {
	const answer = (given: Awaited<ReturnType<StubService['answer']>>) => () =>
		(stub.answer = () => given);
	const whole = {
		status: 201,
		body: { messages: [{ id: '000000000001' }], filler: 'x'.repeat(99) },
	};
	it.each<[string, () => unknown, RegExp]>([
		['cut before the body was read', () => (stub.readBytes = () => 0), /The connection broke/],
		['cut after the body', () => (stub.readBytes = () => Infinity), /The connection broke/],
		['reset after the body', answer({ cutAt: 0, rst: true }), /The connection broke/],
		['cut in the headers', answer({ ...whole, cutAt: 30 }), /The connection broke/],
		['cut in the answer', answer({ ...whole, cutAt: 130 }), /The connection broke/],
		['reset in the answer', answer({ ...whole, cutAt: 130, rst: true }), /The connection broke/],
		['500', answer({ status: 500, body: '' }), /HTTP status 500/],
		[
			'503 with Retry-After',
			answer({ status: 503, headers: { 'retry-after': '1' }, body: '<h1>Again</h1>' }),
			/Again/,
		],
		['a proxy’s 422', answer({ status: 422, body: '<h1>Gave up</h1>' }), /Gave up/],
		// What else is not the service's own: unit/pack/serviceError.test.ts.
		[
			'a gateway’s code',
			answer({ status: 422, body: { message: 'No answer', code: 'UPSTREAM_TIMEOUT' } }),
			/No answer/,
		],
		[
			'an own no that a cache had',
			answer({ status: 409, headers: { age: '30' }, body: { message: 'No', code: 'some-code' } }),
			/some-code/,
		],
		[
			'an own no that a cache served again',
			answer({
				status: 422,
				headers: { 'x-cache': 'HIT from edge' },
				body: { message: 'No', code: 'some-code' },
			}),
			/some-code/,
		],
		[
			'a redirect',
			answer({ status: 307, headers: { location: '/messages/bulk_send' }, body: '' }),
			/HTTP status 307/,
		],
	])('%s', async (_title, arrange, words) => {
		const letter = letterOnce();
		arrange();
		const { error } = await send({ ...letter, retryOnFail: true });
		expect(error?.message).toMatch(/^Outcome unknown: the letter may have been sent\. /);
		expect(error?.message).toMatch(words);
		expect(stub.requests).toHaveLength(1);

		takeAll(stub);
		const later = await send(letter);
		expect(later.error?.message).toMatch(/^Outcome unknown: /);
		expect(stub.connections).toBe(0);
	});

	it('a limit on what was passed on: 413 once the whole file is out', async () => {
		stub.answer = () => ({ status: 413, body: '' });
		const { error } = await send({ ...letterOnce(withFile), retryOnFail: true });
		expect(error?.message).toMatch(/^Outcome unknown: .*HTTP status 413/);
		expect(stub.requests).toHaveLength(1);
	});

	it('one id for two recipients', async () => {
		stub.answer = () => ({ status: 201, body: { messages: [{ id: '000000000001' }, { id: 1 }] } });
		const { error } = await send({
			items: readers(2),
			options: { groupRecipients: true },
			retryOnFail: true,
		});
		expect(error?.message).toMatch(
			/^Outcome unknown: .* instead of 201 and a different message ID of 12 digits for each/,
		);
		expect(stub.requests).toHaveLength(1);
	});

	it('closed right after the handshake', async () => {
		const { error } = await send({ retryOnFail: true }, hangsUp.credential);
		expect(error?.message).toMatch(/^Outcome unknown: .*The connection broke/);
		expect(hangsUp.handshakes).toBe(1);
	});

	it('sent again all the same, if the user says so', async () => {
		stub.answer = (request) => (arrived(stub).length > 1 ? accepted(request) : { cutAt: 0 });
		const { items } = await send({ options: { ifOutcomeUnknown: 'sendAgain' }, retryOnFail: true });
		expect(items.map(verdictOf)).toEqual(['sent']);
		expect(arrived(stub)).toHaveLength(2);
	});

	it('in a retry of an execution that was stopped, which n8n lists as failed, not as canceled', async () => {
		let stop = () => {};
		stub.answer = () => (stop(), new Promise(() => {}));
		const stopped = await send({ onStart: (given) => (stop = given) });
		takeAll(stub);
		const { error, run } = await send({ retryOf: asBegun(stopped.run) });
		expect(error?.message).toMatch(/^Outcome unknown: .*The execution was stopped/);
		expect(run.status).toBe('error');
		expect(stub.requests).toEqual([]);
	});

	it('no answer within the time there is', async () => {
		stub.answer = () => new Promise(() => {});
		const node = requesting((request) => ({ ...request, timeout: 1_000 }));
		const { error } = await send({ node, retryOnFail: true });
		expect(error?.message).toMatch(
			/^Outcome unknown: .*The service was reached, but did not respond within 1 seconds/,
		);
		expect(arrived(stub)).toHaveLength(1);
	});
});

/** Ends each connection as soon as its handshake is done, whatever has come in. */
async function startHangingUp() {
	const { cert, key, authority } = await localhostCertificate();
	const server: Server = createServer({ cert, key }, (socket) => {
		it.handshakes++;
		socket.on('error', () => undefined).destroy();
	});
	await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
	const baseUrl = `https://localhost:${(server.address() as AddressInfo).port}`;
	const it = {
		server,
		handshakes: 0,
		credential: { baseUrl, caCertificate: authority },
	};
	return it;
}

/** Send Letter, and the files that it opens in n8n's store: without a hand on them, Node would close them some day. */
function opening() {
	const files: Readable[] = [];
	const node = sendLetterWith((helpers) => {
		const { getBinaryStream } = helpers;
		helpers.getBinaryStream = async (...asked) => {
			const file = await getBinaryStream(...asked);
			files.push(file);
			return file;
		};
	});
	return { node, files };
}
