// Which files are policy, and how the mutation tester runs the unit tests over them.
// Paths are seen from the project's root, where scripts/mutation.mjs starts it.

/** Decisions without I/O: what is sent, what is believed, what is repeated, and where to. */
const policies = [
	// Validation
	'nodes/shared/sending/letterBody.ts',
	'nodes/shared/fields/messageId.ts',
	'nodes/shared/recipients/recipients.ts',
	'nodes/shared/fields/schedule.ts',
	'nodes/shared/fields/uuid.ts',
	'sandbox/src/messages/schedule-window.ts',
	// Normalisation
	'webhook-receiver/src/core/event-kinds.ts',
	'webhook-receiver/src/core/statuses.ts',
	'webhook-receiver/src/config/mapping.ts',
	'webhook-receiver/src/core/match.ts',
	'webhook-receiver/src/core/normalise.ts',
	'webhook-receiver/src/core/parse-body.ts',
	'webhook-receiver/src/core/read-time.ts',
	// Retry timing, and whether a request left
	'nodes/shared/transport/departure.ts',
	'nodes/shared/transport/retryPolicy.ts',
	'webhook-receiver/src/http/retry-after.ts',
	'webhook-receiver/src/wait/wake-up-policy.ts',
	// Who gets what, and what became of it
	'nodes/shared/consumer/inFlight.ts',
	'webhook-receiver/src/claim/decide-claim.ts',
	'webhook-receiver/src/pull/plan-batches.ts',
	'webhook-receiver/src/pull/settle-batch.ts',
	// Watching
	'webhook-receiver/src/watch/{changes,decide,health,merge-status,merge-webhook,pace}.ts',
	// Verification
	'webhook-receiver/src/core/verify.ts',
	'webhook-receiver/src/{core,ingest}/verifiers/*.ts',
	// What is the same event
	'nodes/RegisteredDeliveryDirectTrigger/eventMemory.ts',
	'webhook-receiver/src/core/duplicates.ts',
	'webhook-receiver/src/core/fingerprint.ts',
	// Multipart framing
	'nodes/shared/transport/multipart.ts',
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
	ignorePatterns: ['.local', 'dist'],
	thresholds: { high: 95, low: 85, break: 85 },
	allowEmpty: false,
};
