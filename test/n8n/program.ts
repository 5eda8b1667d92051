// Where n8n comes from, and how its commands are run: from a folder under .local where npm has installed it, or in
// containers of the image that N8N_IMAGE names. Nothing else in the tests and the demonstration knows.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { filesOf, imageOf, NODE } from '../images/images.ts';
import { podman, podmanCommand, runArguments } from '../support/podman.ts';
import { localFolder, pinnedN8n, root } from './folders.ts';

const here = join(root, 'test', 'n8n');

const IMAGE = process.env.N8N_IMAGE ?? '';

/** A command of n8n's, such as `start`. */
export interface N8nCommand {
	command: string;
	/** The folder that it has, at the same path wherever it runs. */
	userFolder: string;
	env: Record<string, string>;
	/** Descriptor of the file that its output goes to. */
	output: number;
	/** Which n8n, by its folder under `.local`; otherwise that of `N8N_IMAGE`, or the pinned one. */
	installation?: string;
}

/** Its process, which ends with this one, however that one ends. */
export interface N8nProcess {
	child: ChildProcess;
	/** Of n8n itself, which leads a process group: a signal to the group ends it. Known once n8n is ready. */
	pid(): Promise<number>;
}

export async function runN8n(run: N8nCommand): Promise<N8nProcess> {
	const isInImage = run.installation === undefined && IMAGE !== '';
	return isInImage ? await runInContainer(run) : runInstalled(run);
}

/** The version that `runN8n` runs. */
export async function n8nVersion(installation?: string): Promise<string> {
	if (installation === undefined && IMAGE !== '') {
		const image = await imageOf(IMAGE);
		return await podman(...runArguments(['--rm', ...filesOf(image)]), image, '--version');
	}
	const file = join(packageOf(installation), 'package.json');
	return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
}

const packageOf = (installation?: string) =>
	join(installation ? join(localFolder, installation) : pinnedN8n, 'node_modules', 'n8n');

function runInstalled({ command, userFolder, env, output, installation }: N8nCommand): N8nProcess {
	const preload = ['--require', join(here, 'with-parent.cjs')];
	const program = join(packageOf(installation), 'bin', 'n8n');
	const child = spawn(process.execPath, [...preload, program, command], {
		...options(userFolder),
		stdio: ['ignore', output, output],
		env: {
			PATH: process.env.PATH,
			NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
			STARTED_BY: String(process.pid),
			...env,
		},
	});
	return { child, pid: async () => child.pid as number };
}

async function runInContainer({
	command,
	userFolder,
	env,
	output,
}: N8nCommand): Promise<N8nProcess> {
	const image = await imageOf(IMAGE);
	await promisify(execFile)('chown', ['-R', `${NODE}:${NODE}`, userFolder]);
	const name = `n8n-${env.N8N_PORT}`;
	const args = runArguments([
		'--rm',
		'--replace',
		'--name',
		name,
		'--log-driver',
		'none',
		'--volume',
		`${userFolder}:${userFolder}`,
		// What NODE_OPTIONS may preload.
		'--volume',
		`${here}:${here}:ro`,
		...filesOf(image),
		...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
	]);
	const withParent = join(root, 'scripts', 'with-parent.mjs');
	const child = spawn(
		process.execPath,
		[withParent, 'SIGTERM', ...podmanCommand(...args, image, command)],
		{ ...options(userFolder), stdio: ['pipe', output, output] },
	);
	(child.stdin as Socket).unref();
	return { child, pid: () => pidInContainer(name) };
}

/** n8n's image starts it by tini, whose only child it is, in a group of its own. */
async function pidInContainer(name: string): Promise<number> {
	const first = await podman('inspect', '--format', '{{.State.Pid}}', name);
	const program = await readFile(`/proc/${first}/comm`, 'utf8');
	if (program.trim() !== 'tini') return Number(first);
	return Number(await readFile(`/proc/${first}/task/${first}/children`, 'utf8'));
}

/** A process group of its own: Ctrl-C in the terminal reaches only us, and we stop n8n cleanly. */
const options = (cwd: string) => ({ cwd, detached: true });
