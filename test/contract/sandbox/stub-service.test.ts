// The stub is what other tests lean on, so what it says of cuts has to be so.
import { request } from 'node:https';
import { connect } from 'node:net';

import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { startPlainHttp, startStubService, type StubService } from '../../support/stub-service.ts';
import { accountOf } from './client.ts';
import { exchangeRaw } from './raw.ts';

let stub: StubService;
beforeEach(async () => {
	stub = await startStubService();
});
afterEach(() => stub.close());

const BODY = '{"a":"é"}';
const post = (declared = Buffer.byteLength(BODY)) =>
	exchangeRaw({ url: stub.url, caCertificate: authorityOf(stub) }, [
		'POST /letters?page=2 HTTP/1.1',
		'Host: localhost',
		'Connection: close',
		`Content-Length: ${declared}\r\n\r\n${BODY}`,
	]);
const authorityOf = ({ credential }: StubService) =>
	(credential as { caCertificate: string }).caCertificate;

it('gives headers and status, and says what came', async () => {
	stub.answer = () => ({ status: 302, headers: { Location: '/b' }, body: { ok: true } });
	const { bytes, error } = await post();
	expect(bytes.toString()).toMatch(/^HTTP\/1.1 302 [^]*Location: \/b[^]*\r\n\r\n{"ok":true}$/i);
	expect(error).toBeNull();
	expect(stub.requests).toMatchObject([
		{ method: 'POST', path: '/letters', body: BODY, complete: true, clientCertificate: null },
	]);
	expect([stub.connections, stub.handshakes]).toEqual([1, 1]);
});

it.each([0, 1, 20, 45])('cuts the answer at byte %i, with FIN or RST', async (cutAt) => {
	for (const rst of [false, true]) {
		stub.answer = () => ({ body: 'x'.repeat(100), cutAt, rst });
		const { bytes, error } = await post();
		expect(bytes.toString()).toBe(
			'HTTP/1.1 200 OK\r\ncontent-length: 100\r\nconnection: close'.slice(0, cutAt),
		);
		expect(error?.code).toBe(rst ? 'ECONNRESET' : undefined);
	}
});

it('resets the connection behind a whole answer, and behind one that comes before the body', async () => {
	stub.answer = () => ({ body: 'all of it', rst: true });
	const late = await post();
	stub.earlyAnswer = () => ({ status: 413, body: 'too large', rst: true });
	const early = await post(50_000_000);
	expect(late.bytes.toString()).toMatch(/all of it$/);
	expect(early.bytes.toString()).toMatch(/^HTTP\/1.1 413 [^]*too large$/);
	expect([late, early].map(({ error }) => error?.code)).toEqual(['ECONNRESET', 'ECONNRESET']);
	expect(stub.requests.map(({ complete }) => complete)).toEqual([true, false]);
});

it('cuts a request at any byte, and knows whether it had all of it', async () => {
	const length = Buffer.byteLength(BODY);
	for (let cut = 0; cut <= length; cut++) {
		stub.readBytes = () => cut;
		expect((await post()).bytes).toHaveLength(0);
	}
	expect(stub.requests.map(({ complete }) => complete)).toEqual([
		...Array<boolean>(length).fill(false),
		true,
	]);
	expect(stub.requests[3]?.body).toBe(BODY.slice(0, 3));
});

it('notes a request whose client goes away', async () => {
	const going = request(stub.url, { method: 'POST', ca: authorityOf(stub) });
	going.on('error', () => undefined);
	going.setHeader('Content-Length', 100);
	const heard = new Promise((resolve) => (stub.readBytes = () => void resolve(null)));
	going.write('{"a":');
	await heard;
	going.destroy();
	while (stub.requests.length === 0) await new Promise(setImmediate);
	expect(stub.requests).toMatchObject([
		{ body: expect.stringMatching(/^({"a":)?$/), complete: false },
	]);
});

it('cuts connections in the handshake, as told', async () => {
	stub.handshake = (connection) => (connection === 2 ? 'cutInHandshake' : 'ok');
	const seen = [await post(), await post(), await post()];
	expect(seen.map(({ secured }) => secured)).toEqual([true, false, true]);
	expect([stub.connections, stub.handshakes, stub.requests.length]).toEqual([3, 2, 2]);
});

it('asks for a client certificate', async () => {
	await stub.close();
	stub = await startStubService({ requestCert: true });
	const sandbox = await startSandbox({ automatic: false });
	const { certificate, key } = accountOf(sandbox, 'direct');
	await sandbox.close();
	stub.answer = () => ({});
	await new Promise((resolve) =>
		request(
			stub.url,
			{ cert: certificate ?? '', key: key ?? '', ca: authorityOf(stub) },
			(answer) => answer.resume().on('end', resolve),
		).end(),
	);
	expect(stub.requests).toMatchObject([
		{ clientCertificate: expect.stringMatching(/^[0-9A-F:]{95}$/) },
	]);
});

it('can speak plain HTTP', async () => {
	const plain = await startPlainHttp();
	const socket = connect(Number(new URL(plain.url).port), 'localhost');
	socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
	let text = '';
	for await (const chunk of socket.setEncoding('utf8')) text += chunk;
	expect(text).toMatch(/^HTTP\/1.1 200/);
	const { secured } = await exchangeRaw({ url: plain.url, caCertificate: authorityOf(stub) }, ['']);
	expect([secured, plain.connections, plain.requests]).toEqual([false, 2, 1]);
	await plain.close();
});
