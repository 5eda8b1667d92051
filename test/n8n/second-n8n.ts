import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

import { N8nApi } from './api.ts';
import { type N8nHost, startN8n } from './host.ts';
import { until } from './poll.ts';
import type { Stack } from './stack.ts';

/** An n8n beside the stack's, with its own database. */
export interface SecondN8n {
	host: N8nHost;
	api: N8nApi;
	/** Its SQLite file. */
	database: string;
}

/**
 * Starts it with the stack's pack. A copy has everything the stack's n8n has at this moment, its
 * identity included, as if restored from a backup; otherwise it starts empty.
 */
export async function startSecondN8n(
	stack: Stack,
	{ name, isCopy }: { name: string; isCopy: boolean },
): Promise<SecondN8n> {
	const userFolder = join(stack.folder, name);
	const from = dirname(stack.n8nDatabase);
	const to = join(userFolder, '.n8n');
	const database = join(to, 'database.sqlite');
	await mkdir(to, { recursive: true });
	await cp(join(from, 'nodes'), join(to, 'nodes'), { recursive: true });
	if (isCopy) {
		await cp(join(from, 'config'), join(to, 'config'));
		const source = new DatabaseSync(stack.n8nDatabase, { readOnly: true, timeout: 10_000 });
		await until('n8n to finish what it publishes', async () => isPublished(source));
		await backup(source, database);
		source.close();
	}
	const host = await startN8n({ userFolder, editor: false });
	return { host, api: await N8nApi.connect(host.url), database };
}

/**
 * A copy taken earlier would publish the rest itself, once the lease on it is over, and n8n does
 * not try again where publishing is refused.
 */
function isPublished(database: DatabaseSync): boolean {
	const active = database.prepare(
		"SELECT 1 FROM workflow_publication_outbox WHERE status IN ('pending', 'in_progress')",
	);
	return active.get() === undefined;
}
