import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { certificateExpiry, clientTls } from './clientTls';
import type { TlsFields } from './clientTls';
import { keptToOrigin } from './ownOrigin';

/** The credential `registeredDeliveryApi`, as the user filled it in. */
export interface DeliveryCredential extends TlsFields {
	baseUrl: string;
	apiToken: string;
	trackedMailSpelling: 'AES' | 'MT';
}

/**
 * Adds token and TLS options to a request to the service (rules SEND-12, AUTH-01 to AUTH-03).
 *
 * Leaves out an expired certificate: everything that needs only the token keeps working, and the nodes reject
 * registered letters earlier.
 *
 * @throws Error, without any secret, if the credential is unusable or the request would send the secrets to
 * any address but the credential's own
 */
export function authenticate(
	credential: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions,
	now: Date,
): IHttpRequestOptions {
	const fields = credential as unknown as DeliveryCredential;
	const own = keptToOrigin(request, {
		address: checkedBaseUrl(fields.baseUrl),
		field: 'Base URL',
		secrets: 'Token and certificate were',
	});
	return {
		...own,
		headers: {
			...request.headers,
			Accept: 'application/json',
			'X-API-TOKEN': checkedToken(fields.apiToken),
		},
		// The nodes try the public authorities, too, and say which with each request.
		agentOptions: { ...presentableTls(fields, now), ...request.agentOptions },
	};
}

/**
 * The service's address from the credential, without a trailing slash (rule AUTH-02).
 *
 * @throws Error if it is missing, not a URL, not https, or more than an origin: the interface's paths all
 * start at the root
 */
export function checkedBaseUrl(text: string | undefined): string {
	const trimmed = (text ?? '').trim();
	if (trimmed === '') {
		throw new Error('The credential has no Base URL. Enter the address of the service.');
	}
	const url = URL.canParse(trimmed) ? new URL(trimmed) : null;
	if (url?.protocol !== 'https:') {
		throw new Error(
			'The Base URL of the credential must start with "https://": letters and tokens are never sent unencrypted.',
		);
	}
	// A bare "?" or "#" at the end leaves both `search` and `hash` empty.
	if (url.username || url.password || /[?#]/.test(trimmed)) {
		throw new Error(
			'The Base URL of the credential must be a plain address such as https://api.example.com, without user name, query or fragment.',
		);
	}
	if (url.pathname.replaceAll('/', '') !== '') {
		throw new Error(
			`The Base URL of the credential must end with the host, but has the path "${url.pathname}". Enter ${url.origin}.`,
		);
	}
	return url.origin;
}

/** TLS options for a request at `now`: an expired certificate is left out. */
export function presentableTls(fields: TlsFields, now: Date) {
	const tls = clientTls(fields);
	const expiry = certificateExpiry(fields);
	if (expiry === null || expiry > now) return tls;
	return tls.ca ? { ca: tls.ca } : {};
}

function checkedToken(token: string | undefined): string {
	const trimmed = (token ?? '').trim();
	if (trimmed === '') {
		throw new Error('The credential has no API Token. Copy it from the dashboard of your account.');
	}
	if (!/^[\x21-\x7e]+$/.test(trimmed)) {
		throw new Error(
			'The API Token contains a space or another invalid character. Copy it again from the dashboard.',
		);
	}
	return trimmed;
}
