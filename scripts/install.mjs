// Installs everything a fresh clone lacks: the project's packages, including Node 24, and the
// pinned n8n. Runs on the system's Node 20 before anything is installed, so it uses only Node
// itself.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isUsed, use, whileInstalling } from './in-use.mjs';
import { unpackPrograms } from './programs.mjs';
import { runStep } from './run-step.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The Node the project runs on, whatever the system has. */
export const node = join(root, 'node_modules', 'node', 'bin', 'node');

/** The environment for child processes: the project's own Node and tools come first. */
export const environment = {
	...process.env,
	PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
};

/** Has npm run install scripts, also where the user's npm runs none. */
const SCRIPTS = '--ignore-scripts=false';

const N8N = 'Installing n8n, once (2 GB, a few minutes)';

export async function install() {
	await installProject();
	await alone(() => installInto('n8n-host', 'n8n', N8N, fetchDriver));
}

/** Installs only the project's packages, n8n's engine among them. */
export async function installProject() {
	assertSystem();
	await alone(installPackages);
}

/** Installs the complete oldest n8n the pack supports: what sleeps there wakes on the newest. */
export const installBefore = () =>
	alone(() => installInto('n8n-before', 'upgrade', N8N, fetchDriver));

/** Installs the engine of the oldest n8n the pack supports. */
export async function installOldest() {
	const title = 'Installing the engine of the oldest n8n, once (450 MB)';
	await alone(() => installInto('n8n-oldest', 'oldest-n8n', title));
}

/** Where the mutation tester is installed; its peers conflict with the project's own packages. */
export const mutationFolder = join(root, '.local', 'mutation');

/** Installs what the mutation tests need: the project's packages and the tester, but no n8n. */
export async function installMutation() {
	await alone(async () => {
		await installPackages();
		await installInto('mutation', 'mutation', 'Installing the mutation tester');
	});
}

/** Unpacks what the tests run of other people's programs. */
export const installPrograms = () => alone(() => unpackPrograms(join(root, '.local')));

/** Waits for an installation. If it fails, says why and ends this process. */
export async function orExit(installing) {
	try {
		await installing;
	} catch (error) {
		console.error(`\n✗ ${error.message}`);
		process.exit(1);
	}
}

/** The programs that come from npm, such as Node 24, are built for few systems. */
function assertSystem() {
	const { platform, arch, report } = process;
	const isMusl = platform === 'linux' && !report.getReport().header.glibcVersionRuntime;
	if (platform !== 'linux' || (arch === 'x64' && !isMusl)) return;
	throw new Error(
		`This needs Linux on x64 with glibc, such as Debian or Ubuntu, and here is Linux on ${arch}${isMusl ? ' with musl' : ''}: start it in containers instead, with "docker compose -f demo/compose.yaml up --build".`,
	);
}

/** Installs while no other process does. What it leaves is in use by this process from then on. */
async function alone(work) {
	await whileInstalling(root, async () => {
		await work();
		await use(root);
	});
}

async function installPackages() {
	const title = 'Installing packages, Node 24 among them (about a minute)';
	// Node 24 itself comes by a script.
	await once(join(root, 'node_modules'), ['package-lock.json'], () => npmCi(title, root, SCRIPTS));
}

/** All of it, whatever the user's npm leaves out, as with NODE_ENV=production. */
async function npmCi(title, cwd, scripts) {
	await runStep(title, 'npm', ['ci', '--include=dev', '--include=optional', scripts], { cwd });
}

/** Installs, once, what a folder of `test` asks for, into one of `.local`, which build, lint and tests ignore. */
async function installInto(name, asking, title, more = () => {}) {
	const folder = join(root, '.local', name);
	const files = ['package-lock.json', 'package.json', '.npmrc'];
	const sources = files.map((file) => join('test', asking, file));
	await once(folder, sources, async () => {
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(folder, { recursive: true });
		for (const file of files) cpSync(join(root, 'test', asking, file), join(folder, file));
		await npmCi(title, folder, '--ignore-scripts');
		await more(folder);
	});
}

/** n8n's database driver is the only package that must be downloaded prebuilt or compiled here. */
async function fetchDriver(cwd) {
	const title = 'Fetching or building its database driver';
	const env = { ...process.env, ...localHeaders() };
	await runStep(title, 'npm', ['rebuild', SCRIPTS, 'sqlite3'], { cwd, env });
}

// Compiling the driver needs Node's headers, which npm would download. Those of any installed Node
// will do, since the driver sticks to the stable interface (N-API).
function localHeaders() {
	const prefixes = [join(dirname(process.execPath), '..'), '/usr/local', '/usr'];
	const prefix = prefixes.find((folder) => existsSync(join(folder, 'include/node/node_api.h')));
	return prefix === undefined ? {} : { npm_config_nodedir: prefix };
}

/**
 * Runs `work` unless it already ran for exactly these files; an aborted run leaves no stamp.
 *
 * @throws Error if another process uses what it would replace
 */
async function once(folder, files, work) {
	const stamp = join(folder, '.installed');
	const hash = createHash('sha256');
	for (const file of files) hash.update(readFileSync(join(root, file)));
	const wanted = hash.digest('hex');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
	if (existsSync(stamp) && isUsed(root)) {
		throw new Error(
			'Other packages have to be installed, but something that was started here still uses ' +
				'the present ones. Stop it first (Ctrl-C).',
		);
	}
	rmSync(stamp, { force: true });
	await work();
	writeFileSync(stamp, wanted);
}
