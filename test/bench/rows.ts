import { existsSync } from 'node:fs';
import type { Benchmark } from './benchmark.ts';

/** Every row, in the order of the table, and whether it needs n8n. */
const ROWS: ReadonlyArray<{ name: string; n8n?: true }> = [
	{ name: 'ingest-embedded' },
	{ name: 'ingest-postgres' },
	{ name: 'ingest-p99' },
	{ name: 'ingest-n8n', n8n: true },
	{ name: 'group-commit' },
	{ name: 'into-workflows', n8n: true },
	{ name: 'latency', n8n: true },
	{ name: 'outbound' },
	{ name: 'backlog' },
	{ name: 'letters-same', n8n: true },
	{ name: 'letters-personal', n8n: true },
	{ name: 'upload', n8n: true },
	{ name: 'evidence', n8n: true },
	{ name: 'pack' },
	{ name: 'sandbox' },
];

export const ROW_NAMES = ROWS.map(({ name }) => name);

/** Those without n8n come first: once it runs, it is a neighbour to everything that follows. */
export const RUN_ORDER = [...ROWS]
	.sort((left, right) => Number(left.n8n ?? false) - Number(right.n8n ?? false))
	.map(({ name }) => name);

export async function loadRow(name: string): Promise<Benchmark> {
	const file = new URL(`./rows/${name}.ts`, import.meta.url);
	if (!existsSync(file)) throw new Error(`rows/${name}.ts is missing`);
	const { benchmark } = (await import(file.href)) as { benchmark: Benchmark };
	return benchmark;
}
