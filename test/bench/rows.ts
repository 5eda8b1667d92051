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
	{ name: 'consumers' },
	{ name: 'held-pulls' },
	{ name: 'scale-out' },
	{ name: 'backlog' },
	{ name: 'letters-same', n8n: true },
	{ name: 'letters-personal', n8n: true },
	{ name: 'upload', n8n: true },
	{ name: 'evidence', n8n: true },
	{ name: 'pack' },
	{ name: 'sandbox' },
];

export const ROW_NAMES = ROWS.map(({ name }) => name);

export const NEEDS_N8N: ReadonlySet<string> = new Set(
	ROWS.filter(({ n8n }) => n8n).map(({ name }) => name),
);

/** Those without n8n come first: once it runs, it is a neighbour to everything that follows. */
export const RUN_ORDER = [
	...ROW_NAMES.filter((name) => !NEEDS_N8N.has(name)),
	...ROW_NAMES.filter((name) => NEEDS_N8N.has(name)),
];

export async function loadRow(name: string): Promise<Benchmark> {
	const file = new URL(`./rows/${name}.ts`, import.meta.url);
	if (!existsSync(file)) throw new Error(`rows/${name}.ts is missing`);
	const { benchmark } = (await import(file.href)) as { benchmark: Benchmark };
	return benchmark;
}
