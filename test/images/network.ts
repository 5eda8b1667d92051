// A network of its own for containers that know each other by name, without the programs that a bridge
// needs: one container's loopback, which the others join, with all names in its hosts file. What a compose
// file publishes comes out by sockets in a folder.
import { once } from 'node:events';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';

import { until } from '../n8n/poll.ts';
import { BASE } from './base.ts';
import { imageOf } from './images.ts';
import { remove, start } from '../support/podman.ts';

/** Runs in the container: hands connections at sockets on to ports. */
const INSIDE = `
const net = require('node:net');
for (const port of process.argv.slice(1)) {
	net.createServer((outer) => {
		const inner = net.connect(Number(port), '127.0.0.1');
		outer.pipe(inner).pipe(outer);
		for (const [one, other] of [[outer, inner], [inner, outer]]) one.on('error', () => other.destroy());
	}).listen('/sockets/' + port);
}`;

export interface Network {
	/** Argument of \`podman run\` that joins it. */
	args: string[];
	/** The address on this machine's loopback where a port inside is reached, by its port inside. */
	urlOf(port: number): string;
	close(): Promise<void>;
}

/**
 * @param folder for its sockets
 * @param names of all services, which no two may use one port
 * @param ports that are published
 */
export async function startNetwork(
	folder: string,
	names: readonly string[],
	ports: readonly number[],
): Promise<Network> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	const hosts = join(folder, 'hosts');
	const lines = ['localhost', ...names].map((name) => `127.0.0.1 ${name}\n`);
	await writeFile(hosts, lines.join(''));
	const id = await start(
		['--network', 'none', '--volume', `${folder}:/sockets`],
		await imageOf(BASE),
		['node', '-e', INSIDE, ...ports.map(String)],
	);
	const servers: Server[] = [];
	const published = new Map<number, number>();
	for (const port of ports) {
		const path = join(folder, String(port));
		await until(`port ${port} to be published`, () =>
			access(path).then(
				() => true,
				() => false,
			),
		);
		const server = createServer((outer) => {
			const inner = connect(path);
			outer.pipe(inner).pipe(outer);
			outer.on('error', () => inner.destroy());
			inner.on('error', () => outer.destroy());
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		servers.push(server);
		published.set(port, (server.address() as AddressInfo).port);
	}
	return {
		args: ['--network', `container:${id}`, '--volume', `${hosts}:/etc/hosts:ro`],
		urlOf: (port) => `http://localhost:${published.get(port)}`,
		close: async () => {
			for (const server of servers) server.close();
			await remove(id);
		},
	};
}
