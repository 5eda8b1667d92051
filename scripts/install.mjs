// Installs everything a fresh clone lacks: the project's packages, including Node 24, and the
// pinned n8n. Runs on the system's Node 20 before anything is installed, so it uses only Node
// itself.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { runStep } from './run-step.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where n8n is installed: a dot folder, ignored by build, lint and tests. */
const hostFolder = join(root, '.local', 'n8n-host');

/** The Node the project runs on, whatever the system has. */
export const node = join(root, 'node_modules', 'node', 'bin', 'node');

/** The environment for child processes: the project's own Node and tools come first. */
export const environment = {
	...process.env,
	PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
};

/** Where the mutation tester is installed; its peers conflict with the project's own packages. */
export const mutationFolder = join(root, '.local', 'mutation');

export async function install() {
	await installPackages();
	await once(hostFolder, filesIn('n8n'), async () => await installHost('n8n', hostFolder));
}

/** Installs the complete oldest n8n the pack supports: what sleeps there wakes on the newest. */
export async function installBefore() {
	const folder = join(root, '.local', 'n8n-before');
	await once(folder, filesIn('upgrade'), async () => await installHost('upgrade', folder));
}

/** Installs what the mutation tests need: the project's packages and the tester, but no n8n. */
export async function installMutation() {
	await installPackages();
	await once(mutationFolder, filesIn('mutation'), async () => {
		copyFresh(filesIn('mutation'), mutationFolder);
		await runStep('Installing the mutation tester', 'npm', ['ci', '--ignore-scripts'], {
			cwd: mutationFolder,
		});
	});
}

/** Installs the engine of the oldest n8n the pack supports. */
export async function installOldest() {
	const folder = join(root, '.local', 'n8n-oldest');
	await once(folder, filesIn('oldest-n8n'), async () => {
		copyFresh(filesIn('oldest-n8n'), folder);
		const title = 'Installing the engine of the oldest n8n, once (450 MB)';
		await runStep(title, 'npm', ['ci', '--ignore-scripts'], { cwd: folder });
	});
}

async function installPackages() {
	await once(join(root, 'node_modules'), ['package-lock.json'], (folder) =>
		runStep('Installing packages, Node 24 among them (about a minute)', 'npm', ['ci'], {
			cwd: join(folder, '..'),
		}),
	);
}

function filesIn(folder) {
	return ['package-lock.json', 'package.json', '.npmrc'].map((name) => join('test', folder, name));
}

function copyFresh(files, folder) {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	for (const file of files) cpSync(join(root, file), join(folder, file.split('/').at(-1)));
}

async function installHost(name, folder) {
	copyFresh(filesIn(name), folder);
	const options = { cwd: folder };
	await runStep(
		'Installing n8n, once (2 GB, a few minutes)',
		'npm',
		['ci', '--ignore-scripts'],
		options,
	);
	// n8n's database driver is the only package that must be downloaded prebuilt or compiled here.
	await runStep('Fetching or building its database driver', 'npm', ['rebuild', 'sqlite3'], {
		...options,
		env: { ...process.env, ...localHeaders() },
	});
}

// Compiling the driver needs Node's headers, which npm would download. Those of any installed Node
// will do, since the driver sticks to the stable interface (N-API).
function localHeaders() {
	const prefixes = [join(dirname(process.execPath), '..'), '/usr/local', '/usr'];
	const prefix = prefixes.find((folder) => existsSync(join(folder, 'include/node/node_api.h')));
	return prefix === undefined ? {} : { npm_config_nodedir: prefix };
}

/** Runs `work` unless it already ran for exactly these files; an aborted run leaves no stamp. */
async function once(folder, files, work) {
	const stamp = join(folder, '.installed');
	const hash = createHash('sha256');
	for (const file of files) hash.update(readFileSync(join(root, file)));
	const wanted = hash.digest('hex');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
	await work(folder);
	writeFileSync(stamp, wanted);
}
