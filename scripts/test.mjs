// npm test: installs what is missing, then runs every check, the quick ones first.
//   npm test                       every promise once, as CI does
//   npm test -- quick              what is done within a minute, while you work
//   npm test -- nightly            everything, also on the other database and on other versions of n8n
//   npm test -- unit contract      only these; `nightly contract` runs all of that one
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import {
	environment,
	install,
	installBefore,
	installOldest,
	installPrograms,
	installProject,
	node,
	orExit,
	root,
} from './install.mjs';
import {
	CHECKS,
	GROUPS,
	isOfRing,
	NAMES,
	needsN8n,
	NIGHTLY_FILES,
	QUICK_FILES,
	RINGS,
} from './rings.mjs';
import { removeScratch } from './scratch.mjs';

/**
 * Tests wait for other processes more than they work: with one more worker a lane than processors none
 * idles. Each may start an n8n of 1 GB.
 */
const workersOf = (lanes) => Math.min(Math.ceil(availableParallelism() / lanes) + 1, 4);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => ![...RINGS, ...NAMES].includes(name));
if (unknown.length > 0) {
	const choice = [...RINGS, ...NAMES].join(', ');
	console.error(`✗ There is no "${unknown.join('", "')}". Choose from: ${choice}`);
	process.exit(2);
}
const ring = RINGS.find((name) => asked.includes(name));
const names = asked.filter((name) => name !== ring);
const wanted = (name) => (names.length > 0 ? names.includes(name) : isOfRing(name, ring));

const checks = {
	format: ['npm', 'run', '--silent', 'format:check'],
	// A cached verdict sees only the changed file, not those that import it.
	lint:
		ring === 'quick'
			? ['eslint', '.', '--cache', '--cache-location', '.local/eslint/']
			: ['npm', 'run', '--silent', 'lint'],
	types: ['npm', 'run', '--silent', 'typecheck'],
};

await orExit(installWanted());

// What tests put into the folder for temporary files goes with the run. PostgreSQL, which never runs
// as root, gets into it too.
const scratch = mkdtempSync(join(tmpdir(), 'registered-delivery-tests-'));
chmodSync(scratch, 0o755);
const reports = join(root, '.local', 'test-reports');
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

const variables = {
	...environment,
	TMPDIR: scratch,
	// Node starts hundreds of times in a run, n8n among them, and compiles the same files each time.
	NODE_COMPILE_CACHE: join(root, '.local', 'compiled'),
	ESLINT_FLAGS: 'unstable_config_lookup_from_file',
	// Several Jests write to one terminal: lines, and no table that each would draw anew.
	TERM: 'dumb',
	...(ring === 'nightly' && { NIGHTLY: '1' }),
};
const running = new Set();
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
	process.on(signal, () => {
		isStopped = true;
		// With all it has started.
		for (const { pid, exitCode } of running) if (exitCode === null) process.kill(-pid, 'SIGTERM');
	});
}

const skipped = new Map();
const failures = [];
const results = [];
try {
	// Quick ones side by side.
	const [first, ...others] = ring === 'quick' ? [[GROUPS.flat(2)]] : GROUPS;
	await Promise.all([
		...CHECKS.filter(wanted).map(async (name) => await timed(name, () => check(name))),
		testGroup(first),
	]);
	for (const group of others) await testGroup(group);
} finally {
	await removeScratch(scratch);
}
if (isStopped) {
	console.error('\n✗ Stopped before it was done.');
	process.exit(1);
}
process.exit(report());

async function installWanted() {
	if (NAMES.some((name) => wanted(name) && needsN8n(name, ring))) {
		await install();
		await installPrograms();
	} else {
		await installProject();
	}
	if (wanted('oldest-n8n') || wanted('in-process-oldest')) await installOldest();
	if (wanted('upgrade')) await installBefore();
}

async function testGroup(group) {
	if (isStopped) return;
	const lanes = group.map((lane) => lane.filter(wanted)).filter(({ length }) => length > 0);
	const work = lanes.map((chosen) =>
		timed(chosen.join(' + '), () => tests(chosen, workersOf(lanes.length))),
	);
	await Promise.all(work);
}

async function timed(name, work) {
	const started = Date.now();
	const counts = await work();
	results.push({ name, ...counts, seconds: Math.round((Date.now() - started) / 1000) });
}

/** Printed when it has ended, since others run beside it. */
async function check(name) {
	const chunks = [];
	const code = await run(checks[name], ['ignore', 'pipe', 'pipe'], (chunk) => chunks.push(chunk));
	console.log(`\n▶ ${name}\n${Buffer.concat(chunks)}`);
	return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
}

async function tests(chosen, workers) {
	console.log(`\n▶ ${chosen.join(' + ')}`);
	const outputFile = join(reports, `${chosen.join('-')}.json`);
	const code = await run([
		node,
		'--disable-warning=ExperimentalWarning',
		'--experimental-vm-modules',
		join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
		'--selectProjects',
		...chosen,
		`--maxWorkers=${workers}`,
		'--json',
		`--outputFile=${outputFile}`,
		...(ring === 'quick' ? ['--testPathPatterns', QUICK_FILES] : []),
		...(ring === 'nightly' ? [] : ['--testPathIgnorePatterns', NIGHTLY_FILES]),
	]);
	try {
		return counted(JSON.parse(readFileSync(outputFile, 'utf8')), code);
	} catch {
		return { passed: 0, failed: 1, skipped: 0 };
	}
}

function counted({ testResults, numRuntimeErrorTestSuites: broken, ...numbers }, code) {
	const all = testResults.flatMap(({ assertionResults }) => assertionResults);
	for (const { status, fullName } of all) {
		if (status !== 'pending') continue;
		const reason = /\(skipped: (.+)\)/.exec(fullName)?.[1] ?? fullName;
		skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
	}
	for (const { name, assertionResults, message } of testResults) {
		const failed = assertionResults.filter(({ status }) => status === 'failed');
		if (failed.length === 0 && message !== '') failed.push({ failureMessages: [message] });
		for (const { fullName = 'does not load', failureMessages = [] } of failed) {
			const why = stripVTControlCharacters(failureMessages.join('\n')).trim();
			failures.push({ test: `${relative(root, name)} › ${fullName}`, why });
		}
	}
	// A file that fails to load has no tests to count, and must not pass because of that.
	const failed = numbers.numFailedTests + broken;
	return {
		passed: numbers.numPassedTests,
		failed: code !== 0 && failed === 0 ? 1 : failed,
		skipped: numbers.numPendingTests + numbers.numTodoTests,
	};
}

function run([command, ...args], stdio = ['ignore', 'inherit', 'inherit'], onOutput = () => {}) {
	return new Promise((resolve) => {
		const child = spawn(command, args, {
			cwd: root,
			stdio,
			env: variables,
			// A group of its own, to be ended as one.
			detached: true,
		});
		running.add(child);
		child.stdout?.on('data', onOutput);
		child.stderr?.on('data', onOutput);
		const end = (code) => {
			running.delete(child);
			resolve(code ?? 1);
		};
		child.on('error', () => end(1));
		child.on('close', end);
	});
}

function report() {
	console.log('');
	const total = { passed: 0, failed: 0, skipped: 0 };
	for (const { name, passed, failed, skipped, seconds } of results) {
		console.log(
			`${failed > 0 ? '✗' : '✓'} ${name.padEnd(30)}${`${passed} passed`.padStart(12)}${`${failed} failed`.padStart(12)}${`${skipped} skipped`.padStart(12)}${`${seconds} s`.padStart(9)}`,
		);
		total.passed += passed;
		total.failed += failed;
		total.skipped += skipped;
	}
	// Once more, and shortly: between them and the end are the lines of other lanes.
	for (const { test, why } of failures)
		console.log(`\nFailed: ${test}\n${why.split('\n').slice(0, 8).join('\n')}`);
	for (const [reason, count] of skipped) console.log(`\nSkipped, ${count}: ${reason}`);
	console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
	return total.failed > 0 ? 1 : 0;
}
