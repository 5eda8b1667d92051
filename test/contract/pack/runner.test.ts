// npm test itself, in a clone of its own whose npm installs nothing and whose Jest is told what to do.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
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

const COPIED = ['scripts', 'package.json', 'package-lock.json', 'test/n8n'];

/** Says where it runs, leaves a file in the folder for temporary ones, and goes on or reports. */
const JEST = `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { TMPDIR } = process.env;
writeFileSync(TMPDIR + '/left', '');
appendFileSync('runs', JSON.stringify({ TMPDIR, pid: process.pid }) + '\\n');
if (existsSync('hold')) return setInterval(() => {}, 1000);
const output = process.argv.find((arg) => arg.startsWith('--outputFile=')).split('=')[1];
writeFileSync(output, readFileSync('report.json'));
process.exitCode = 1;
`;

/** What Jest writes of a file that does not load, beside tests that pass, fail and are skipped. */
const REPORT = {
	numPassedTests: 3,
	numFailedTests: 1,
	numPendingTests: 1,
	numTodoTests: 0,
	numRuntimeErrorTestSuites: 1,
	testResults: [
		{
			name: 'test/storm/sqlite.test.ts',
			message: '',
			assertionResults: [
				{ status: 'pending', fullName: 'storm (skipped: no Redis (Debian: redis-server))' },
				{
					status: 'failed',
					fullName: 'a letter once',
					failureMessages: ['\u001b[31mexpected\u001b[39m 1\nreceived 2'],
				},
			],
		},
		{ name: 'test/storm/queue.test.ts', message: 'No such file', assertionResults: [] },
	],
};

let clone: string;

beforeEach(() => {
	clone = mkdtempSync(join(tmpdir(), 'registered-delivery-runner-'));
	for (const file of COPIED) cpSync(join(root, file), join(clone, file), { recursive: true });
	write('bin/npm', '#!/bin/sh\necho "$PWD $1" >> "$CALLS"\n', 0o755);
	write('node_modules/jest/bin/jest.js', JEST);
	mkdirSync(join(clone, 'node_modules/node/bin'), { recursive: true });
	symlinkSync(process.execPath, join(clone, 'node_modules/node/bin/node'));
	// As if Debian's programs had been unpacked.
	mkdirSync(join(clone, '.local/debian'), { recursive: true });
	write('report.json', JSON.stringify(REPORT));
});
// What a run that was stopped had started may still write.
afterEach(() => rmSync(clone, { recursive: true, force: true, maxRetries: 10 }));

function write(file: string, text: string, mode = 0o644): void {
	mkdirSync(dirname(join(clone, file)), { recursive: true });
	writeFileSync(join(clone, file), text, { mode });
}

function start(...args: string[]) {
	const child: ChildProcess = spawn(process.execPath, ['scripts/test.mjs', ...args], {
		cwd: clone,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: {
			PATH: `${join(clone, 'bin')}:${process.env.PATH}`,
			TMPDIR: tmpdir(),
			CALLS: join(clone, 'calls'),
		},
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr])
		stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
	const ended = new Promise<{ code: number | null; lines: string[] }>((resolve) =>
		child.once('close', (code) => resolve({ code, lines: output.trimEnd().split('\n') })),
	);
	return { child, ended };
}

function linesOf(file: string): string[] {
	if (!existsSync(join(clone, file))) return [];
	return readFileSync(join(clone, file), 'utf8').trim().split('\n');
}

const runs = () =>
	linesOf('runs').map((line) => JSON.parse(line) as { TMPDIR: string; pid: number });

it('a run that gets SIGTERM leaves no process and no folder behind', async () => {
	write('hold', '');
	const { child, ended } = start('contract', 'browser', 'bench');
	await until('two lanes to run side by side', async () => runs().length === 2);
	child.kill('SIGTERM');
	expect(await ended).toMatchObject({ code: 1 });
	expect(runs()).toHaveLength(2);
	for (const { TMPDIR, pid } of runs())
		expect([isRunning(pid), existsSync(TMPDIR)]).toEqual([false, false]);
});

it('a file that does not load is a failure; the end says what failed and what was skipped', async () => {
	const { code, lines } = await start('unit').ended;
	expect(code).toBe(1);
	expect(lines.slice(-10)).toEqual([
		'Failed: test/storm/sqlite.test.ts › a letter once',
		'expected 1',
		'received 2',
		'',
		'Failed: test/storm/queue.test.ts › does not load',
		'No such file',
		'',
		'Skipped, 1: no Redis (Debian: redis-server)',
		'',
		'3 passed, 2 failed, 1 skipped',
	]);
	expect(existsSync(runs()[0].TMPDIR)).toBe(false);
});

it('what needs no n8n does not install one', async () => {
	const installed = () => linesOf('calls').map((line) => line.replace(clone, '').trim());
	await start('quick', 'in-process').ended;
	expect(installed()).toEqual(['ci']);
	await start('in-process').ended;
	expect(installed()).toEqual(['ci', '/.local/n8n-host ci', '/.local/n8n-host rebuild']);
});

it('npm run jest -- <file> runs it in one project', () => {
	const code = `import config from './jest.config.mjs';
		console.log(JSON.stringify(config.projects.flatMap(({ testMatch }) => testMatch)));`;
	const args = ['--input-type=module', '--eval', code];
	const matches = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
	expect(matches.length).toBeGreaterThan(10);
	expect(new Set(matches).size).toBe(matches.length);
});
