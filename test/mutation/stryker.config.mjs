// Which files are policy, and how the mutation tester runs the unit tests over them.
// Paths are seen from the project's root, where scripts/mutation.mjs starts it.

/** Decisions without I/O: what is sent, what is believed, what is repeated, and where to. */
const policies = [
	// Validation
	'nodes/shared/letterBody.ts',
	'nodes/shared/messageId.ts',
	'nodes/shared/messageIds.ts',
	'nodes/shared/recipients.ts',
	'nodes/shared/schedule.ts',
	'nodes/shared/uuid.ts',
	'sandbox/src/schedule-window.ts',
	// Normalisation
	'webhook-receiver/src/event-kinds.ts',
	'webhook-receiver/src/mapping.ts',
	'webhook-receiver/src/match.ts',
	'webhook-receiver/src/normalise.ts',
	'webhook-receiver/src/parse-body.ts',
	'webhook-receiver/src/read-time.ts',
	// Retry timing, and whether a request left
	'nodes/shared/departure.ts',
	'nodes/shared/retryPolicy.ts',
	'webhook-receiver/src/retry-after.ts',
	'webhook-receiver/src/wait/wake-up-policy.ts',
	// Who gets what, and what became of it
	'nodes/shared/consumer/hand.ts',
	'webhook-receiver/src/claim/decide-claim.ts',
	'webhook-receiver/src/pull/plan-batches.ts',
	'webhook-receiver/src/pull/settle-batch.ts',
	// Watching
	'webhook-receiver/src/watch/{changes,decide,health,merge-status,merge-webhook,not-found,order}.ts',
	// Verification
	'webhook-receiver/src/verify.ts',
	'webhook-receiver/src/verifiers/*.ts',
	// What is the same event
	'nodes/RegisteredDeliveryDirectTrigger/eventMemory.ts',
	'webhook-receiver/src/dedup.ts',
	'webhook-receiver/src/fingerprint.ts',
	// Multipart framing
	'nodes/shared/multipart.ts',
];

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: policies,
	testRunner: 'jest',
	testRunnerNodeArgs: [
		'--disable-warning=ExperimentalWarning',
		'--experimental-vm-modules',
		// A mutant that never ends fills it in seconds; the tests need a quarter of it.
		'--max-old-space-size=2048',
	],
	jest: { configFile: 'test/mutation/jest.config.mjs' },
	coverageAnalysis: 'perTest',
	// Each run leaves some megabytes behind in the runner, as jest's module registries do.
	maxTestRunnerReuse: 40,
	// Two cores, of which the rest of the machine keeps one.
	concurrency: 1,
	timeoutMS: 5_000,
	// The tests are transpiled without type checks, so there is nothing to switch off.
	disableTypeChecks: false,
	incremental: true,
	incrementalFile: '.local/mutation-report/incremental.json',
	reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	jsonReporter: { fileName: '.local/mutation-report/mutation.json' },
	htmlReporter: { fileName: '.local/mutation-report/mutation.html' },
	tempDirName: '.local/mutation-sandbox',
	ignorePatterns: [
		'.local',
		'dist',
		'demo',
		'examples',
		'icons',
		'test/*',
		'!test/unit',
		'!test/support',
		'!test/mutation',
	],
	thresholds: { high: 95, low: 85, break: 85 },
	allowEmpty: false,
};
