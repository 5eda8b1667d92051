// Which files are policy, and how the mutation tester runs the unit tests over them.
// Paths are seen from the project's root, where scripts/mutation.mjs starts it.

/**
 * The rule: a file that decides about letters, events, duplicates, authentication, retries, evidence
 * or waiting, and does so without I/O. Clock and chance are passed in; nothing in it reaches the
 * network, a database, a file or n8n, but for what it is given. A folder that is pure is listed as a
 * whole, a file that is pure among others by its name.
 *
 * Each part of the project by itself, with its own unit tests: they load in a third of the time, and
 * what the tests of another part notice by chance does not count.
 *
 * Left out as pure data: schemas of what receiver and pack exchange (`*-contract.ts`), fields and
 * outputs as the editor shows them, and texts for people, such as the advice on each error. Their
 * mistakes are typing errors, which mutants say nothing new about. Left
 * out is also what suites over HTTP alone prove: watching, waiting, and what needs a person.
 */
const pure = {
	receiver: [
		// What the receiver believes of an event, and what it reads in it; the pack has the same code.
		'webhook-receiver/src/core/!(*-contract|http-error|match|outcome|list*|without-query).ts',
		'webhook-receiver/src/core/verifiers/*.ts',
		'webhook-receiver/src/ingest/verifiers/!(published-keys).ts',
		'webhook-receiver/src/config/{cross-checks,mapping}.ts',
		// Who gets what, who may send, and what became of it.
		'webhook-receiver/src/queue/{plan-batches,settle-batch}.ts',
		'webhook-receiver/src/claim/decide-claim.ts',
	],
	pack: [
		// What may go out.
		'nodes/SendLetter/{letterBody,schedule}.ts',
		'nodes/shared/recipients/{checkDigits,recipients}.ts',
		'nodes/shared/fields/{dateTime,field}.ts',
		// Requests: whether they left, whether they go again, whom a refusal is about, and no secret told.
		'nodes/shared/transport/{departure,rejections,retryAfter,retryPolicy}.ts',
		'credentials/{authenticate,clientTls,pem}.ts',
		'nodes/DownloadEvidence/inspectPdf.ts',
	],
	sandbox: [
		// The sandbox: what it takes, what can happen to a letter, and what it never shows.
		'sandbox/src/delivery/lifecycle.ts',
		'sandbox/src/messages/schedule-window.ts',
		'sandbox/src/http/contacts.ts',
		'sandbox/src/http/unknown-members.ts',
		'sandbox/src/journal/masking.ts',
	],
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
