import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { isTransient } from './retryPolicy';
import type { ServiceError } from './serviceError';

// Through a file: `pkcs12 -export` reads its input twice, so a pipe fails with "Could not read any
// certificates" (run with OpenSSL 3.0).
const CONVERT_PFX =
	'openssl pkcs12 -legacy -in old.p12 -noenc -out all.pem && openssl pkcs12 -export -in all.pem -out new.p12 && rm all.pem';

/** Messages for what Node and OpenSSL report when no answer came. First match wins. */
const NETWORK_FAULTS: Array<[RegExp, string]> = [
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
		'The certificate of the service is for another host name than the one in the Base URL.',
	],
	[/CERT_HAS_EXPIRED/, 'The certificate of the service has expired.'],
	[/\balert\b|_ALERT_/i, 'The service rejected the client certificate of the credential.'],
	[
		/EPROTO|WRONG_VERSION_NUMBER|packet length too long/i,
		'The address does not speak HTTPS. Check host and port of the Base URL.',
	],
	[
		/ECONNRESET|EPIPE|socket hang up|stream has been aborted/i,
		'The connection broke before the service answered.',
	],
];

/** Messages for a certificate or key that OpenSSL refuses, before anything leaves. First match wins. */
const CREDENTIAL_FAULTS: Array<[RegExp, string]> = [
	[
		/unsupported pkcs12|digital envelope routines|inner_evp_generic_fetch/i,
		`The PFX of the credential is encrypted with an outdated algorithm (such as RC2), which n8n's OpenSSL does not support. Convert it, then encode new.p12 as Base64: ${CONVERT_PFX}`,
	],
	[
		/unable to load private key from pfx/i,
		'The PFX of the credential has no private key. Export it again with its key.',
	],
	[
		/key too small/i,
		"The key of the client certificate is too short for n8n's OpenSSL: RSA needs 2048 bits. Get a new certificate with a longer key.",
	],
	[
		/mac verify failure|PKCS12/i,
		'The Passphrase of the credential does not decrypt the PFX. Enter it again.',
	],
	[
		/not enough data|wrong tag|header too long|asn1/i,
		'The PFX of the credential cannot be read. Encode the .p12 file as Base64 again.',
	],
];

/**
 * Reads an error that n8n's request helper threw because no answer came. Uses only its code and message:
 * the error itself holds the token and the private key.
 *
 * @param wasConnected whether TCP and TLS were up; undefined when not known
 */
export function describeNetworkFailure(error: unknown, wasConnected?: boolean): ServiceError {
	const { code, message } = innermost(error);
	const reported = `${code ?? ''} ${message}`;
	const ofCredential = messageFor(CREDENTIAL_FAULTS, reported);
	const known =
		ofCredential ??
		timeoutMessage(reported, wasConnected) ??
		messageFor(NETWORK_FAULTS, reported) ??
		message;
	return {
		message: known || 'The request failed before the service answered.',
		description: code ? `Reported as ${code}.` : '',
		code,
		status: null,
		// The network reports a code; the checks of the credential do not.
		isLocal: code === null || ofCredential !== undefined,
	};
}

const PROXY_ADVICE: Record<number, string> = {
	403: 'Let the proxy allow the host of the Base URL.',
	407: 'Put the user and the password of the proxy into that variable.',
};

/** The error for a forward proxy that rejected the connection to the service: nothing has left. */
export function rejectedByProxy(status: number): ServiceError {
	const advice = PROXY_ADVICE[status] ?? 'Check that the proxy reaches the service.';
	return {
		message: `The proxy between n8n and the service rejected the connection (HTTP status ${status})`,
		description: `Nothing left n8n. The proxy is the one in its environment variable HTTPS_PROXY or ALL_PROXY. ${advice} Hosts in NO_PROXY are reached without it.`,
		code: 'PROXY_REJECTED',
		status: null,
		isLocal: !isTransient(status),
	};
}

function messageFor(faults: Array<[RegExp, string]>, reported: string): string | undefined {
	return faults.find(([pattern]) => pattern.test(reported))?.[1];
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
