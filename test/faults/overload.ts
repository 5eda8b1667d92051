import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { later, temporaryFolder } from '../contract/receiver/harness.ts';
import { startProcess } from '../contract/receiver/process.ts';
import { record } from './figures.ts';
import { World } from './world.ts';

const SLOW = 500;

type Client = Pick<Awaited<ReturnType<typeof startProcess>>, 'emit' | 'url'>;

export function overloadFaults() {
	it('500 slow senders: the healthy ones are answered, the slow ones are sent away', async () => {
		const receiver = await startProcess(temporaryFolder());
		const sockets = await slowSenders(receiver);
		for (let n = 0; n < 400; n++) {
			expect((await receiver.emit({ event: 'aes_sent', at: n })).status).toBe(200);
		}
		// Those without whole headers go after 10 s, a half body is given 30.
		const headers = sockets.filter((_, n) => n % 2 === 0);
		const deadline = Date.now() + 20_000;
		while (headers.some(({ closed }) => !closed) && Date.now() < deadline) {
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		expect(headers.filter(({ closed }) => !closed)).toEqual([]);
	});

	it('strangers who send large bodies byte by byte, ever new ones: a signed stream flows', async () => {
		// Each post is above 16 kB, so that all of them share the memory for large bodies.
		const world = await World.start({ receivers: [{}], padding: 3_000 });
		await world.flows();
		const ending = new AbortController();
		later(() => ending.abort());
		const [receiver] = world.receivers;
		const strangers = Array.from({ length: 400 }, () => dripping(receiver, ending.signal));
		await world.flows(3_000);
		ending.abort();
		await Promise.all(strangers);
		expect(world.refused.size).toBe(0);
		record('400 strangers, byte by byte', await world.verdict());
	});
}

/** Sends large bodies that never end, 20 kB at once and then a byte now and then; begins anew when cut off. */
async function dripping({ url }: Client, signal: AbortSignal): Promise<void> {
	const { hostname, port } = new URL(url);
	while (!signal.aborted) {
		const socket = connect(Number(port), hostname);
		socket.on('error', () => undefined);
		socket.resume();
		const send = (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
		socket.write('POST /events HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
		send('x'.repeat(20_000));
		const drip = setInterval(() => send('x'), 50);
		const end = () => socket.destroy();
		signal.addEventListener('abort', end);
		await new Promise((resolve) => socket.once('close', resolve));
		signal.removeEventListener('abort', end);
		clearInterval(drip);
	}
}

/** Half of them stop in their headers, half in their bodies. */
async function slowSenders({ url }: Client): Promise<Socket[]> {
	return await Promise.all(Array.from({ length: SLOW }, (_, n) => slow(url, n % 2 === 0)));
}

/** A sender that stops in the middle: of its headers, or of its body. */
function slow(url: string, inHeaders: boolean): Promise<Socket> {
	const { hostname, port } = new URL(url);
	return new Promise((resolve, reject) => {
		const socket = connect(Number(port), hostname, () => {
			socket.write('POST /events HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n');
			if (!inHeaders) socket.write('\r\n{"event"');
			resolve(socket);
		});
		socket.on('error', reject);
		socket.resume();
		later(() => void socket.destroy());
	});
}
