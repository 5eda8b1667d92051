import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';

/** The n8n that all rows share, with the sandbox beside it, and a folder it may read files from. */
export interface N8nStack {
	stack: Stack;
	/** Files that workflows may read. */
	files: string;
	/** n8n's own database, for looking at executions without asking n8n. */
	database: string;
}

let starting: Promise<N8nStack> | null = null;

/** Starts it with the first row that asks. */
export async function n8nStack(): Promise<N8nStack> {
	return await (starting ??= start());
}

/** Ends it, if a row has started it. */
export async function closeStack(): Promise<void> {
	const started = await starting?.catch(() => null);
	starting = null;
	await started?.stack.close();
	if (started) await rm(started.files, { recursive: true, force: true });
}

async function start(): Promise<N8nStack> {
	const files = await mkdtemp(join(tmpdir(), 'registered-delivery-bench-'));
	try {
		const stack = await startTemporaryStack({
			// What a sandbox does by itself, and keeps on disk, would be measured with the rest.
			sandbox: { folder: null, automatic: false },
			n8nEnv: { N8N_RESTRICT_FILE_ACCESS_TO: files, ...profiling() },
		});
		const database = join(dirname(stack.n8n.logFile), '.n8n', 'database.sqlite');
		return { stack, files, database };
	} catch (error) {
		await rm(files, { recursive: true, force: true });
		throw error;
	}
}

/** To see where n8n's time goes: `BENCH_N8N_OPTIONS='--cpu-prof --cpu-prof-dir=/tmp/profiles'`. */
function profiling(): Record<string, string> {
	const options = process.env.BENCH_N8N_OPTIONS;
	return options ? { NODE_OPTIONS: options } : {};
}
