// What a test, or a helper of one, may import of the product: test/README.md says why.

/** Where a user enters. What stands behind them may be rebuilt without asking a test. */
export const DOORS = [
	// In n8n's engine, or in a real n8n.
	'nodes/[^/]+/[^/]+\\.node',
	'credentials/[^/]+\\.credentials',
	// The receiver's start, and the clock it takes; what is set, and what its messages look like.
	'webhook-receiver/src/server',
	'webhook-receiver/src/time/clock',
	'webhook-receiver/src/config/(read-config|variables)',
	'webhook-receiver/src/core/([^/]+-contract|event-kinds)',
	// The sandbox as it is published: its start, the hook for tests, the client.
	'sandbox/src/(sandbox|testing/jest|client/[^/]+)',
];

/**
 * Functions of values alone, with more cases than could be sent through a door, each with why they are
 * worth a table here.
 */
export const PURE = {
	// Webhooks: any shape, from anyone. A door shows only that an event came out.
	'webhook-receiver/src/core/parse-body': 'bodies that no client sends on purpose',
	'webhook-receiver/src/core/read-events': 'all shapes an event may come in',
	'webhook-receiver/src/core/normalise': 'each field under each of its names',
	'webhook-receiver/src/core/mark': 'what makes two webhooks one',
	'webhook-receiver/src/config/mapping': 'paths into any shape, set by the user',
	'webhook-receiver/src/core/verify': 'who may post: each verifier alone and together',
	'webhook-receiver/src/core/verifiers/.+': 'published test vectors, and near misses of each',
	'webhook-receiver/src/verifiers/.+': 'keys and tokens that a provider publishes',
	// What the receiver decides.
	'webhook-receiver/src/core/records': 'any order of webhooks and polls folds to one letter',
	'webhook-receiver/src/core/outcome': 'what a folded letter means to who waits for it',
	'webhook-receiver/src/queue/plan-batches':
		'who gets what next, under any settings, and what each outcome does',
	'webhook-receiver/src/capabilities/claims/decide-claim':
		'who may send under a key: a letter twice if wrong',
	'webhook-receiver/src/core/retry-after': 'dates and seconds, also nonsense',
	// What is shown of other people's text.
	'webhook-receiver/src/core/address': 'addresses that look like others',
	'webhook-receiver/src/core/unseen': 'characters that nobody sees',
	'webhook-receiver/src/core/used-for': 'names of workflows and nodes',
	// What the nodes judge before and after a request.
	'nodes/shared/sending/claims': 'the form of a key: another form is another letter',
	'nodes/shared/transport/departure': 'whether a request may have left: a letter twice if wrong',
	'nodes/shared/transport/serviceError': 'each answer of the service, in words for its user',
	'nodes/shared/transport/retryPolicy': 'what may be repeated: a letter twice if wrong',
	'nodes/shared/transport/waitInWords': 'dates and seconds, also nonsense',
	'nodes/SendLetter/schedule': 'time zones and days off',
	'nodes/SendLetter/letterBody': 'what a letter may consist of',
	'nodes/shared/recipients/(recipients|identifier)': 'identity numbers of each country',
	'nodes/shared/fields/(field|numberField)': 'values of any shape, as expressions make them',
	'nodes/DownloadEvidence/inspectPdf': 'files that are no PDF, or one cut short',
	'credentials/(pem|clientTls)': 'pasted keys and certificates in every form',
};
