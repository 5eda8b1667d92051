// Brings everything a fresh clone lacks: the project's packages, Node 24 among them, and the pinned n8n.
// Runs on the system's Node 20 with nothing installed yet, so it uses Node alone.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { runStep } from './run-step.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where n8n is installed: a dot folder, which build, lint and tests all pass over. */
const hostFolder = join(root, '.local', 'n8n-host');

/** The Node the project runs on, whatever the system's is. */
export const node = join(root, 'node_modules', 'node', 'bin', 'node');

/** The environment for what is run: the project's own Node and tools come first. */
export const environment = {
	...process.env,
	PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
};

export async function install() {
	await once(join(root, 'node_modules'), ['package-lock.json'], (folder) =>
		runStep('Installing packages, Node 24 among them (about a minute)', 'npm', ['ci'], {
			cwd: join(folder, '..'),
		}),
	);
	await once(hostFolder, hostFiles, installHost);
}

const hostFiles = ['package-lock.json', 'package.json', '.npmrc'].map((name) =>
	join('test', 'n8n', name),
);

async function installHost() {
	rmSync(hostFolder, { recursive: true, force: true });
	mkdirSync(hostFolder, { recursive: true });
	for (const file of hostFiles) cpSync(join(root, file), join(hostFolder, file.split('/').at(-1)));
	const options = { cwd: hostFolder };
	await runStep(
		'Installing n8n, once (2 GB, some minutes)',
		'npm',
		['ci', '--ignore-scripts'],
		options,
	);
	// n8n's database driver is the one package that must be fetched built, or built here.
	await runStep('Fetching or building its database driver', 'npm', ['rebuild', 'sqlite3'], {
		...options,
		env: { ...process.env, ...localHeaders() },
	});
}

// Where the driver must be built, it needs Node's headers, which npm would fetch from the network. Those
// of any installed Node will do, since the driver keeps to the stable interface (N-API).
function localHeaders() {
	const prefixes = [join(dirname(process.execPath), '..'), '/usr/local', '/usr'];
	const prefix = prefixes.find((folder) => existsSync(join(folder, 'include/node/node_api.h')));
	return prefix === undefined ? {} : { npm_config_nodedir: prefix };
}

/** Runs `work` unless it has been run for just these files; a run that broke off leaves no stamp. */
async function once(folder, files, work) {
	const stamp = join(folder, '.installed');
	const hash = createHash('sha256');
	for (const file of files) hash.update(readFileSync(join(root, file)));
	const wanted = hash.digest('hex');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
	await work(folder);
	writeFileSync(stamp, wanted);
}
