import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { DeliveryCredential } from '../../../credentials/authenticate';
import { withEitherAuthority } from './authorities';
import { CREDENTIAL, namingCertificate, usableCredential } from './credential';
import { answerIn, departureOf } from './departure';
import { StreamedForm } from './multipart';
import { describeNetworkFailure, rejectedByProxy } from './networkFailure';
import { carriedOut, waitBeforeRetry, type Carried } from './retryPolicy';
import { readServiceError, ServiceFailed, type RequestFailure } from './serviceError';

/** A request to the service. `body` goes out as JSON, or as multipart when it is a form. */
export interface ServiceRequest {
	method: IHttpRequestMethods;
	path: string;
	query?: IDataObject;
	body?: IDataObject | StreamedForm;
	/** Timeout in milliseconds. */
	timeout?: number;
}

/** Milliseconds to wait for any answer, and for uploads beside the time they take: n8n's own default. */
const ANSWER_TIMEOUT = 300_000;

/**
 * Milliseconds to allow for a file, up or down: the timeout of any request, plus a second for each
 * 64 KiB.
 */
export function transferTimeout(bytes: number): number {
	return ANSWER_TIMEOUT + Math.ceil(bytes / (64 * 1024)) * 1000;
}

/** An answer with a success status, whatever its shape. */
export interface ServiceAnswer {
	status: number;
	body: unknown;
}

/** The service's answer, or why there is none and whether the request was carried out anyway. */
export type ServiceResult = ServiceAnswer | { error: RequestFailure; carried: Carried };

/**
 * Sends a request and returns the answer.
 *
 * @throws ServiceFailed with the service's words and what to do about them
 */
export async function requestService(
	context: IExecuteFunctions,
	request: ServiceRequest,
): Promise<ServiceAnswer> {
	const result = await callService(context, request);
	if ('error' in result) throw new ServiceFailed(result.error);
	return result;
}

/**
 * Sends a request through n8n's authenticated helper. Repeats it where that is safe and useful: a GET on 429,
 * 5xx and network faults, any other only on 429 and if it certainly did not leave (rule AUTH-05). Failures of
 * the service or the network and a cancelled execution are returned, not thrown.
 */
export async function callService(
	context: IExecuteFunctions,
	request: ServiceRequest,
): Promise<ServiceResult> {
	const credential = await usableCredential(context);
	const options = requestOptions(credential, request);
	const isRepeatable = request.method === 'GET' || request.method === 'DELETE';
	const since = Date.now();
	for (let count = 1; ; count++) {
		const answer = await exchange(context, credential, options);
		if ('body' in answer) return answer;
		const failed = { ...answer, isRepeatable };
		const wait = waitBeforeRetry(failed, { count, since }, Date.now(), Math.random());
		const carried = carriedOut(failed);
		const result = { error: namingCertificate(answer.error, credential), carried };
		if (wait === null) return result;
		try {
			await sleep(wait, context.getExecutionCancelSignal());
		} catch {
			return result;
		}
	}
}

/** Milliseconds for an answer that is soon asked for again. */
const SHORT_TIMEOUT = 30_000;

/**
 * Sends a GET once, for a caller that repeats it at its own pace.
 *
 * @throws ServiceFailed, or InvalidItem if the credential is unusable
 */
export async function askOnce(context: IExecuteFunctions, path: string): Promise<ServiceAnswer> {
	const credential = await usableCredential(context);
	const request = { method: 'GET', path, timeout: SHORT_TIMEOUT } as const;
	const answer = await exchange(context, credential, requestOptions(credential, request));
	if ('error' in answer) {
		throw new ServiceFailed(namingCertificate(answer.error, credential));
	}
	return answer;
}

/**
 * What n8n throws rather than returns: with the error comes the socket, which tells an answer of the service
 * from a proxy's. A 401 that is thrown n8n would send again.
 */
const FAILED_STATUSES = Array.from({ length: 300 }, (_, at) => 300 + at).filter(
	(status) => status !== 401,
);

function requestOptions(
	{ baseUrl }: DeliveryCredential,
	{ method, path, query, body, timeout = ANSWER_TIMEOUT }: ServiceRequest,
): IHttpRequestOptions {
	return {
		method,
		url: `${baseUrl}${path}`,
		qs: query,
		body: body as IHttpRequestOptions['body'],
		json: true,
		ignoreHttpStatusErrors: { ignore: true, except: FAILED_STATUSES },
		returnFullResponse: true,
		timeout,
	};
}

/** The answer to one try. */
type Exchange = ServiceAnswer | { error: RequestFailure; hasLeft: boolean };

// The helper's error holds the whole request, secrets included, so it ends here.
async function exchange(
	context: IExecuteFunctions,
	credential: DeliveryCredential,
	options: IHttpRequestOptions,
): Promise<Exchange> {
	let response: IN8nHttpFullResponse;
	try {
		response = await transmit(context, credential, options);
	} catch (thrown) {
		const { wasConnected, hasLeft } = departureOf(thrown);
		const answer = answerIn(thrown);
		if (answer === null) {
			return { error: describeNetworkFailure(thrown, wasConnected), hasLeft };
		}
		if (!wasConnected) {
			const { statusCode, headers } = answer;
			return { error: rejectedByProxy(statusCode, retryAfterOf(headers)), hasLeft };
		}
		response = answer;
	}
	// Outside the try: a slip in here must not pass for a request that never left.
	const answer = readServiceAnswer(response, credential);
	const isUnderWay = options.body instanceof StreamedForm && !options.body.isHandedOver;
	return 'error' in answer ? { ...answer, hasLeft: !isUnderWay } : answer;
}

async function transmit(
	context: IExecuteFunctions,
	{ caCertificate: ca }: DeliveryCredential,
	options: IHttpRequestOptions,
): Promise<IN8nHttpFullResponse> {
	const send = async (agentOptions?: { ca: string | undefined }) => {
		try {
			return (await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, {
				...options,
				agentOptions,
			})) as IN8nHttpFullResponse;
		} finally {
			if (options.body instanceof StreamedForm) options.body.close();
		}
	};
	return await (ca ? withEitherAuthority(ca, { url: options.url, first: 'own' }, send) : send());
}

/** What an answer says, without the token that it may repeat. */
export function readServiceAnswer(
	{ statusCode: status, headers, body: given }: IN8nHttpFullResponse,
	{ apiToken }: DeliveryCredential,
): Exchange {
	const body = redact(given, apiToken);
	if (status >= 200 && status < 300) return { status, body };
	const error = readServiceError(status, body, retryAfterOf(headers), isCached(headers));
	return { error, hasLeft: true };
}

// Of these only a cache sets `Age`; the others tell also of requests that it passed on.
function isCached(headers: IN8nHttpFullResponse['headers']): boolean {
	const told = ['cache-status', 'cf-cache-status', 'x-cache'].map((name) => headers[name]);
	return headers.age !== undefined || /\b(?:hit|stale)\b/i.test(told.join(' '));
}

function retryAfterOf({ 'retry-after': header }: IN8nHttpFullResponse['headers']): string | null {
	return typeof header === 'string' ? header : null;
}

const REDACTED = '[redacted]';

/** Anything shorter is not a secret, and would match parts of words. */
const SHORTEST = 4;

/**
 * Removes the token from an answer, wherever it is, member names included. Otherwise a service that repeats
 * the token in its error text would put it into n8n's log and database.
 *
 * The token is all that a service gets of the credential: key and passphrase never leave n8n, and a passphrase
 * such as "1234" would match parts of ids and links.
 *
 * @param answer as parsed from JSON, or a text
 * @param token as in the credential
 */
function redact(answer: unknown, token: string | undefined): unknown {
	const secret = token?.trim() ?? '';
	return secret.length < SHORTEST ? answer : redacted(answer, secret);
}

function redacted(value: unknown, secret: string): unknown {
	if (typeof value === 'string') return value.replaceAll(secret, REDACTED);
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((entry) => redacted(entry, secret));
	const members = Object.entries(value).map(([name, member]) => [
		name.replaceAll(secret, REDACTED),
		redacted(member, secret),
	]);
	return Object.fromEntries(members);
}
