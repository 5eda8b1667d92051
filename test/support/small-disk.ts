import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own that can be full. */
export interface SmallDisk {
	folder: string;
	/** Takes all room that is left. */
	fill(): void;
	/** Gives it back. */
	free(): void;
	remove(): void;
}

/** Null where this process may not mount one. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
	const folder = mkdtempSync(join(tmpdir(), 'receiver-disk-'));
	try {
		const options = `size=${megabytes}m,mode=0777`;
		execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
	} catch {
		rmdirSync(folder);
		return null;
	}
	const ballast = join(folder, 'ballast');
	return {
		folder,
		fill() {
			for (let size = 1024 * 1024; size >= 1; ) {
				try {
					appendFileSync(ballast, Buffer.alloc(size));
				} catch {
					size = Math.floor(size / 2);
				}
			}
		},
		free: () => rmSync(ballast, { force: true }),
		remove() {
			// Lazily: a killed process may still have a file open.
			execFileSync('umount', ['-l', folder]);
			rmdirSync(folder);
		},
	};
}
