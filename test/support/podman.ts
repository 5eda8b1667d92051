// Containers without a daemon, by Debian's podman, in a storage of their own.
import { execFile, spawnSync } from 'node:child_process';
import { accessSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { root } from '../n8n/folders.ts';
import { findProgram } from './programs.ts';

const run = promisify(execFile);

const PROGRAMS = ['podman', 'buildah', 'runc', 'mmdebstrap'];

/** Podman's own are too large for a container of a container; n8n opens over 1,024 files at its start. */
const LIMITS = ['--ulimit', 'nofile=8192:8192', '--ulimit', 'nproc=4096:4096'];

/** Where linters and formatters never look. */
export const storage = join(root, 'node_modules', '.cache', 'images');
const GLOBAL = [
	'--root',
	join(storage, 'root'),
	'--runroot',
	join(storage, 'run'),
	'--runtime',
	'/usr/sbin/runc',
	'--cgroup-manager',
	'cgroupfs',
	'--events-backend',
	'file',
];

/** The command line of podman, in that storage. */
export const podmanCommand = (...args: string[]): string[] => ['podman', ...GLOBAL, ...args];

/** The arguments to run a container, on this machine's network unless told otherwise. */
export function runArguments(args: readonly string[]): string[] {
	const network = args.includes('--network') ? [] : ['--network=host'];
	return ['run', ...network, ...LIMITS, ...args];
}

/** Why there are no containers here, or null if there are. */
export function whyNoContainers(): string | null {
	const missing = PROGRAMS.filter((program) => findProgram(program) === null);
	if (missing.length > 0) return `${missing.join(', ')} are not installed`;
	return process.getuid?.() === 0 ? null : 'podman needs root here';
}

/** Why no port of a container can be published here, or null if it can. */
export function whyNoPublishedPorts(): string | null {
	const reason = whyNoContainers();
	if (reason !== null) return reason;
	const bridge = ['netavark', 'aardvark-dns'].filter(
		(program) => !isReadable(join('/usr/lib/podman', program)),
	);
	if (bridge.length > 0) return `${bridge.join(', ')} are not installed`;
	return findProgram('iptables') === null ? 'iptables is not installed' : null;
}

/** A containers.conf for it: a client of Docker's API names no limits. */
export const serviceSettings = `[containers]
default_ulimits = ["nofile=8192:8192", "nproc=4096:4096"]
[network]
network_backend = "netavark"
`;

/** The command that offers Docker's API on a socket, over the same storage. */
export const serviceCommand = (socket: string): string[] =>
	podmanCommand('system', 'service', '--time', '0', `unix://${socket}`);

/** Returns what podman prints. */
export async function podman(...args: string[]): Promise<string> {
	const { stdout } = await run('podman', [...GLOBAL, ...args], { maxBuffer: 2 ** 26 });
	return stdout.trim();
}

/** Everything that a container said, on either stream. */
export async function logs(id: string): Promise<string> {
	const { stdout, stderr } = await run('podman', [...GLOBAL, 'logs', id], { maxBuffer: 2 ** 26 });
	return stdout + stderr;
}

export async function hasImage(name: string): Promise<boolean> {
	return await podman('image', 'exists', name).then(
		() => true,
		() => false,
	);
}

/** Builds an image from a folder. npm in it uses this machine's settings and authorities. */
export async function build(file: string, context: string, tag: string): Promise<void> {
	const settings = npmSetting('userconfig');
	const authorities = process.env.NODE_EXTRA_CA_CERTS;
	await podman(
		// The format that knows health checks.
		'build',
		'--format=docker',
		'--isolation=chroot',
		'--network=host',
		'--tag',
		tag,
		'--file',
		file,
		...(isReadable(settings) ? ['--volume', `${settings}:/root/.npmrc:ro`] : []),
		...(authorities ? ['--volume', `${authorities}:${authorities}:ro`] : []),
		...(authorities ? ['--env', `NODE_EXTRA_CA_CERTS=${authorities}`] : []),
		context,
	);
}

/** Starts a container as {@link runArguments} says, and returns its id. */
export async function start(
	args: readonly string[],
	image: string,
	command: readonly string[] = [],
) {
	return await podman(...runArguments(['--detach', ...args]), image, ...command);
}

/** As an orchestrator does: SIGTERM, and SIGKILL after the grace. Returns the exit code. */
export async function stop(id: string, graceSeconds: number): Promise<number> {
	await podman('stop', '--time', String(graceSeconds), id);
	return Number(await podman('inspect', '--format', '{{.State.ExitCode}}', id));
}

export async function remove(id: string): Promise<void> {
	await podman('rm', '--force', '--time', '0', id);
}

function npmSetting(name: string): string {
	return spawnSync('npm', ['config', 'get', name], { encoding: 'utf8' }).stdout.trim();
}

function isReadable(path: string): boolean {
	try {
		accessSync(path);
		return true;
	} catch {
		return false;
	}
}
