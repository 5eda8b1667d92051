import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { root } from '../test/n8n/folders.ts';
import type { Stack } from '../test/n8n/stack.ts';

/** Editors save a file in several steps, and switching branches writes many. */
const SETTLED_AFTER = 200;

/**
 * Brings each change of the sources to what runs, until the signal.
 *
 * @param folder of the stack
 */
export async function followSources(
	stack: Stack,
	folder: string,
	signal: AbortSignal,
): Promise<void> {
	const packs = join(folder, 'n8n', '.n8n', 'nodes', 'node_modules');
	const [pack] = (await readdir(packs)).filter((name) => !name.startsWith('.'));
	// n8n reloads the pack on its own when a file in it changes.
	const dist = join(packs, pack, 'dist');
	const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
	const watching = [tsc, '--watch', '--preserveWatchOutput', '--outDir', dist];
	spawn(process.execPath, watching, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], signal })
		// It is ended by the signal.
		.on('error', () => {});

	const icons = join(root, 'icons');
	follow(icons, signal, async () => await cp(icons, join(dist, 'icons'), { recursive: true }));
	const parts = { sandbox: 'restartSandbox', 'webhook-receiver': 'restartReceiver' } as const;
	for (const [part, restart] of Object.entries(parts)) {
		follow(join(root, part, 'src'), signal, async () => {
			console.log(`… Restarting ${part}`);
			await stack[restart]();
			console.log(`✓ ${part} runs from its changed sources.`);
		});
	}
	console.log(`✓ Following the sources. A change in nodes/, credentials/ or icons/ is in n8n within seconds (the
  editor says so, or reload it); one in sandbox/ or webhook-receiver/ restarts that part.
  Press Ctrl-C to end it.`);
}

/** Runs the work after each change in the folder, one at a time; a failure waits for the next. */
function follow(folder: string, signal: AbortSignal, work: () => Promise<void>): void {
	let timer: NodeJS.Timeout | undefined;
	let last = Promise.resolve();
	const changed = () => {
		clearTimeout(timer);
		timer = setTimeout(() => {
			last = last.then(async () => {
				if (signal.aborted) return;
				await work().catch((error: Error) => console.error(`✗ ${error.message}`));
			});
		}, SETTLED_AFTER);
	};
	watch(folder, { recursive: true, signal }, changed);
}
