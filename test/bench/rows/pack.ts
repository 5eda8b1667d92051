import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../../n8n/folders.ts';
import { packTarball } from '../../n8n/pack.ts';
import { defineRow } from '../row.ts';

const run = promisify(execFile);

/** A vendor's own pack, widely used and without runtime dependencies, for comparison. */
const MODEL = '@mendable/n8n-nodes-firecrawl';

const LOADER = join(root, 'test/bench/parts/load-pack.ts');

export const pack = defineRow({
	name: 'pack',
	peer: `${MODEL} 2.1.2`,
	lines: {
		'pack/load': {
			what: 'load time of all nodes and credentials in a fresh process',
			unit: 'ms',
			goal: 'ours',
			must: 14,
			aim: 10,
			note: 'Each file required and its class made, as n8n does at its start; n8n-workflow is loaded before.',
		},
		'pack/size': {
			what: 'unpacked size',
			unit: 'kB',
			goal: 'ours',
			must: 240,
			aim: 200,
		},
	},
	rounds: 15,

	async start() {
		const work = mkdtempSync(join(tmpdir(), 'pack-'));
		await run('tar', ['-xzf', await packTarball(work), '-C', work]);
		// Where to find n8n-workflow, which n8n provides and an unpacked pack lacks.
		const env = { ...process.env, NODE_PATH: join(root, 'node_modules') };
		const measured = (folder: string) => async () => ({
			'pack/load': Number((await run(process.execPath, [LOADER, folder], { env })).stdout),
			'pack/size': (await bytesIn(folder)) / 1000,
		});
		return {
			ours: measured(join(work, 'package')),
			theirs: measured(join(root, 'node_modules', MODEL)),
		};
	},
});

/** What npm calls the unpacked size: the bytes of all files. */
async function bytesIn(folder: string): Promise<number> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	const sizes = await Promise.all(
		files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
	);
	return sizes.reduce((sum, size) => sum + size, 0);
}
