// Where n8n keeps its work: in one process with a SQLite file, or in queue mode, with workers that
// share PostgreSQL and Redis with it and nothing else.
import { readFile } from 'node:fs/promises';
import { query } from '../contract/receiver/postgres-server.ts';
import { readExecutions, type StoredExecution } from '../n8n/executions.ts';
import type { N8nHost } from '../n8n/host.ts';
import type { Stack } from '../n8n/stack.ts';
import { startQueueBackend } from '../real-n8n/queue.ts';

/** What is told of n8n's database, however it is kept. */
export interface N8nStore {
	/** For n8n. */
	env: Record<string, string>;
	executions(stack: Stack, workflowId: string): Promise<StoredExecution[]>;
	/** Everything in it, as text, by where it is. */
	texts(stack: Stack): Promise<Map<string, string>>;
	/** Workers to run beside the main process, which must be up; an address is needed to wake through. */
	startWorker: ((stack: Stack) => Promise<N8nHost>) | null;
	close(): Promise<void>;
}

export const sqliteStore = (env: Record<string, string>): N8nStore => ({
	env,
	executions: async (stack, workflowId) => readExecutions(stack.n8nDatabase, workflowId),
	texts: (stack) => textsOf([stack.n8nDatabase, `${stack.n8nDatabase}-wal`]),
	startWorker: null,
	close: async () => undefined,
});

/** @param limit how many executions each worker runs at once; -1 for n8n's own choice */
export async function queueStore(env: Record<string, string>, limit: number): Promise<N8nStore> {
	const backend = await startQueueBackend();
	const ofWorkers = { ...env, N8N_CONCURRENCY_PRODUCTION_LIMIT: String(limit) };
	return {
		...backend,
		env: { ...env, ...backend.env },
		startWorker: (stack) => backend.startWorker(stack, ofWorkers),
		executions: (_stack, workflowId) => backend.executions(workflowId),
		texts: () => rowsOf(backend.database),
	};
}

/** One byte a character, whatever is in them: secrets are ASCII. Those that are not there are left out. */
export async function textsOf(files: readonly string[]): Promise<Map<string, string>> {
	const texts = new Map<string, string>();
	for (const file of files) {
		const text = await readFile(file, 'latin1').catch(() => null);
		if (text !== null) texts.set(file, text);
	}
	return texts;
}

/** All rows of a PostgreSQL database, by table. */
export async function rowsOf(database: string): Promise<Map<string, string>> {
	const tables = await query(
		database,
		`SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
		WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
	);
	const texts = new Map<string, string>();
	for (const { name } of tables) {
		const rows = await query(database, `SELECT t::text AS row FROM ${String(name)} t`);
		texts.set(`table ${String(name)}`, rows.map(({ row }) => String(row)).join('\n'));
	}
	return texts;
}
