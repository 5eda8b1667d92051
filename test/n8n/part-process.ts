import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './folders.ts';
import type { PartAnswer, PartRequest } from './part.ts';

/** The sandbox or the receiver, running in a process of its own. */
export interface PartProcess {
	/** Everything the part exposes except its functions. */
	started: Record<string, unknown>;
	/** Stops it cleanly and waits until it has exited. */
	close(): Promise<void>;
	/** Kills it with SIGKILL and waits until it has exited. */
	kill(): Promise<void>;
	/** Sets its wall clock that many milliseconds ahead of the true time, or behind it. */
	setClock(ahead: number): Promise<void>;
}

/**
 * @param logFile where its output is appended, instead of being this process's own
 * @throws Error if it does not start, with its own explanation
 */
export async function startPart(request: PartRequest, logFile?: string): Promise<PartProcess> {
	const output = logFile === undefined ? 'inherit' : openSync(logFile, 'a');
	const child = fork(join(root, 'test', 'n8n', 'part.ts'), {
		// Drops the arguments jest itself was started with.
		execArgv: ['--disable-warning=ExperimentalWarning'],
		stdio: ['ignore', output, output, 'ipc'],
	});
	// The child has its own.
	if (typeof output === 'number') closeSync(output);
	child.send(request);
	const answer = await new Promise<PartAnswer>((resolve) => {
		child.once('message', (message) => resolve(message as PartAnswer));
		child.once('exit', () => resolve({ failed: 'its process ended; see above' }));
	});
	if ('failed' in answer) throw new Error(`The ${request.part} did not start: ${answer.failed}`);
	return {
		started: answer.started,
		close: () => end(child, 'SIGTERM'),
		kill: () => end(child, 'SIGKILL'),
		setClock: async (ahead) => {
			const answered = once(child, 'message');
			child.send({ ahead });
			await answered;
		},
	};
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const gone = once(child, 'exit');
	child.kill(signal);
	await gone;
}
