import { readFile, writeFile } from 'node:fs/promises';

/** Linux: resets the peak of the process's resident set to its current size. */
export async function resetPeak(pid: number): Promise<void> {
	await writeFile(`/proc/${pid}/clear_refs`, '5');
}

/** Bytes: the current resident set (`VmRSS`), or its peak (`VmHWM`). */
export async function residentMemory(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}
