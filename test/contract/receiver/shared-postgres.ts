import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Databases, query, startPostgres } from './postgres-server.ts';

/**
 * The PostgreSQL of this Jest worker, which its test files share one after the other: to make one takes
 * seconds of a processor. What kills it, or sets it up its own way, starts its own. Files side by side
 * can't share one: nobody may read past a transaction that is open in any of its databases.
 */
export async function sharedPostgres(): Promise<Databases> {
	const server = await serverOfWorker();
	const names: string[] = [];
	return {
		async freshDatabase() {
			const name = `receiver_${randomUUID().replaceAll('-', '')}`;
			names.push(name);
			await query(server, `CREATE DATABASE ${name}`);
			return new URL(name, server).href;
		},
		async stop() {
			for (const name of names) await query(server, `DROP DATABASE ${name} WITH (FORCE)`);
		},
	};
}

/** Its address. Modules are loaded anew for each test file, so a file tells the next. */
async function serverOfWorker(): Promise<string> {
	const file = join(tmpdir(), `postgres-of-worker-${process.pid}`);
	const known = await readFile(file, 'utf8').catch(() => null);
	if (known !== null && (await isUp(known))) return known;
	const server = await startPostgres();
	server.unref();
	await writeFile(file, server.url);
	return server.url;
}

async function isUp(server: string): Promise<boolean> {
	return await query(server, 'SELECT 1').then(
		() => true,
		() => false,
	);
}
