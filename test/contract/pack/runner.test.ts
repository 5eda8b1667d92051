// npm test itself, in a clone of its own whose npm installs nothing and whose Jest is told what to report.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { root } from '../../n8n/folders.ts';

const COPIED = ['scripts', 'package.json', 'package-lock.json', 'test/n8n'];

const JEST = `
const { readFileSync, writeFileSync } = require('node:fs');
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
	write('bin/npm', '#!/bin/sh\n', 0o755);
	write('node_modules/jest/bin/jest.js', JEST);
	mkdirSync(join(clone, 'node_modules/node/bin'), { recursive: true });
	symlinkSync(process.execPath, join(clone, 'node_modules/node/bin/node'));
	write('report.json', JSON.stringify(REPORT));
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

function write(file: string, text: string, mode = 0o644): void {
	mkdirSync(dirname(join(clone, file)), { recursive: true });
	writeFileSync(join(clone, file), text, { mode });
}

it('a file that does not load is a failure; the end says what failed and what was skipped', () => {
	const { status, stdout } = spawnSync(process.execPath, ['scripts/test.mjs', 'unit'], {
		cwd: clone,
		encoding: 'utf8',
		env: { PATH: `${join(clone, 'bin')}:${process.env.PATH}`, TMPDIR: tmpdir() },
	});
	expect(status).toBe(1);
	expect(stdout.trimEnd().split('\n').slice(-10)).toEqual([
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
});

it('npm run jest -- <file> runs it in one project', () => {
	const code = `import config from './jest.config.mjs';
		console.log(JSON.stringify(config.projects.flatMap(({ testMatch }) => testMatch)));`;
	const args = ['--input-type=module', '--eval', code];
	const matches = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
	expect(matches.length).toBeGreaterThan(10);
	expect(new Set(matches).size).toBe(matches.length);
});
