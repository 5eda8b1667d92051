import type { IDataObject, IExecuteFunctions, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { isRecord } from './isRecord';
import { problemText, readProblems, type Problem } from './problems';

/** What went wrong, in words a user can act on. Holds no secret: only what the service answered. */
export interface Failure {
	message: string;
	description: string;
	/** The service's code (`message-not-found`), or the network's (`ECONNREFUSED`), or null. */
	code: string | null;
	/** HTTP status, or null when no answer came. */
	status: number | null;
	/** It failed on our side, before anything left: a credential that cannot work, say. */
	isLocal?: boolean;
	/** What the service found wrong, one by one; the description has them in words. */
	problems?: Problem[];
	/** What to do about it; the last line of the description. */
	advice?: string;
}

/**
 * What to do about each code of the interface, section Errors. The service's own text is shown beside
 * it, so these say the next step only.
 */
const ADVICE: Record<string, string> = {
	'aes-has-no-evidence':
		'Tracked mail has no legal value and never has evidence. Use a registered letter (LRE) or a simple letter (LS) where proof is needed.',
	'consent-bad-recipients':
		'Correct the recipients named here. Each needs an email, and either first and last name or a company.',
	'consent-cannot-be-reminded':
		'Only consent requests of type EMAIL that are still PENDING can be reminded.',
	'consent-not-found': 'Check the consent ID, and that it belongs to this account.',
	'customer-logo-required': 'Attach a JPEG or PNG file of at most 2 MB.',
	'customer-not-found': 'Check the customer ID, and that this account manages the customer.',
	'customer-not-registered':
		'The customer has not accepted the delegation yet (its state must be ACCEPTED). Nothing was sent.',
	E_VALIDATION_ERROR: 'Correct the fields named here. Nothing was created.',
	'lre-must-use-mtls':
		'Registered letters need a client certificate that is registered with the account, has not expired and was first used less than a year ago. Check it in the credential. Nothing was sent.',
	'message-bad-contacts': 'Correct the recipients named here. Nothing was sent.',
	'message-not-found':
		'Check the message ID, and that the credential belongs to the account that sent it.',
	'payment-request-rejected':
		'The service could not charge the account. Settle the payment with the service, then try again. Nothing was sent.',
	unauthorized:
		'The service does not accept the API token. Check it in the credential; if it was lost, generate a new one in the dashboard.',
};

const STATUS_ADVICE: Record<number, string> = {
	401: ADVICE.unauthorized,
	403: 'The account of the credential is not allowed to do this.',
	404: 'Check the Base URL of the credential and the ID.',
	413: 'The request is larger than the service accepts.',
	429: 'The service limits how fast requests may come. Try again later, or send fewer at a time.',
};

/** Reads a failed answer, whatever its shape (rule AUTH-06, interface section Errors). */
export function describeFailure(status: number, body: unknown): Failure {
	const answer = isRecord(body) ? body : {};
	const code = typeof answer.code === 'string' ? answer.code : null;
	const own = typeof answer.message === 'string' ? answer.message : readableText(body);
	const problems = readProblems(answer);
	const advice = codeAdvice(code) || STATUS_ADVICE[status] || serverAdvice(status);
	return {
		message: [own || `The service answered with HTTP status ${status}`, code && `(${code})`]
			.filter(Boolean)
			.join(' '),
		description: [...problems.map(problemLine), advice].filter(Boolean).join('\n'),
		code,
		status,
		problems,
		advice,
	};
}

// A code is the service's text, and could be the name of something every object has.
function codeAdvice(code: string | null): string {
	return code !== null && Object.hasOwn(ADVICE, code) ? ADVICE[code] : '';
}

function problemLine(problem: Problem): string {
	const { list, position } = problem;
	const text = problemText(problem);
	if (position === null) return text;
	return `${list === 'customers' ? 'Customer' : 'Recipient'} ${position + 1}, ${text}`;
}

function serverAdvice(status: number): string {
	return status >= 500 ? 'The service, or a proxy before it, has a fault. Try again later.' : '';
}

// An HTML page of a proxy becomes its text, a long one is cut.
function readableText(body: unknown): string {
	if (typeof body !== 'string') return '';
	const text = body
		.replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, ' ')
		.replace(/<[^>]*>/g, ' ')
		.replace(/\s+/g, ' ')
		.trim();
	return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Words for what Node and OpenSSL report when no answer came. First match wins. */
const NETWORK_FAULTS: Array<[RegExp, string]> = [
	[
		/ENOTFOUND|EAI_AGAIN/,
		'The host of the Base URL cannot be found. Check the address for typing errors.',
	],
	[
		/ECONNREFUSED/,
		'Nothing answers at the Base URL: the connection was refused. Check host and port, and that the service is running.',
	],
	[
		/ETIMEDOUT|ECONNABORTED|timeout|EHOSTUNREACH|ENETUNREACH/i,
		'The service could not be reached in time. Check the Base URL and the network between n8n and the service.',
	],
	[
		/mac verify failure|PKCS12/i,
		'The Passphrase of the credential does not open the PFX. Check it for typing errors.',
	],
	[
		/not enough data|wrong tag|header too long|unsupported.*pkcs12|asn1/i,
		'The PFX of the credential cannot be read. Encode the .p12 file as Base64 again.',
	],
	[
		/SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|self[- ]signed|unable to verify/i,
		'The certificate of the service is not from a known authority. If the service uses a private one, paste its certificate into CA Certificate.',
	],
	[
		/ERR_TLS_CERT_ALTNAME_INVALID/,
		'The certificate of the service belongs to another host name than the one in the Base URL.',
	],
	[/CERT_HAS_EXPIRED/, 'The certificate of the service has expired.'],
	[/\balert\b|_ALERT_/i, 'The service refused the client certificate of the credential.'],
	[
		/EPROTO|WRONG_VERSION_NUMBER|packet length too long/i,
		'The address does not speak HTTPS. Check host and port of the Base URL.',
	],
	[/ECONNRESET|EPIPE|socket hang up/i, 'The connection broke before the service had answered.'],
];

/**
 * Reads an error that n8n's request helper threw because no answer came. Only its code and message
 * are looked at: the error itself holds the token and the private key.
 */
export function describeNetworkFailure(error: unknown): Failure {
	const { code, message } = innermost(error);
	const known = NETWORK_FAULTS.find(([pattern]) => pattern.test(`${code ?? ''} ${message}`));
	return {
		message: known?.[1] ?? (message || 'The request failed before the service answered.'),
		description: code ? `Reported as ${code}.` : '',
		code,
		status: null,
		// What the network or OpenSSL reports has a code; what the credential's checks say has none.
		isLocal: code === null,
	};
}

// n8n wraps the network's error, and its own words for it hide the code that tells most.
function innermost(error: unknown): { code: string | null; message: string } {
	let code: string | null = null;
	let message = '';
	for (let current = error, depth = 0; isRecord(current) && depth < 5; depth++) {
		if (typeof current.code === 'string') code = current.code;
		if (typeof current.message === 'string' && current.message !== '') message = current.message;
		current = current.cause;
	}
	return { code, message };
}

/** The error n8n shows. Made from words alone, so that nothing of the request clings to it. */
export function apiError(
	context: Pick<IExecuteFunctions, 'getNode'>,
	failure: Failure,
	itemIndex: number,
): NodeApiError {
	const { message, description, code, status } = failure;
	const error = new NodeApiError(context.getNode(), { message } as JsonObject, {
		message,
		description,
		itemIndex,
		...(status !== null && { httpCode: String(status) }),
	});
	error.context.data = { code, status } as IDataObject;
	return error;
}
