import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { later, temporaryFolder } from '../contract/receiver/harness.ts';
import { startProcess } from '../contract/receiver/process.ts';

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
