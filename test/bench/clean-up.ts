// Everything a run starts is registered here right away, so that nothing stays behind: not after a
// failed row, not after Ctrl-C.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type End = () => Promise<unknown>;

const ofRow: End[] = [];
const ofRun: End[] = [];

/** Ends something after the current row. */
export function afterRow(end: End): void {
	ofRow.push(end);
}

/** Ends something after the last row: resources that rows share. */
export function afterRun(end: End): void {
	ofRun.push(end);
}

export async function endRow(): Promise<void> {
	await endAll(ofRow);
}

export async function endRun(): Promise<void> {
	await endAll(ofRow);
	await endAll(ofRun);
}

/** Last started, first ended; one that fails to end does not stop the others. */
async function endAll(ends: End[]): Promise<void> {
	for (let end = ends.pop(); end; end = ends.pop()) {
		await end().catch((error: Error) => console.error(error));
	}
}

/**
 * From now on all temporary files, including those of child processes, go into one folder, which is
 * removed with this process.
 */
export function keepTemporaryFilesTogether(): void {
	const folder = mkdtempSync(join(tmpdir(), 'bench-'));
	// PostgreSQL runs as its own user where this runs as root.
	chmodSync(folder, 0o755);
	process.env.TMPDIR = folder;
	process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
}
