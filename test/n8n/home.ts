import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { N8nApi } from './api.ts';
import { runningFile, startN8n } from './host.ts';
import { copyOnceMade } from './once-made.ts';
import { installPack, PACK_SOURCES, packTarball } from './pack.ts';
import { n8nVersion } from './program.ts';

/**
 * Makes n8n's folder as it is after its first start: with its tables, its owner and the pack. n8n
 * takes fifteen seconds of a processor for them, and every test suite starts an n8n of its own.
 *
 * @param userFolder n8n's N8N_USER_FOLDER
 */
export async function copyHome(userFolder: string): Promise<void> {
	const here = ['package-lock.json', 'api.ts', 'home.ts'].map((name) => `test/n8n/${name}`);
	const version = await n8nVersion();
	const inputs = [...PACK_SOURCES, ...here];
	await copyOnceMade({ name: 'n8n-home', inputs, version, make }, userFolder);
}

async function make(userFolder: string): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'registered-delivery-home-'));
	try {
		await installPack(await packTarball(folder), userFolder);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
	const n8n = await startN8n({ userFolder });
	try {
		await N8nApi.connect(n8n.url);
	} finally {
		await n8n.stop();
	}
	await forgetIdentity(userFolder);
	for (const file of [n8n.logFile, runningFile(userFolder)]) await rm(file);
}

/** Each n8n makes keys and an identity of its own, from which the receiver knows it. */
async function forgetIdentity(userFolder: string): Promise<void> {
	await rm(join(userFolder, '.n8n', 'config'));
	const database = new DatabaseSync(join(userFolder, '.n8n', 'database.sqlite'));
	database.exec('DELETE FROM deployment_key');
	database.close();
}
