import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { join } from 'node:path';

import { root } from '../n8n/folders.ts';

/**
 * Starts a server that ends with this process, however this one ends: a Jest worker that is killed, or
 * has waited in vain for a test, says nothing to what it has started. Signals reach the server.
 *
 * @param ending what the server gets then
 * @param folder its data, which goes with it then
 */
export function spawnKept(
	ending: NodeJS.Signals,
	program: string,
	args: readonly string[],
	folder: string,
	options: SpawnOptions = {},
): ChildProcess {
	const keeper = join(root, 'scripts', 'with-parent.mjs');
	return spawn(process.execPath, [keeper, ending, program, ...args], {
		...options,
		env: { ...(options.env ?? process.env), KEPT_FOLDER: folder },
		stdio: ['pipe', 'ignore', 'ignore'],
	});
}
