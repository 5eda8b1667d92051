// A real Redis for tests, if the machine has one (Debian: redis-server).
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { until } from '../n8n/poll.ts';
import { freePort } from '../n8n/port.ts';
import { spawnKept } from './kept.ts';
import { findProgram } from './programs.ts';

export interface RedisServer {
	port: number;
	stop(): Promise<void>;
}

/** Path of the program, or null if it is not installed. */
export const findRedis = (): string | null => findProgram('redis-server');

export async function startRedis(program: string): Promise<RedisServer> {
	const folder = await mkdtemp(join(tmpdir(), 'redis-'));
	const port = await freePort();
	const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
	const server = spawnKept('SIGTERM', program, settings, folder);
	const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
	await until('Redis to answer', () => answers(port));
	return {
		port,
		async stop() {
			server.kill();
			await gone;
			await rm(folder, { recursive: true, force: true });
		},
	};
}

function answers(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
		const end = (answer: boolean) => {
			socket.destroy();
			resolve(answer);
		};
		socket.once('data', (data) => end(data.toString().startsWith('+PONG')));
		socket.once('error', () => end(false));
	});
}
