import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Stack } from '../../n8n/stack.ts';
import { startTemporaryStack } from '../../n8n/temporary-stack.ts';
import { afterRun } from '../clean-up.ts';

/** The n8n that all rows share, with the sandbox, and a folder it may read files from. */
export interface N8n {
	stack: Stack;
	files: string;
}

/** As users have it; other tests let n8n make isolates only where there are expressions. */
const EXPRESSIONS = {
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'false',
	N8N_EXPRESSION_ENGINE_COMPILE_CACHE: 'false',
};

let starting: Promise<N8n> | undefined;

/** Starts with the first row that needs it. */
export async function sharedN8n(): Promise<N8n> {
	return await (starting ??= start());
}

async function start(): Promise<N8n> {
	const files = mkdtempSync(join(tmpdir(), 'files-'));
	const stopped = new AbortController();
	const stack = startTemporaryStack({
		// What a sandbox does on its own, and writes to disk, would distort the measurement.
		sandbox: { folder: null, automatic: false },
		n8nEnv: {
			N8N_RESTRICT_FILE_ACCESS_TO: files,
			TMPDIR: tmpdir(),
			...EXPRESSIONS,
			...profiling(),
		},
		signal: stopped.signal,
	});
	afterRun(async () => {
		stopped.abort();
		await (await stack.catch(() => null))?.close();
	});
	return { stack: await stack, files };
}

/**
 * To see where n8n spends its time: `BENCH_N8N_OPTIONS='--cpu-prof --cpu-prof-dir=/tmp/profiles'`.
 */
function profiling(): Record<string, string> {
	const options = process.env.BENCH_N8N_OPTIONS;
	return options ? { NODE_OPTIONS: options } : {};
}
