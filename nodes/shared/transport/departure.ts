import type { IN8nHttpFullResponse } from 'n8n-workflow';

import { isRecord } from '../../../webhook-receiver/src/core/is-record';

/**
 * What is known about a request that failed. Only this file decides it, by what went out and not by a list
 * of error codes: the same ECONNRESET comes from a connection that closed in the TLS handshake and from one
 * that closed after the last byte.
 *
 * Known: before the handshake is done nothing of a request reaches the service, and a service that never
 * got its last byte has not carried it out. The refusal of a forward proxy looks like an answer, but has no
 * TLS under it. Unknown: what became of a request that was handed over whole. An answer that a gateway of
 * the service made up has TLS, too; its status and its shape decide.
 */
interface Departure {
	/** TCP and TLS were up: the exchange failed, not the connection. */
	wasConnected: boolean;
	/** The whole request was handed over, so the service may have carried it out. */
	hasLeft: boolean;
}

const NEVER_BEGAN: Departure = { wasConnected: false, hasLeft: false };

/** @param error what n8n's request helper threw; read, never kept: it holds token and key */
export function departureOf(error: unknown): Departure {
	const { request, code } = axiosErrorIn(error) ?? {};
	// Errors before axios has the request are ours or OpenSSL's: a credential that cannot work, a
	// certificate or key it refuses. From then on all errors are axios's own.
	if (!isRecord(request)) return NEVER_BEGAN;
	const { socket } = request;
	const wasConnected = isRecord(socket) && socket.encrypted === true && !socket.secureConnecting;
	if (!wasConnected) return NEVER_BEGAN;
	// In TLS 1.3 the client finishes the handshake before the server has judged its certificate.
	if (HANDSHAKE_ALERT.test(String(code))) return { wasConnected, hasLeft: false };
	return { wasConnected, hasLeft: !isCutShort(request, socket) };
}

/** The answer in an error that n8n's request helper threw for its status; null if none came whole. */
export function answerIn(error: unknown): IN8nHttpFullResponse | null {
	const { response } = axiosErrorIn(error) ?? {};
	if (!isRecord(response) || response.data === undefined) return null;
	const { status, headers, data } = response;
	return {
		statusCode: Number(status),
		headers: { ...(headers as IN8nHttpFullResponse['headers']) },
		body: data as IN8nHttpFullResponse['body'],
	};
}

// Counts the headers too, so it errs towards having left. A body that is not streamed is handed over at
// once, and tells nothing.
function isCutShort(request: Record<string, unknown>, socket: Record<string, unknown>): boolean {
	const { getHeader } = request;
	const length = typeof getHeader === 'function' ? getHeader.call(request, 'content-length') : null;
	return Number(socket.bytesWritten) < Number(length);
}

/**
 * Whether a forward proxy has what was asked for in the clear, or answered in place of a server of https that it
 * did not connect to: it is asked for the whole address, or there is no TLS.
 *
 * @param error what n8n's request helper threw for an answer that is no success
 */
export function isOfProxy(error: unknown, url: string): boolean {
	const { request } = axiosErrorIn(error) ?? {};
	if (!isRecord(request)) return false;
	const isTunnel = isRecord(request.socket) && request.socket.encrypted === true;
	return url.startsWith('https:') ? !isTunnel : /^http:/.test(String(request.path));
}

/** The status of an answer that n8n's request helper threw; null if none came. */
export function statusIn(error: unknown): number | null {
	const { response } = axiosErrorIn(error) ?? {};
	return isRecord(response) && typeof response.status === 'number' ? response.status : null;
}

const HANDSHAKE_ALERT =
	/_ALERT_(BAD_CERTIFICATE|CERTIFICATE_|UNSUPPORTED_CERTIFICATE|NO_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)/;

// n8n wraps the error of axios in its own, once or twice.
function axiosErrorIn(error: unknown): Record<string, unknown> | null {
	let current = error;
	for (let depth = 0; isRecord(current) && depth < 5; depth++) {
		if (current.isAxiosError === true) return current;
		current = current.cause;
	}
	return null;
}
