import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { isTransient } from './retryPolicy';
import type { RequestFailure } from './serviceError';

/** Also where it asks for one and the credential has none. */
export const CERTIFICATE_REJECTED =
	'The service rejected the client certificate of the credential.';

/** Messages for what Node, OpenSSL and n8n report when no answer came. First match wins. */
const NETWORK_FAULTS: Array<[RegExp, string]> = [
	[
		/restricted IP address|hostname is restricted/,
		"n8n's SSRF protection forbids requests to this address, which is a private or a blocked one. To allow it, start n8n with its host in N8N_SSRF_ALLOWED_HOSTNAMES or its range in N8N_SSRF_ALLOWED_IP_RANGES.",
	],
	[/ERR_CANCELED/, 'The execution was stopped before an answer came.'],
	[/INVALID_URL|Invalid URL/, 'The Base URL is not an address such as https://example.com.'],
	[
		/ENOTFOUND|EAI_AGAIN/,
		'The host of the Base URL cannot be found. Check how the address is spelled.',
	],
	[
		/ECONNREFUSED/,
		'Nothing answers at the Base URL: the connection was refused. Check host and port, and that the service is running.',
	],
	[
		/EHOSTUNREACH|ENETUNREACH/,
		'The network has no route to the Base URL. Check the address and the network between n8n and the service.',
	],
	[
		/SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|self[- ]signed|unable to verify/i,
		'The certificate of the service is not from a known authority. If the service uses a private authority, paste the certificate of that authority into CA Certificate.',
	],
	[
		/ERR_TLS_CERT_ALTNAME_INVALID/,
		'The certificate of the service is for another host name than the one in the Base URL. A sandbox that others reach by another name is started with --name and that name.',
	],
	[/CERT_HAS_EXPIRED/, 'The certificate of the service has expired.'],
	[/\balert\b|_ALERT_/i, CERTIFICATE_REJECTED],
	[
		/EPROTO|WRONG_VERSION_NUMBER|packet length too long/i,
		'The address does not speak HTTPS. Check host and port of the Base URL.',
	],
	[
		/ECONNRESET|EPIPE|socket hang up|stream has been aborted/i,
		'The connection broke before the service answered.',
	],
];

/** OpenSSL refuses it before anything leaves. */
const SHORT_KEY =
	"The key of the client certificate is too short for n8n's OpenSSL: RSA needs 2048 bits. Get a new certificate with a longer key.";

/**
 * Reads an error that n8n's request helper threw because no answer came. Uses only its code and message:
 * the error itself holds the token and the private key.
 *
 * @param wasConnected whether TCP and TLS were up; undefined when not known
 */
export function describeNetworkFailure(error: unknown, wasConnected?: boolean): RequestFailure {
	const { code, message } = innermost(error);
	const reported = `${code ?? ''} ${message}`;
	const isShortKey = /key too small/i.test(reported);
	const known =
		(isShortKey ? SHORT_KEY : undefined) ??
		timeoutMessage(reported, wasConnected) ??
		NETWORK_FAULTS.find(([pattern]) => pattern.test(reported))?.[1] ??
		message;
	return {
		message: known || 'The request failed before the service answered.',
		description: code ? `Reported as ${code}.` : '',
		code,
		status: null,
		// The network reports a code; the checks of the credential do not.
		isLocal: code === null || isShortKey,
	};
}

const PROXY_ADVICE: Record<number, string> = {
	403: 'Let the proxy allow the host of the Base URL.',
	407: 'Put the user and the password of the proxy into that variable.',
};

/** The error for a forward proxy that rejected the connection to the service: nothing has left. */
export function rejectedByProxy(status: number, retryAfter: string | null): RequestFailure {
	const advice = PROXY_ADVICE[status] ?? 'Check that the proxy reaches the service.';
	return {
		message: `The proxy between n8n and the service rejected the connection (HTTP status ${status})`,
		description: `Nothing left n8n. The proxy is the one in its environment variable HTTPS_PROXY or ALL_PROXY. ${advice} Hosts in NO_PROXY are reached without it.`,
		code: 'PROXY_REJECTED',
		status: null,
		isLocal: !isTransient(status),
		retryAfter,
	};
}

function timeoutMessage(reported: string, wasConnected: boolean | undefined): string | undefined {
	if (!/ETIMEDOUT|ECONNABORTED|timeout/i.test(reported)) return undefined;
	const limit = /timeout of (\d+)ms/.exec(reported);
	const within = limit ? `within ${Math.round(Number(limit[1]) / 1000)} seconds` : 'in time';
	// The network itself gives up only while it connects.
	const stood = /connect ETIMEDOUT/.test(reported) ? false : wasConnected;
	if (stood) return `The service was reached, but did not respond ${within}.`;
	if (stood === undefined) {
		return `No response came from the Base URL ${within}. Check the address, the network between n8n and the service, and that the service is running.`;
	}
	return `The connection to the service was not established ${within}. Check the Base URL and the network between n8n and the service.`;
}

// n8n wraps the network's error in its own text, which hides the code.
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
