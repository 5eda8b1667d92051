import type { Scenario } from './scenario-schemas.ts';

/** Ready-made data and behaviours. Each adds to the current state; reset first to start clean. */
export const BUILT_IN_SCENARIOS: Record<string, Scenario> = {
	'letters-in-every-state': {
		description:
			'One letter of the account direct for each status that the service can show, file references ' +
			'STATE-<status>.',
		steps: [
			{
				call: 'placeLetters',
				with: {
					letters: [
						letter('LS', 'SCHEDULED', [], { scheduledInMs: 3 * 86_400_000 }),
						letter('LS', 'CANCELLED', ['cancel'], { scheduledInMs: 3 * 86_400_000 }),
						letter('LRE', 'SENT', ['deliver']),
						letter('AES', 'RECEIVED', ['deliver']),
						letter('AES', 'OPENED', ['deliver', 'open']),
						letter('LRE', 'ACCEPTED', ['deliver', 'accept']),
						letter('LRE', 'REFUSED', ['deliver', 'refuse']),
						letter('AES', 'UNDELIVERED', ['bounce']),
						letter('LS', 'EXPIRED', ['deliver', 'expire']),
						letter('AES', 'FAILED', ['fail']),
					],
				},
			},
		],
	},
	'bounced-mailing': {
		description:
			'A mailing of twenty tracked mails of the account direct, file reference MAILING-1: fourteen ' +
			'arrived and six bounced.',
		steps: [
			{
				call: 'placeLetters',
				with: {
					letters: Array.from({ length: 20 }, (_, index) => ({
						type: 'AES',
						email: `never+reader-${index + 1}@mailing.example`,
						lastname: `Reader ${index + 1}`,
						fileReference: 'MAILING-1',
						happens: [index % 3 === 2 ? 'bounce' : 'deliver'],
					})),
				},
			},
		],
	},
	'expired-certificate': {
		description: 'The client certificate of the account direct has expired: LRE gets a 405.',
		steps: [expired('direct')],
	},
	'identity-ended': {
		description:
			'The verified identity (KYC) of the account direct has ended: LRE gets a 405, and what is ' +
			'scheduled fails when its time comes.',
		steps: [{ call: 'setKyc', with: { name: 'direct', valid: false } }],
	},
	'payment-refused': {
		description: 'Payments of the account direct are refused: resends get a 402.',
		steps: [{ call: 'setPayment', with: { name: 'direct', accepted: false } }],
	},
	'rate-limited': {
		description: 'Each account may make five requests in ten seconds; then 429 with Retry-After.',
		steps: [{ call: 'setRateLimit', with: { requests: 5, seconds: 10 } }],
	},
	'service-down': {
		description:
			'For a minute of the sandbox’s clock every request gets a 503 with Retry-After: 60, and ' +
			'nothing is processed.',
		steps: [fault({ forMs: 60_000, fault: { kind: 'status', status: 503, retryAfter: 60 } })],
	},
	'lost-answers': {
		description:
			'One send in three is processed, but its answer is lost with the connection: a client that ' +
			'sends again sends twice. The same ones each time.',
		steps: [
			fault({ method: 'POST', path: '/messages/bulk_send', seed: 1, rates: { cutAfter: 1 / 3 } }),
		],
	},
	'slow-service': {
		description: 'Answers take 50 ms, and one in twenty up to three seconds.',
		steps: [{ call: 'setLatency', with: { rules: [{ latency: 'slow-tail' }] } }],
	},
};

function letter(type: string, status: string, happens: string[], more: object = {}) {
	const email = `never+${status.toLowerCase()}@mail.example`;
	return { type, email, lastname: status, fileReference: `STATE-${status}`, happens, ...more };
}

function expired(name: string): Scenario['steps'][number] {
	const expiresAt = '2000-01-01T00:00:00Z';
	return { call: 'changeCertificate', with: { name, fingerprint: 'current', expiresAt } };
}

function fault(rule: object): Scenario['steps'][number] {
	return { call: 'addFaults', with: { faults: [rule] } };
}
