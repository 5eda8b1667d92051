import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { Transform } from 'node:stream';

import { afterRow } from '../clean-up.ts';

export interface SlowLine {
	port: number;
	/** Most connections open at once since the last call. */
	takePeak(): number;
}

/**
 * A proxy to a local server that delays its answers by so many milliseconds, as if far away, and
 * counts the connections. TLS passes through undecrypted.
 */
export async function startSlowLine(port: number, delay: number): Promise<SlowLine> {
	let [open, peak] = [0, 0];
	const server = createServer((client) => {
		peak = Math.max(peak, ++open);
		const service = connect({ port, host: '127.0.0.1' });
		// Each chunk from its own arrival on: what is sent together arrives together, the end too.
		const slowly = new Transform({
			transform(chunk, _encoding, done) {
				setTimeout(() => this.push(chunk), delay);
				done();
			},
			flush: (done) => void setTimeout(done, delay),
		});
		client.pipe(service).pipe(slowly).pipe(client);
		// The first side to close ends it; the kernel cleans up the rest.
		const end = () => {
			client.destroy();
			service.destroy();
		};
		client.once('close', () => open--);
		for (const side of [client, service]) side.on('error', end).setNoDelay(true);
		client.on('end', end);
		slowly.on('end', end);
	});
	server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
	await once(server, 'listening');
	afterRow(async () => server.close());
	return {
		port: (server.address() as AddressInfo).port,
		takePeak() {
			const seen = peak;
			peak = open;
			return seen;
		},
	};
}
