import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

import { N8nApi } from './api.ts';
import { type N8nHost, startN8n } from './host.ts';
import type { Stack } from './stack.ts';

/** An n8n beside that of the stack, on a database of its own. */
export interface SecondN8n {
	host: N8nHost;
	api: N8nApi;
	/** Its SQLite file. */
	database: string;
}

/**
 * Starts it with the stack's pack. As a copy it has all that the stack's n8n has at this moment, its
 * identity included, as from a backup; else it is as new.
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
		const source = new DatabaseSync(stack.n8nDatabase, { readOnly: true });
		await backup(source, database);
		source.close();
	}
	const host = await startN8n({ userFolder });
	return { host, api: await N8nApi.connect(host.url), database };
}
