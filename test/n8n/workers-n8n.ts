import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { N8nApi } from './api.ts';
import { root } from './folders.ts';
import { copyHome } from './home.ts';
import { findN8n, startN8n } from './host.ts';
import { freePort } from './port.ts';
import type { LentN8n } from './stack.ts';

/** Where it notes whom it connects to. */
export const connectionsOf = (userFolder: string) => join(userFolder, 'connections.log');

/** What a few files need and the others do not mind. */
const envFor = (userFolder: string) => ({
	NODE_OPTIONS: `--import ${join(root, 'test', 'n8n', 'note-connections.mjs')}`,
	CONNECTIONS: connectionsOf(userFolder),
	// A log with everything in it is searched for secrets.
	N8N_LOG_LEVEL: 'debug',
	// An n8n killed while it publishes a workflow leaves a lease on it, by default of two minutes: the
	// next one opens the trigger only when that is over.
	N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '30',
	N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '1000',
});

const editor = false;

/**
 * The n8n of this Jest worker, empty but for its owner. It outlasts the test files, and ends with the
 * worker; a file may restart it. One that a file has left dead is replaced.
 *
 * @returns undefined outside of the suites that share, see `workers-n8n-setup.mjs`
 */
export async function takeWorkersN8n(): Promise<LentN8n | undefined> {
	const { N8N_OF_WORKERS: folder, JEST_WORKER_ID: worker = '1' } = process.env;
	if (folder === undefined) return undefined;
	const userFolder = join(folder, worker);
	const env = envFor(userFolder);
	const running = await findN8n(userFolder);
	if (running !== null) {
		await (await N8nApi.connect(running.url)).removeAll();
		const port = Number(new URL(running.url).port);
		return { running, options: { userFolder, port, env, editor } };
	}
	await rm(userFolder, { recursive: true, force: true });
	await copyHome(userFolder);
	const options = { userFolder, port: await freePort(), env, editor };
	return { running: await startN8n(options), options };
}
