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
 * mistakes are typing errors, which mutants say nothing new about.
 */
const pure = {
	receiver: [
		// What the receiver believes of an event, and what it reads in it; the pack has the same code.
		'webhook-receiver/src/core/!(*-contract|http-error).ts',
		'webhook-receiver/src/core/verifiers/*.ts',
		'webhook-receiver/src/ingest/verifiers/!(published-keys).ts',
		'webhook-receiver/src/config/{cross-checks,mapping}.ts',
		// Who gets what, who may send, what became of it, and what needs a person.
		'webhook-receiver/src/queue/{plan-batches,settle-batch}.ts',
		'webhook-receiver/src/claim/decide-claim.ts',
		'webhook-receiver/src/attention/attention.ts',
		// Watching, waiting and trying again.
		'webhook-receiver/src/watch/{after-list-page,after-poll,health,list-watch,pace}.ts',
		'webhook-receiver/src/time/{back-off,set-back}.ts',
	],
	pack: [
		// Sending: what may go out, in which requests, and which answer says what about whom.
		'nodes/SendLetter/{letterBody,resending,schedule}.ts',
		'nodes/shared/sending/{createdEntries,entry,entryErrors,isolate,locateRejections,plan}.ts',
		'nodes/shared/consents/{reminder,request}.ts',
		'nodes/shared/recipients/{checkDigits,recipients}.ts',
		'nodes/shared/fields/{dateTime,field,messageId,picker}.ts',
		// Requests: whether they left, whether they go again, whom a refusal is about, and no secret told.
		'nodes/shared/transport/{departure,multipart,paging,redact,rejections,retryAfter,retryPolicy}.ts',
		'credentials/{authenticate,clientTls,pem}.ts',
		// Events and outcomes in n8n, and evidence.
		'nodes/shared/consumer/{consumerKey,inFlight,outage}.ts',
		'nodes/shared/waiting/{deadline,outputs,sleeping}.ts',
		'nodes/shared/following/{asked,plan,readSleeper}.ts',
		'nodes/RegisteredDeliveryDirectTrigger/{directEvents,eventMemory}.ts',
		'nodes/AwaitConsent/decide.ts',
		'nodes/GetStatus/summary.ts',
		'nodes/DownloadEvidence/{httpsUrl,inspectPdf}.ts',
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
