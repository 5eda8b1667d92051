// Breaks the product in a copy of the repository, and runs the test that must notice.
import { execFile } from 'node:child_process';
import {
	chmod,
	cp,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	rm,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { localFolder, root } from '../n8n/folders.ts';
import { type Break, broken } from './break.ts';
import { TABLE } from './table.ts';

const run = promisify(execFile);

const MEBIBYTE = 2 ** 20;

/** For one test file: a break may make a loop that never ends. */
const PATIENCE_MS = 10 * 60_000;

/**
 * What git knows of and what is new, with links to what is installed. Outside of the repository, where
 * lint would find it.
 *
 * @returns the folder, for the caller to remove
 */
export async function copyRepository(): Promise<string> {
	const copy = await mkdtemp(join(tmpdir(), 'registered-delivery-sabotage-'));
	// PostgreSQL, which never runs as root, gets into it too.
	await chmod(copy, 0o755);
	const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
	const { stdout } = await run('git', listed, { cwd: root, maxBuffer: 64 * MEBIBYTE });
	const files = stdout.split('\0').filter(Boolean);
	for (const file of files) {
		await mkdir(dirname(join(copy, file)), { recursive: true });
		// One that is deleted but not committed is still listed.
		await cp(join(root, file), join(copy, file)).catch(ignoreMissing);
	}
	await mkdir(join(copy, '.local'));
	const installed = ['', 'webhook-receiver', 'sandbox'].map((part) => join(part, 'node_modules'));
	for (const name of await readdir(localFolder)) {
		if (/^(n8n-|debian$|chromium-)/.test(name)) installed.push(join('.local', name));
	}
	for (const folder of installed)
		await symlink(join(root, folder), join(copy, folder)).catch(ignoreMissing);
	return copy;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
	if (error.code !== 'ENOENT') throw error;
}

/**
 * Breaks the copy, runs the test, and mends the copy.
 *
 * @returns the titles of the tests that failed
 * @throws Error if the break does not fit its place, no test ran, or one fails without the break
 */
export async function noticedBy(one: Break, copy: string): Promise<string[]> {
	const before = await (unbroken[one.test] ??= failing(one.test, titlesOf(one.test), copy));
	if (before.length > 0) throw new Error(`${one.test} fails unbroken, too: ${before.join(', ')}`);
	const file = join(copy, one.file);
	const text = await readFile(file, 'utf8');
	await writeFile(file, broken(text, one));
	try {
		return await failing(one.test, one.title, copy);
	} finally {
		await writeFile(file, text);
	}
}

/** What fails as long as nothing is broken, by test file: nothing should. */
const unbroken: Record<string, Promise<string[]> | undefined> = {};

/** All that the table needs of a file, in one run; undefined is all of it. */
function titlesOf(test: string): string | undefined {
	const titles = TABLE.filter((one) => one.test === test).map(({ title }) => title);
	return titles.includes(undefined) ? undefined : titles.join('|');
}

async function failing(test: string, title: string | undefined, copy: string): Promise<string[]> {
	const output = join(copy, '.local', 'outcome.json');
	await rm(output, { force: true });
	const jest = [
		// A run that is stopped takes its test along.
		join(copy, 'scripts', 'with-parent.mjs'),
		'SIGTERM',
		process.execPath,
		'--disable-warning=ExperimentalWarning',
		'--experimental-vm-modules',
		join(copy, 'node_modules', 'jest', 'bin', 'jest.js'),
		'--runTestsByPath',
		`test/${test}.test.ts`,
		'--selectProjects',
		test.split('/')[0],
		// What a failing test leaves open would keep it from ending.
		'--forceExit',
		'--maxWorkers=1',
		'--json',
		`--outputFile=${output}`,
		...(title === undefined ? [] : ['--testNamePattern', title]),
	];
	// It fails, as it should; what it prints is no news.
	const options = { cwd: copy, maxBuffer: 64 * MEBIBYTE, timeout: PATIENCE_MS };
	await run(process.execPath, jest, options).catch(() => undefined);
	const outcome = await readFile(output, 'utf8').catch(() => null);
	if (outcome === null) throw new Error(`${test} had not ended after ten minutes.`);
	const { testResults } = JSON.parse(outcome) as Outcome;
	const results = testResults.flatMap(({ assertionResults }) => assertionResults);
	const ran = results.filter(({ status }) => status === 'passed' || status === 'failed');
	if (ran.length === 0)
		throw new Error(
			`${test}: no test ran. ${testResults.map(({ message }) => message).join('\n')}`,
		);
	return ran.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
}

interface Outcome {
	testResults: Array<{
		message: string;
		assertionResults: Array<{ status: string; fullName: string }>;
	}>;
}
