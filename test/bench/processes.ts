// What is measured runs in processes of its own, so that neither the load nor the count of what
// arrives shares an event loop with it.
import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const running = new Set<ChildProcess>();

// Whatever ends this process ends those it started.
process.on('exit', endAll);

const PATIENCE_MS = 30_000;

export interface StartOptions {
	args?: string[];
	env?: Record<string, string>;
	cwd?: string;
	stdio?: StdioOptions;
}

/**
 * Starts a file on this Node. NODE_OPTIONS is handed on: with `--cpu-prof` there, whatever runs is
 * profiled.
 */
export function startNode(file: string, options: StartOptions = {}): ChildProcess {
	const { PATH = '', NODE_OPTIONS = '', TMPDIR = '' } = process.env;
	const inherited = { PATH, ...(NODE_OPTIONS && { NODE_OPTIONS }), ...(TMPDIR && { TMPDIR }) };
	const child = spawn(process.execPath, [file, ...(options.args ?? [])], {
		cwd: options.cwd,
		env: { ...inherited, ...options.env },
		stdio: options.stdio ?? ['ignore', 'ignore', 'inherit'],
	});
	running.add(child);
	child.once('exit', () => running.delete(child));
	return child;
}

/** Asks a process to end and waits until it has; one that does not is killed. */
export async function end(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const gone = once(child, 'exit');
	child.kill('SIGTERM');
	const patience = new AbortController();
	const stubborn = sleep(PATIENCE_MS, 'stubborn', { signal: patience.signal }).catch(() => 'gone');
	if ((await Promise.race([gone, stubborn])) === 'stubborn') child.kill('SIGKILL');
	patience.abort();
	await gone;
}

/** What a row that failed has left running; nothing, when all went well. */
export function endAll(): void {
	for (const child of running) child.kill('SIGKILL');
}
