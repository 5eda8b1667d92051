// However slowly strangers send, and however many: an event that is signed waits for none of them.
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { cleanUp, later, signed, start } from './harness.ts';

/** Node's own limit for a request is 30 s. */
const SOON_MS = 10_000;

jest.setTimeout(120_000);
afterEach(cleanUp);

describe('strangers who send slowly hold up no signed event', () => {
	const STRANGERS = 40;
	const PIECE = 'x'.repeat(1_000);

	/** Sends the head and so many bytes of a body, then a byte now and then; the rest never comes. */
	async function stranger(url: string, bytes: number, head: string, from: string) {
		const { hostname, port } = new URL(url);
		const socket = connect(Number(port), hostname);
		socket.on('error', () => undefined);
		const isChunked = head.startsWith('transfer-encoding');
		const send = (text: string) =>
			socket.write(isChunked ? `${text.length.toString(16)}\r\n${text}\r\n` : text);
		const lines = ['POST /events HTTP/1.1', 'host: x', head, from, 'expect: 100-continue', '', ''];
		socket.write(lines.join('\r\n'));
		await once(socket, 'data');
		for (let left = bytes; left > 0; left -= PIECE.length) send(PIECE.slice(0, left));
		const drip = setInterval(() => send('x'), 200);
		later(() => {
			clearInterval(drip);
			socket.destroy();
		});
	}

	/** How long the answer takes to a signed event that comes as a stream, and so without its length. */
	async function streamed({ url }: { url: string }, text: string, more: Record<string, string>) {
		const body = JSON.stringify({ event: 'aes_sent', text });
		const began = performance.now();
		const headers = { ...signed(body, Date.now()), ...more };
		const outgoing = request(`${url}/events`, { method: 'POST', headers });
		for (let at = 0; at < body.length; at += 50_000) outgoing.write(body.slice(at, at + 50_000));
		const [response] = (await once(outgoing.end(), 'response')) as [IncomingMessage];
		response.resume();
		return { status: response.statusCode, isSoon: performance.now() - began < SOON_MS };
	}

	it.each([
		['byte by byte', 1, 'transfer-encoding: chunked'],
		['one byte of a large body', 1, 'content-length: 900000'],
		['what is no longer small, in pieces', 17_000, 'transfer-encoding: chunked'],
		['as much as fills the memory', 250_000, 'content-length: 900000'],
	])('%s', async (_, bytes, head) => {
		const receiver = await start({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
		const from = (n: number) => `x-forwarded-for: 203.0.113.${n}`;
		await Promise.all(
			Array.from({ length: STRANGERS }, (_, n) => stranger(receiver.url, bytes, head, from(n))),
		);
		const good = { status: 200, isSoon: true };
		// The first ones ever, before any address is known; then others from there.
		for (const round of [1, 2]) {
			const events = [10, 20_000, 900_000, 900_000].map((size, n) =>
				streamed(receiver, `${round}-${n} ${'x'.repeat(size)}`, {
					'x-forwarded-for': '203.0.113.200',
				}),
			);
			expect(await Promise.all(events)).toEqual([good, good, good, good]);
		}
	});
});
