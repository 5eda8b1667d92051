import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { alone } from './alone.ts';

const run = promisify(execFile);

/** The repository's root: every project command runs from there. */
export const root = process.cwd();

/** Files in neither the repository nor the tarball: installations, databases, logs. */
export const localFolder = join(root, '.local');

/**
 * Builds and packs the pack, as publishing would.
 *
 * @param folder where the tarball goes; test suites that run side by side each use their own
 * @returns the tarball's path
 */
export async function packTarball(folder = localFolder): Promise<string> {
	await mkdir(folder, { recursive: true });
	// There is only one `dist`, and the build empties it first.
	return await alone(join(localFolder, 'pack.lock'), async () => {
		await build();
		const { stdout } = await run(
			'npm',
			['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
			{ cwd: root },
		);
		return join(folder, packedName(stdout));
	});
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

// npm 11 returns a list of packages, npm 12 an object keyed by name.
function packedName(json: string): string {
	const answer = JSON.parse(json) as Record<string, { filename: string }>;
	const [packed] = Object.values(answer);
	return packed.filename;
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
