import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { localFolder, root } from './folders.ts';
import { copyOnceMade } from './once-made.ts';

const run = promisify(execFile);

/** What `npm run build` and `npm pack` read. */
export const PACK_SOURCES = [
	'nodes',
	'credentials',
	'icons',
	'webhook-receiver/src/core',
	'package.json',
	'package-lock.json',
	'tsconfig.json',
	'rolldown.config.mjs',
	'README.md',
	'LICENSE',
];

/**
 * Builds and packs the pack, as publishing would, unless that was done for the same sources.
 *
 * @param folder where the tarball goes; test suites that run side by side each use their own
 * @returns the tarball's path
 */
export async function packTarball(folder = localFolder): Promise<string> {
	await copyOnceMade({ name: 'pack', inputs: PACK_SOURCES, make: buildAndPack }, folder);
	const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
		name: string;
		version: string;
	};
	return join(folder, `${name}-${version}.tgz`);
}

async function buildAndPack(folder: string): Promise<void> {
	await build();
	await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
}

// The compiler reports source errors in the output, not in the error.
async function build(): Promise<void> {
	try {
		await run('npm', ['run', 'build'], { cwd: root });
	} catch (error) {
		throw new Error(`The build failed.\n${(error as { stdout?: string }).stdout ?? ''}`, {
			cause: error,
		});
	}
}

/**
 * Installs the tarball as n8n installs a community package, without the network.
 *
 * @param userFolder n8n's N8N_USER_FOLDER
 */
export async function installPack(tarball: string, userFolder: string): Promise<void> {
	const folder = join(userFolder, '.n8n', 'nodes');
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await writeFile(
		join(folder, 'package.json'),
		JSON.stringify({ name: 'installed-nodes', private: true, dependencies: {} }),
	);
	await run(
		'npm',
		['install', '--legacy-peer-deps', '--ignore-scripts', '--offline', '--no-audit', tarball],
		{ cwd: folder },
	);
}
