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
