// npm test: installs what is missing, then runs every check, the quick ones first.
//   npm test -- unit contract     runs only these
//   npm test -- upgrade images    runs those that are otherwise skipped
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { environment, install, installBefore, installOldest, node, root } from './install.mjs';

const reports = join(root, '.local', 'test-reports');

const checks = {
	format: ['npm', 'run', '--silent', 'format:check'],
	lint: ['npm', 'run', '--silent', 'lint'],
	types: ['npm', 'run', '--silent', 'typecheck'],
};
/** In turn; those of a group at the same time, since they mostly wait. */
const groups = [
	['unit'],
	['contract'],
	['in-process', 'oldest-n8n'],
	['faults'],
	['real-n8n'],
	['browser'],
	['storm', 'bench'],
];

/** Only on request: another n8n of 2 GB; Debian's podman and a system to build images from. */
const onDemand = ['upgrade', 'images'];

/**
 * Tests wait for other processes more than they work: with one more worker than processors none
 * idles. Each may start an n8n of 1 GB.
 */
const workers = Math.min(availableParallelism() + 1, 4);

const asked = process.argv.slice(2);
const known = [...Object.keys(checks), ...groups.flat(), ...onDemand];
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
	console.error(`✗ There is no "${unknown.join('", "')}". Choose from: ${known.join(', ')}`);
	process.exit(2);
}
const wanted = (name) => asked.includes(name) || (asked.length === 0 && !onDemand.includes(name));

try {
	await install();
	if (wanted('oldest-n8n')) await installOldest();
	if (wanted('upgrade')) await installBefore();
} catch (error) {
	console.error(`\n✗ ${error.message}`);
	process.exit(1);
}

// Ctrl-C in a terminal also reaches what runs.
let running;
for (const signal of ['SIGTERM', 'SIGHUP']) {
	process.on(signal, () => {
		running?.kill('SIGTERM');
		process.exit(1);
	});
}

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
const results = [];
for (const [name, command] of Object.entries(checks)) {
	if (wanted(name)) results.push(await timed(name, () => check(command)));
}
for (const group of [...groups, ...onDemand.map((name) => [name])]) {
	const names = group.filter(wanted);
	if (names.length > 0) results.push(await timed(names.join(' + '), () => suites(names)));
}
process.exit(report(results));

async function timed(name, work) {
	console.log(`\n▶ ${name}`);
	const started = Date.now();
	const counts = await work();
	return { name, ...counts, seconds: Math.round((Date.now() - started) / 1000) };
}

async function check(command) {
	const ok = (await run(command)) === 0;
	return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}

async function suites(names) {
	const outputFile = join(reports, `${names.join('-')}.json`);
	const code = await run([
		node,
		'--disable-warning=ExperimentalWarning',
		'--experimental-vm-modules',
		join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
		'--selectProjects',
		...names,
		`--maxWorkers=${workers}`,
		'--json',
		`--outputFile=${outputFile}`,
	]);
	try {
		const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, ...rest } = JSON.parse(
			readFileSync(outputFile, 'utf8'),
		);
		// A file that fails to load has no tests to count, and must not pass because of that.
		const broken = rest.numRuntimeErrorTestSuites;
		const failed = numFailedTests + broken;
		return {
			passed: numPassedTests,
			failed: code !== 0 && failed === 0 ? 1 : failed,
			skipped: numPendingTests + numTodoTests,
		};
	} catch {
		return { passed: 0, failed: 1, skipped: 0 };
	}
}

function run([command, ...args]) {
	return new Promise((resolve) => {
		const child = (running = spawn(command, args, {
			cwd: root,
			stdio: ['ignore', 'inherit', 'inherit'],
			env: environment,
		}));
		child.on('error', () => resolve(1));
		child.on('close', (code) => resolve(code ?? 1));
	});
}

function report(results) {
	console.log('');
	const total = { passed: 0, failed: 0, skipped: 0 };
	for (const { name, passed, failed, skipped, seconds } of results) {
		console.log(
			`${failed > 0 ? '✗' : '✓'} ${name.padEnd(24)}${`${passed} passed`.padStart(12)}${`${failed} failed`.padStart(12)}${`${skipped} skipped`.padStart(12)}${`${seconds} s`.padStart(9)}`,
		);
		total.passed += passed;
		total.failed += failed;
		total.skipped += skipped;
	}
	console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
	return total.failed > 0 ? 1 : 0;
}
