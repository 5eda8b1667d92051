// npm test itself, in a clone of its own whose npm installs nothing and whose Jest is told what to do.
import { type ChildProcess, spawn } from 'node:child_process';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { root } from '../../n8n/folders.ts';
import { isRunning } from '../../n8n/host.ts';
import { until } from '../../n8n/poll.ts';
import { findProgram } from '../../support/programs.ts';

const COPIED = ['scripts', 'package.json', 'package-lock.json', 'test/n8n', 'test/oldest-n8n'];

/** Starts a server as tests do, leaves a file in the folder for temporary ones, and goes on or reports. */
const JEST = `
const { spawn } = require('node:child_process');
const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { TMPDIR, NIGHTLY } = process.env;
const args = process.argv.slice(2);
writeFileSync(join(TMPDIR, 'left'), '');
const keeper = join(process.cwd(), 'scripts/with-parent.mjs');
const server = spawn(process.execPath, [keeper, 'SIGTERM', process.execPath, '-e', 'setInterval(() => {}, 1000)'], {
	stdio: ['pipe', 'ignore', 'ignore'],
});
const say = () => appendFileSync('runs', JSON.stringify({ args, TMPDIR, NIGHTLY, pid: process.pid, server: server.pid }) + '\\n');
server.once('spawn', () => {
	say();
	if (existsSync('hold')) return setInterval(() => {}, 1000);
	const output = args.find((arg) => arg.startsWith('--outputFile=')).split('=')[1];
	writeFileSync(output, require('node:fs').readFileSync('report.json'));
	process.exit(existsSync('red') ? 1 : 0);
});
`;

interface Run {
	args: string[];
	TMPDIR: string;
	NIGHTLY?: string;
	pid: number;
	server: number;
}

const passed = (more = {}) => ({
	numPassedTests: 3,
	numFailedTests: 0,
	numPendingTests: 0,
	numTodoTests: 0,
	numRuntimeErrorTestSuites: 0,
	testResults: [],
	...more,
});

let clone: string;

beforeEach(() => {
	clone = mkdtempSync(join(tmpdir(), 'registered-delivery-runner-'));
	for (const file of COPIED) cpSync(join(root, file), join(clone, file), { recursive: true });
	write('bin/npm', '#!/bin/sh\n', 0o755);
	write('node_modules/jest/bin/jest.js', JEST);
	mkdirSync(join(clone, 'node_modules/node/bin'), { recursive: true });
	symlinkSync(process.execPath, join(clone, 'node_modules/node/bin/node'));
	// As if Debian's programs had been unpacked.
	mkdirSync(join(clone, '.local/debian'), { recursive: true });
	write('report.json', JSON.stringify(passed()));
});
// What a run that was stopped had started may still write.
afterEach(() => rmSync(clone, { recursive: true, force: true, maxRetries: 10 }));

function write(file: string, text: string, mode = 0o644): void {
	mkdirSync(dirname(join(clone, file)), { recursive: true });
	writeFileSync(join(clone, file), text, { mode });
}

function start(...args: string[]) {
	return startWith(`${join(clone, 'bin')}:${process.env.PATH}`, args);
}

function startWith(path: string, args: readonly string[]) {
	const child: ChildProcess = spawn(process.execPath, ['scripts/test.mjs', ...args], {
		cwd: clone,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { PATH: path, TMPDIR: tmpdir() },
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr])
		stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
	const ended = new Promise<{ code: number | null; lines: string[] }>((resolve) =>
		child.once('close', (code) => resolve({ code, lines: output.trimEnd().split('\n') })),
	);
	return { child, ended };
}

function runs(): Run[] {
	if (!existsSync(join(clone, 'runs'))) return [];
	const lines = readFileSync(join(clone, 'runs'), 'utf8').trim().split('\n');
	return lines.map((line) => JSON.parse(line) as Run);
}

const suitesOf = ({ args }: Run) =>
	args.slice(
		args.indexOf('--selectProjects') + 1,
		args.findIndex((arg) => /^--max/.test(arg)),
	);

it('a run that gets SIGTERM leaves no process and no folder behind', async () => {
	write('hold', '');
	const { child, ended } = start('contract', 'browser', 'bench');
	await until('two lanes to run side by side', async () => runs().length === 2);
	child.kill('SIGTERM');
	expect(await ended).toMatchObject({ code: 1 });
	for (const { TMPDIR, pid, server } of runs()) {
		expect([isRunning(pid), existsSync(TMPDIR)]).toEqual([false, false]);
		await until('the server to end', async () => !isRunning(server));
	}
	expect(runs().map(suitesOf).sort()).toEqual([['browser'], ['contract']]);
});

it('a run that fails leaves none either, and says how many failed', async () => {
	write('red', '');
	write('report.json', JSON.stringify(passed({ numRuntimeErrorTestSuites: 1 })));
	const { code, lines } = await start('unit').ended;
	expect([code, lines.at(-1)]).toEqual([1, '3 passed, 1 failed, 0 skipped']);
	const [{ TMPDIR, server }] = runs();
	expect(existsSync(TMPDIR)).toBe(false);
	await until('the server to end', async () => !isRunning(server));
});

it('the end says what failed, and why', async () => {
	const name = join(clone, 'test/unit/ledger.test.ts');
	const failureMessages = ['\u001b[31mexpected\u001b[39m 1\nreceived 2'];
	const assertionResults = [{ status: 'failed', fullName: 'a letter once', failureMessages }];
	const testResults = [
		{ name, message: '', assertionResults },
		{ name, message: 'No such file', assertionResults: [] },
	];
	write('report.json', JSON.stringify(passed({ numFailedTests: 1, testResults })));
	const { lines } = await start('unit').ended;
	expect(lines.slice(-8)).toEqual([
		'Failed: test/unit/ledger.test.ts › a letter once',
		'expected 1',
		'received 2',
		'',
		'Failed: test/unit/ledger.test.ts › does not load',
		'No such file',
		'',
		'3 passed, 1 failed, 0 skipped',
	]);
});

it('the end says what was skipped, and how to have it', async () => {
	const pending = (fullName: string) => ({ status: 'pending', fullName });
	const testResults = [
		{
			name: '',
			message: '',
			assertionResults: [pending('queue mode (skipped: no Redis (Debian: redis-server)) runs')],
		},
		{
			name: '',
			message: '',
			assertionResults: [pending('storm (skipped: no Redis (Debian: redis-server))')],
		},
		{ name: '', message: '', assertionResults: [pending('whatever')] },
	];
	write('report.json', JSON.stringify(passed({ numPendingTests: 3, testResults })));
	const { code, lines } = await start('unit').ended;
	expect(code).toBe(0);
	expect(lines.slice(-5)).toEqual([
		'Skipped, 2: no Redis (Debian: redis-server)',
		'',
		'Skipped, 1: whatever',
		'',
		'3 passed, 0 failed, 3 skipped',
	]);
});

it('each ring runs what belongs to it', async () => {
	await start('unit', 'contract', 'in-process').ended;
	await start('nightly', 'contract').ended;
	await start('quick', 'unit').ended;
	const [unit, contract, nightly, quick] = runs();
	expect([unit, contract, nightly, quick].map(suitesOf)).toEqual([
		['unit'],
		['contract', 'in-process'],
		['contract'],
		['unit'],
	]);
	const isTold = ({ args, NIGHTLY }: Run) => [
		args.includes('--testPathIgnorePatterns'),
		args.includes('--testPathPatterns'),
		NIGHTLY,
	];
	expect([contract, nightly, quick].map(isTold)).toEqual([
		[true, false, undefined],
		[false, false, '1'],
		[true, true, undefined],
	]);
});

describe('programs of Debian that the machine lacks', () => {
	const bin = () => join(clone, 'bin');

	beforeEach(() => {
		rmSync(join(clone, '.local/debian'), { recursive: true });
		for (const name of ['sh', 'dpkg-deb', 'tar'])
			symlinkSync(String(findProgram(name)), join(bin(), name));
	});

	it('are left out where they cannot be fetched, and the tests run all the same', async () => {
		write('bin/apt-get', '#!/bin/sh\necho "No network" >&2\nexit 100\n', 0o755);
		const { code, lines } = await startWith(bin(), ['unit']).ended;
		expect([code, lines.at(-1)]).toEqual([0, '3 passed, 0 failed, 0 skipped']);
		// Two programs write, so either may come first.
		expect(lines.join('\n')).toMatch(/No network/);
		expect(lines.join('\n')).toMatch(/Goes on without those of redis-server/);
		expect(readdirSync(join(clone, '.local')).filter((name) => /debian/.test(name))).toEqual([]);
	});
});
