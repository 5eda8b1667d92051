import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { root } from '../../n8n/folders.ts';

const run = promisify(execFile);

/** What n8n's scanner found; `details` lists each finding as ESLint prints it. */
export interface ScanResult {
	passed: boolean;
	message?: string;
	details?: string;
}

/**
 * n8n's own check of community packages, as it runs on publishing, inline exceptions off. In a process
 * of its own: the scanner is ESM, and ESLint loads its parts in ways a test's module loader does not know.
 *
 * @param what `source`: the files it reads of the repository; `tarball`: those of the unpacked package
 */
export async function scan(folder: string, what: 'source' | 'tarball'): Promise<ScanResult> {
	const script = `
		import { analyzePackage, SOURCE_FILE_PATTERNS } from '@n8n/scan-community-package/scanner/scanner.mjs';
		const [folder, what] = process.argv.slice(1);
		const tarball = ['**/*.js', 'package.json'];
		const result = await analyzePackage(folder, what === 'source' ? SOURCE_FILE_PATTERNS : tarball);
		process.stdout.write(JSON.stringify(result));
	`;
	const { stdout } = await run(
		process.execPath,
		['--input-type=module', '--eval', script, folder, what],
		// Under jest's NODE_ENV, some of its rules take every file for a test of themselves.
		{ cwd: root, env: { ...process.env, NODE_ENV: 'production' }, maxBuffer: 64 * 1024 * 1024 },
	);
	return JSON.parse(stdout) as ScanResult;
}
