// Everything measured runs in its own process, as operators run it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { root } from '../../n8n/folders.ts';
import { afterRow } from '../clean-up.ts';

const PATIENCE_MS = 60_000;

export interface Program {
	/** The groups that `ready` matched. */
	found: string[];
	pid: number;
	/** Safe to call twice; the end of the row calls it anyway. */
	stop(): Promise<void>;
}

/**
 * Starts a file of the repository on this Node and waits until it reports ready. NODE_OPTIONS is
 * passed on: `--cpu-prof` in it profiles everything that runs.
 *
 * @param flags Node's own options
 * @param ready matches that in the program's output, which goes into a file, as under a service
 * manager
 */
export async function startProgram(
	file: string,
	{
		env = {},
		flags = [],
		ready,
	}: { env?: Record<string, string>; flags?: readonly string[]; ready: RegExp },
): Promise<Program> {
	const log = join(mkdtempSync(join(tmpdir(), 'program-')), 'log');
	const output = openSync(log, 'a');
	const { PATH = '', NODE_OPTIONS = '', TMPDIR = '' } = process.env;
	const child = spawn(process.execPath, [...flags, join(root, file)], {
		env: { PATH, NODE_OPTIONS, TMPDIR, ...env },
		stdio: ['ignore', output, output],
	});
	closeSync(output);
	const kill = () => child.kill('SIGKILL');
	process.once('exit', kill);
	const gone = once(child, 'exit').then(() => process.off('exit', kill));
	const stop = async () => {
		child.kill('SIGTERM');
		const stubborn = setTimeout(kill, PATIENCE_MS);
		await gone;
		clearTimeout(stubborn);
	};
	afterRow(stop);
	for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(10)) {
		const said = readFileSync(log, 'utf8');
		const found = ready.exec(said)?.slice(1);
		if (found) return { found, pid: child.pid ?? 0, stop };
		if (child.exitCode !== null || Date.now() > deadline) {
			throw new Error(`${file} did not start. ${said}`);
		}
	}
}

/** Linux counts processor time in hundredths of a second. */
const TICKS_A_SECOND = 100;

/** The processor time that a process has used so far, in seconds; Linux only. */
export function processorSeconds(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	// The program's name, in brackets, may contain spaces.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}
