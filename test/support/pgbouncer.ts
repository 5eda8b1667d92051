// A real PgBouncer in front of a PostgreSQL, if the machine has one (Debian: pgbouncer).
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { until } from '../n8n/poll.ts';
import { freePort } from '../n8n/port.ts';
import { spawnKept } from './kept.ts';
import { findProgram } from './programs.ts';

/** Path of the program, or null if it is not installed. */
export const findPgBouncer = (): string | null => findProgram('pgbouncer');

/**
 * @param url of the server; its user needs no password
 * @returns the same URL by way of the pooler, and what stops it
 */
export async function startPgBouncer(program: string, url: string, settings: object) {
	const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
	const listen_port = await freePort();
	const { hostname, port } = new URL(url);
	const all = {
		listen_addr: '127.0.0.1',
		listen_port,
		unix_socket_dir: '',
		auth_type: 'any',
		...settings,
	};
	const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`);
	const file = join(folder, 'pgbouncer.ini');
	const databases = `[databases]\n* = host=${hostname} port=${port} user=postgres\n`;
	writeFileSync(file, `${databases}[pgbouncer]\n${lines.join('\n')}\n`);
	// It refuses to run as root.
	const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
	if (nobody.uid !== undefined) chownSync(folder, nobody.uid, nobody.gid);
	const server = spawnKept('SIGINT', program, ['-q', file], folder, nobody);
	const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
	await until('PgBouncer to listen', () => listens(listen_port));
	const pooled = new URL(url);
	pooled.port = String(listen_port);
	return {
		url: pooled.href,
		async stop() {
			server.kill();
			await gone;
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

function listens(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1', () => {
			socket.destroy();
			resolve(true);
		});
		socket.once('error', () => resolve(false));
	});
}
