import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { until } from './poll.ts';
import { freePort } from './port.ts';
import { runN8n } from './program.ts';

/** A running n8n. */
export interface N8nHost {
	/** For browser and API, without a trailing slash. */
	url: string;
	pid: number;
	/** Its N8N_USER_FOLDER. */
	userFolder: string;
	/** Where its nodes may write. */
	filesFolder: string;
	logFile: string;
	/** Stops n8n and waits until it has exited. */
	stop(): Promise<void>;
	/** Kills it with SIGKILL and waits until it has exited. */
	kill(): Promise<void>;
}

export interface HostOptions {
	/** n8n's N8N_USER_FOLDER: database, settings, installed packages. */
	userFolder: string;
	/** By default any free one. */
	port?: number;
	env?: Record<string, string>;
	/**
	 * False leaves out the editor, which n8n writes anew at each start: a quarter of its time; and what
	 * runs Code nodes.
	 */
	editor?: boolean;
	/** Another n8n than that of all, by its folder under `.local`. */
	installation?: string;
	/** Of queue mode, each in a process of its own: `worker` serves nothing but its health, `webhook` webhooks. */
	command?: 'start' | 'worker' | 'webhook';
	/** Aborts the start before it is ready. */
	signal?: AbortSignal;
}

/** Seconds for a start. */
const PATIENCE = 180;

// n8n may only talk to this machine.
const QUIET = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_DIAGNOSTICS_CONFIG_FRONTEND: '',
	N8N_DIAGNOSTICS_CONFIG_BACKEND: '',
	N8N_DIAGNOSTICS_POSTHOG_API_KEY: '',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,agents,chat-hub,mcp',
};

// The engine is n8n's usual one; by default each execution makes an isolate of its own and compiles all
// of its code, also where there are no expressions: a quarter of what n8n does in a test.
const EXPRESSIONS = {
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	N8N_EXPRESSION_ENGINE_COMPILE_CACHE: 'true',
};

// Without the editor there are no Code nodes, for which each n8n would start another process: a second of a processor.
const NO_EDITOR = {
	N8N_DISABLE_UI: 'true',
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'nobody-runs-code-here',
};

/** Starts n8n on loopback and waits until it responds. */
export async function startN8n(options: HostOptions): Promise<N8nHost> {
	const { userFolder, port, env, command = 'start', installation, editor = true, signal } = options;
	// n8n lets its nodes write there, but does not make it.
	const filesFolder = join(userFolder, '.n8n-files');
	await mkdir(filesFolder, { recursive: true });
	const n8nPort = port ?? (await freePort());
	const url = `http://localhost:${n8nPort}`;
	const logFile = join(userFolder, command === 'start' ? 'n8n.log' : `n8n-${command}.log`);
	const log = openSync(logFile, 'a');
	const { child, pid } = await runN8n({
		command,
		userFolder,
		installation,
		output: log,
		env: {
			HOME: userFolder,
			...QUIET,
			...EXPRESSIONS,
			N8N_USER_FOLDER: userFolder,
			N8N_PORT: String(n8nPort),
			QUEUE_HEALTH_CHECK_ACTIVE: String(command === 'worker'),
			QUEUE_HEALTH_CHECK_PORT: String(n8nPort),
			N8N_HOST: 'localhost',
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_WEBHOOK_URL: `${url}/`,
			N8N_SECURE_COOKIE: 'false',
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
			...(!editor && NO_EDITOR),
			...env,
		},
	});
	closeSync(log);
	// It may outlast what started it, such as a test file.
	child.unref();
	try {
		await untilReady(url, child, signal);
	} catch (error) {
		await endGroup(child.pid as number, 'SIGTERM');
		const tail = (await readFile(logFile, 'utf8')).split('\n').slice(-25).join('\n');
		throw new Error(`${(error as Error).message} The end of its log:\n${tail}`);
	}
	const running = { url, pid: await pid(), userFolder, filesFolder, logFile };
	if (command === 'start') await writeFile(runningFile(userFolder), JSON.stringify(running));
	return hostOf(running);
}

/** The n8n that this process has started on this folder, or null. */
export async function findN8n(userFolder: string): Promise<N8nHost | null> {
	try {
		const host = hostOf(JSON.parse(await readFile(runningFile(userFolder), 'utf8')) as RunningN8n);
		return isRunning(host.pid) && (await isReady(host.url)) ? host : null;
	} catch {
		return null;
	}
}

/** What it takes to find it again. */
type RunningN8n = Omit<N8nHost, 'stop' | 'kill'>;

/** Where n8n's folder says so. */
export const runningFile = (userFolder: string) => join(userFolder, 'running.json');

const hostOf = (running: RunningN8n): N8nHost => ({
	...running,
	stop: () => endGroup(running.pid, 'SIGTERM'),
	kill: () => endGroup(running.pid, 'SIGKILL'),
});

async function isReady(url: string): Promise<boolean> {
	const answer = await fetch(`${url}/healthz/readiness`).catch(() => null);
	return answer?.ok === true;
}

async function untilReady(
	url: string,
	child: ChildProcess,
	signal: AbortSignal | undefined,
): Promise<void> {
	const look = async () => {
		signal?.throwIfAborted();
		if (child.exitCode !== null || child.signalCode !== null) throw new Error('n8n has ended.');
		return await isReady(url);
	};
	await until('n8n to be ready', look, PATIENCE);
}

async function endGroup(pid: number, signal: NodeJS.Signals): Promise<void> {
	signalGroup(pid, signal);
	const forced = setTimeout(() => signalGroup(pid, 'SIGKILL'), 15_000);
	try {
		await until(`process ${pid} to end`, async () => !isRunning(pid));
	} finally {
		clearTimeout(forced);
	}
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

/** Whether there is a process of that id. */
export function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}
