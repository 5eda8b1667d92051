import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The memory that a process has in RAM, in bytes. */
export function residentBytes(pid: number): number {
	try {
		const status = readFileSync(`/proc/${pid}/status`, 'utf8');
		return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
	} catch {
		// Not Linux.
		return (
			Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
		);
	}
}

/** Linux counts processor time in hundredths of a second. */
const TICKS_A_SECOND = 100;

/** The processor time that a process has taken so far, in seconds; on Linux only. */
export function processorSeconds(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	// The name of the program, in brackets, may hold spaces.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}
