import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE = 300_000;

/** Runs the work while no other process works under the same lock file. */
export async function alone<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
	await mkdir(dirname(lockFile), { recursive: true });
	const deadline = Date.now() + PATIENCE;
	while (!(await take(lockFile))) {
		if (Date.now() > deadline) throw new Error(`${lockFile} was held for ${PATIENCE / 1000} s.`);
		await sleep(100);
	}
	try {
		return await work();
	} finally {
		await rm(lockFile, { force: true });
	}
}

async function take(lockFile: string): Promise<boolean> {
	try {
		await writeFile(lockFile, String(process.pid), { flag: 'wx' });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
		await dropIfAbandoned(lockFile);
		return false;
	}
}

// Removes the lock of a process that was killed.
async function dropIfAbandoned(lockFile: string): Promise<void> {
	const holder = Number(await readFile(lockFile, 'utf8').catch(() => ''));
	if (holder > 0 && !isRunning(holder)) await rm(lockFile, { force: true });
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}
