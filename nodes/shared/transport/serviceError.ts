import type { IDataObject, IExecuteFunctions, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { decodedTexts, plainText, shortened } from '../fields/plainText';
import { waitInWords } from './waitInWords';

/**
 * What went wrong, in words a user can act on: the one shape of an error, until it becomes n8n's. Holds no secret:
 * only what the service or the network said.
 */
export interface Failure {
	message: string;
	description: string;
	/** The service's code (`message-not-found`), the network's (`ECONNREFUSED`), our own, or null. */
	code?: string | null;
	/** HTTP status, or null when no answer came. */
	status?: number | null;
	/** Further members of its details. */
	data?: IDataObject;
}

/** What went wrong with a request: to the service, the receiver or n8n itself. */
export interface RequestFailure extends Failure {
	code: string | null;
	status: number | null;
	/** It failed on our side before anything left: a credential that cannot work, say. */
	isLocal?: boolean;
	/** The answer has the interface's own shape of an error, so it comes from the service itself. */
	isOwn?: boolean;
	/** When to ask again: the header `Retry-After`, if there is one. */
	retryAfter?: string | null;
}

/** Thrown where a request failed; the runner adds node and item. */
export class ServiceFailed extends Error {
	readonly error: RequestFailure;

	constructor(error: RequestFailure) {
		super(error.message);
		this.error = error;
	}
}

/**
 * What to do about each code (interface, section Errors). The service's own text stands beside it, so
 * these only give the next step.
 */
const ADVICE: Record<string, string> = {
	'aes-has-no-evidence':
		'Tracked mail has no legal value and never has evidence. Use a registered letter (LRE) or a simple letter (LS) where proof is needed.',
	'consent-bad-recipients':
		'Correct the recipients listed here. Each needs an email, and either first and last name or a company.',
	'consent-cannot-be-reminded':
		'Only consent requests of type EMAIL that are still PENDING can be reminded.',
	'consent-not-found': 'Check the consent ID, and that it belongs to this account.',
	'customer-logo-required': 'Attach a JPEG or PNG file of at most 2 MB.',
	'customer-not-found': 'Check the customer ID, and that this account manages the customer.',
	'customer-not-registered':
		'The customer has not accepted the delegation yet (its state must be ACCEPTED). Nothing of this request was carried out.',
	E_VALIDATION_ERROR: 'Correct the fields listed here. Nothing of this request was carried out.',
	'lre-must-use-mtls':
		'Registered letters need a client certificate that is registered with the account, has not expired, and was first used less than a year ago. Check it in the credential. Nothing of this request was carried out.',
	'message-bad-contacts':
		'Correct the recipients listed here. Nothing of this request was carried out.',
	'message-not-found':
		'Check the message ID, and that the credential belongs to the account that sent it.',
	'payment-request-rejected':
		'The service could not charge the account. Settle the payment with the service, then try again. Nothing of this request was carried out.',
	unauthorized:
		'The service does not accept the API token. Check it in the credential. If you lost it, generate a new one in the dashboard.',
};

const STATUS_ADVICE: Record<number, string> = {
	401: ADVICE.unauthorized,
	403: 'The account of the credential is not allowed to do this.',
	404: 'Check the Base URL of the credential and the ID.',
	413: 'The request is larger than the service accepts.',
};

/**
 * Reads an answer that is an error, whatever its shape (rule AUTH-06; interface, section Errors).
 *
 * @param retryAfter the header `Retry-After`: how long to wait
 * @param isCached the answer comes from a cache on the way
 */
export function readServiceError(
	status: number,
	body: unknown,
	retryAfter: string | null = null,
	isCached = false,
): RequestFailure {
	const given = isRecord(body) ? body : {};
	const answer = decodedTexts(given);
	const code = typeof answer.code === 'string' ? answer.code : null;
	const text = typeof body === 'string' ? startOf(body) : '';
	const own = typeof answer.message === 'string' ? answer.message : text;
	const advice =
		codeAdvice(code) ||
		STATUS_ADVICE[status] ||
		statusAdvice(status, waitInWords(retryAfter, Date.now()));
	return {
		message: [own || `The service answered with HTTP status ${status}`, code && `(${code})`]
			.filter(Boolean)
			.join(' '),
		description: [...rejectionLines(answer), advice].filter(Boolean).join('\n'),
		code,
		status,
		isOwn: !isCached && isOwnError(given),
		retryAfter,
	};
}

/**
 * What the service rejected, one by one (rules SEND-11, CUST-02, CONS-05), in the lists `errors`,
 * `invalidRecipients`, `data` and `data.errors` (interface, section Errors). It shows entries of the form
 * `{field, rule, message}` only, and does not say how the others name their recipient: an entry is traced by its
 * field path, or by its address.
 */
function rejectionLines({ data, errors, invalidRecipients }: Record<string, unknown>): string[] {
	const inData = (data as { errors?: unknown } | null | undefined)?.errors;
	return [errors, invalidRecipients, data, inData].flatMap((list) =>
		Array.isArray(list) ? list.map(rejectionLine) : [],
	);
}

// `customers.3.email`, `recipients[3].email`, `recipients[3]`
const PATH = /^(\w+)(?:\.(\d+)|\[(\d+)\])(?:\.(.+))?$/;

function rejectionLine(entry: unknown): string {
	const members: Record<string, unknown> =
		typeof entry === 'string' ? { email: entry } : { ...(entry as object) };
	const text = (name: string) => {
		const given = members[name];
		return typeof given === 'string' && given !== '' ? given : null;
	};
	const email = text('email')?.trim() ?? '';
	const isAddress = /^[^\s@]+@[^\s@]+$/.test(email);
	const path = text('field');
	const rule = text('rule');
	// One that says in a way of its own whom it is about is shown as it came.
	const isKnown = isAddress || path !== null || Object.keys(members).length === 1;
	const message =
		(isKnown && text('message')) || (typeof entry === 'string' ? email : JSON.stringify(entry));
	const [, list, ...parts] = PATH.exec(path ?? '') ?? [];
	const [dotted, indexed, inEntry] = parts as Array<string | undefined>;
	const position = dotted ?? indexed;
	// A field path counts from 0.
	const whose = list === 'customers' ? 'Customer' : 'Recipient';
	const who = position === undefined ? '' : `${whose} ${Number(position) + 1}, `;
	const isNamed = message.toLowerCase().includes(email.toLowerCase());
	const address = isAddress && !isNamed ? `<${email}>` : null;
	const place = [address, position === undefined ? path : inEntry].filter(Boolean).join(', ');
	return `${who}${place && `${place}: `}${message}${rule ? ` (${rule})` : ''}`;
}

// Stricter than what is read: gateways and GraphQL answer in JSON with a message too, with a number or words
// of their own for a code, and lists of errors that name no field and no rule.
function isOwnError({ message, code, errors }: Record<string, unknown>): boolean {
	const isText = (value: unknown) => typeof value === 'string' && value !== '';
	const isRejection = (entry: unknown) =>
		isRecord(entry) && [entry.field, entry.rule, entry.message].every(isText);
	if (isText(message) && typeof code === 'string') return OWN_CODE.test(code);
	return Array.isArray(errors) && errors.length > 0 && errors.every(isRejection);
}

/**
 * How the service spells its codes: `message-not-found`, `E_VALIDATION_ERROR`. A single word may be anyone's;
 * the one that the service has, `unauthorized`, comes with 401.
 */
const OWN_CODE = /^(?:[a-z0-9]+(?:-[a-z0-9]+)+|E(?:_[A-Z0-9]+)+)$/;

/**
 * The error for an answer that does not come from the service or does not match its interface: a sign-in or
 * proxy page, a truncated text, nothing. Whatever its status, it is not a success.
 *
 * @param expected what was due, as the end of "… instead of": "a link to the evidence"
 */
export function unexpectedAnswer(status: number, body: unknown, expected: string): RequestFailure {
	const start = startOf(body);
	const description =
		'Check the Base URL of the credential, and whether a proxy, a firewall or a sign-in page answers in place of the service.';
	return {
		message: `The service returned an unexpected response: ${start === '' ? 'nothing' : `"${start}"`} with HTTP status ${status}, instead of ${expected}`,
		description,
		code: null,
		status,
	};
}

/** Adds what an operation knows about an error to the advice for its code. */
export function withAdvice(error: RequestFailure, line: string): RequestFailure {
	return { ...error, description: [error.description, line].filter(Boolean).join('\n') };
}

// A code comes from the service, and could be a name that every object has.
function codeAdvice(code: string | null): string {
	return code !== null && Object.hasOwn(ADVICE, code) ? ADVICE[code] : '';
}

function statusAdvice(status: number, wait: string | null): string {
	const again = wait === null ? 'Try again later' : `Try again in ${wait}`;
	if (status === 429) {
		return `The service limits the request rate. ${again}, or send fewer at a time.`;
	}
	if (status >= 500) return `The service, or a proxy in front of it, has a fault. ${again}.`;
	if (status >= 300 && status < 400) {
		return 'The address answers with a redirect, which the node does not follow: it could send the token elsewhere. Check the Base URL of the credential.';
	}
	return wait === null ? '' : `${again}.`;
}

// An HTML page becomes its text, anything else its JSON. The query of a link may be what opens it.
function startOf(body: unknown): string {
	if (body === undefined || body === null) return '';
	const text = typeof body === 'string' ? plainText(body.slice(0, 50_000)) : JSON.stringify(body);
	return shortened(text.replace(/(https?:\/\/[^\s"'?#]*)[?#][^\s"']*/gi, '$1?…'));
}

/** The error n8n shows. Built only from text, so that it holds nothing of the request. */
export function apiError(
	context: Pick<IExecuteFunctions, 'getNode'>,
	{ message: words, description, code, status, data }: Failure,
	itemIndex?: number,
): NodeApiError {
	// With the other spelling in an error's message, n8n lists the execution as canceled, not as failed.
	const message = words.replaceAll('canceled', 'cancelled');
	const error = new NodeApiError(context.getNode(), { message } as JsonObject, {
		message,
		description,
		itemIndex,
		...(typeof status === 'number' && { httpCode: String(status) }),
	});
	// For one that names a code it knows, n8n sets a message of its own.
	error.message = message;
	error.context.data = { code, status, ...data };
	return error;
}
