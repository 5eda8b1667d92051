import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';

/** Removes a run's folder for temporary files, with the disks that tests have mounted in it. */
export async function removeScratch(folder) {
	const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : [];
	for (const [, place = ''] of mounts.map((line) => line.split(' '))) {
		if (place.startsWith(`${folder}/`)) execFileSync('umount', ['-l', place]);
	}
	// What has been told to end may still be writing for a moment.
	await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
