// Which files are policy, and how the mutation tester runs the unit tests over them.
// Paths are seen from the project's root, where scripts/mutation.mjs starts it.

import { globSync } from 'node:fs';

import { PURE } from '../doors.mjs';

const IS_PURE = new RegExp(`^(${Object.keys(PURE).join('|')})\\.ts$`);

/**
 * The pure files that a table may import (test/doors.mjs), and nothing else: what only an engine, a server or
 * a clock shows is the sabotage table's. Each part of the project by itself, with its own unit tests: they load
 * in a third of the time, and what the tests of another part notice by chance does not count.
 */
const filesOf = (...folders) =>
	globSync(folders.map((folder) => `${folder}/**/*.ts`)).filter((file) => IS_PURE.test(file));

const pure = {
	receiver: filesOf('webhook-receiver/src').filter(
		// Waits for a server's time, so its tests are left out.
		(file) => !file.endsWith('/published-keys.ts'),
	),
	pack: filesOf('nodes', 'credentials'),
};

const { MUTATION_PART: part } = process.env;

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: pure[part],
	testRunner: 'jest',
	testRunnerNodeArgs: [
		'--disable-warning=ExperimentalWarning',
		'--experimental-vm-modules',
		// A runner near its limit only collects garbage; the tests themselves need half a gigabyte.
		'--max-old-space-size=6144',
	],
	jest: { configFile: 'test/mutation/jest.config.mjs' },
	coverageAnalysis: 'perTest',
	// Each run leaves some megabytes behind in the runner, as jest's module registries do.
	maxTestRunnerReuse: 20,
	concurrency: 2,
	timeoutMS: 5_000,
	// The tests are transpiled without type checks, so there is nothing to switch off.
	disableTypeChecks: false,
	incremental: true,
	incrementalFile: `.local/mutation-report/${part}/incremental.json`,
	reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	jsonReporter: { fileName: `.local/mutation-report/${part}/mutation.json` },
	htmlReporter: { fileName: `.local/mutation-report/${part}/mutation.html` },
	tempDirName: '.local/mutation-sandbox',
	ignorePatterns: ['.local', 'dist'],
	thresholds: { high: 95, low: 85, break: 85 },
	allowEmpty: false,
};
