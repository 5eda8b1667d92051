// A workspace as it would be published: packed, and unpacked beside what it says it depends on.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../../n8n/folders.ts';
import { copyOnceMade } from '../../n8n/once-made.ts';

const run = promisify(execFile);

interface Manifest {
	name: string;
	version: string;
	bin: Record<string, string>;
	dependencies: Record<string, string>;
}

export interface Installed {
	/** The project that has the package as its dependency. */
	app: string;
	manifest: Manifest;
	tarball: string;
	files: string[];
	/** What its command runs. */
	main: string;
}

const folders: string[] = [];

export async function removeInstalled(): Promise<void> {
	for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}

/** What its `npm pack` reads. */
const sourcesOf = (workspace: string): string[] => [
	...readdirSync(join(root, workspace))
		.filter((name) => name !== 'dist' && name !== 'node_modules')
		.map((name) => join(workspace, name)),
	'package-lock.json',
	'tsconfig.nodenext.json',
];

const pack = (workspace: string) => async (folder: string) => {
	const to = ['--workspace', workspace, '--pack-destination', folder];
	await run('npm', ['pack', ...to], { cwd: root });
};

/** Packs a workspace and puts it into the node_modules of an empty project, with its dependencies only. */
export async function installed(workspace: string): Promise<Installed> {
	const home = await mkdtemp(join(tmpdir(), `registered-delivery-${workspace}-`));
	folders.push(home);
	// Where npx installs: below a folder that begins with a dot.
	const app = join(home, '.npm', '_npx', 'one');
	await mkdir(app, { recursive: true });
	await copyOnceMade({ name: workspace, inputs: sourcesOf(workspace), make: pack(workspace) }, app);
	const [tarball] = await readdir(app);
	await run('tar', ['-xzf', tarball], { cwd: app });
	const manifest = JSON.parse(readFileSync(join(app, 'package/package.json'), 'utf8')) as Manifest;
	const folder = join(app, 'node_modules', manifest.name);
	await mkdir(dirname(folder), { recursive: true });
	await rename(join(app, 'package'), folder);
	for (const name of Object.keys(manifest.dependencies)) {
		const own = join(root, workspace, 'node_modules', name);
		const link = join(app, 'node_modules', name);
		await mkdir(dirname(link), { recursive: true });
		const dependency = existsSync(own) ? own : join(root, 'node_modules', name);
		// Its files are served, so they stand where npx puts them; the others are only loaded.
		const isServed = name === 'lit-html' || name === 'simpledotcss';
		await (isServed ? cp(dependency, link, { recursive: true }) : symlink(dependency, link));
	}
	const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
	const [command] = Object.values(manifest.bin);
	return { app, manifest, tarball: join(app, tarball), files, main: join(folder, command) };
}
