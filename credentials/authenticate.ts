import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { certificateExpiry, clientTls } from './clientTls';
import type { TlsFields } from './clientTls';

/** The credential `registeredDeliveryApi`, as the user filled it in. */
export interface DeliveryCredential extends TlsFields {
	baseUrl: string;
	apiToken: string;
	trackedMailSpelling: 'AES' | 'MT';
	/** Who learns of what happens to letters. The fields of the others are ignored. */
	followWith?: 'nothing' | 'receiver' | 'n8n';
	receiverUrl?: string;
	receiverToken?: string;
	n8nUrl?: string;
	n8nApiKey?: string;
}

/** A server that the credential is for, and what is added to requests there. */
interface Part {
	/** What the editor calls its address. */
	field: string;
	address: string;
	secretsFor(request: IHttpRequestOptions): Partial<IHttpRequestOptions>;
}

/**
 * Adds to a request what its goal needs: the token and TLS options to the service (rules SEND-12, AUTH-01 to
 * AUTH-03), the token to the receiver, or the key to n8n. A redirect is not followed, since the secrets would go
 * along to wherever it leads, and n8n would keep the whole body for that.
 *
 * Leaves out an expired certificate: everything that needs only the token keeps working, and the nodes reject
 * registered letters earlier.
 *
 * @param request n8n's nodes name the target in `url`, its HTTP Request node in `uri`
 * @throws Error, without any secret, if the credential is unusable or the request goes anywhere else
 */
export function authenticate(
	credential: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions,
	now: Date,
): IHttpRequestOptions {
	const fields = credential as unknown as DeliveryCredential;
	const parts = partsOf(fields, now);
	const goal = goalOf(request);
	const [part, other] = parts.filter(({ address }) => originOf(address) === goal);
	if (goal === null || !part) {
		if (parts.length === 0 || isFilled(fields.baseUrl)) checkedBaseUrl(fields.baseUrl);
		throw new Error(`${whyNowhere(parts, goal)} Its secrets were not sent.`);
	}
	if (other) {
		throw new Error(
			`The ${part.field} and the ${other.field} of the credential are the same server, ${goal}. Give each a host name or port of its own. Nothing was sent.`,
		);
	}
	return { ...request, maxRedirects: 0, ...part.secretsFor(request) };
}

function partsOf(fields: DeliveryCredential, now: Date): Part[] {
	const { baseUrl = '', followWith, receiverUrl = '', n8nUrl = '' } = fields;
	const service: Part = {
		field: 'Base URL',
		address: baseUrl,
		secretsFor({ headers, agentOptions }) {
			checkedBaseUrl(baseUrl);
			const token = checkedToken(fields.apiToken);
			return {
				headers: { ...headers, Accept: 'application/json', 'X-API-TOKEN': token },
				// The nodes try the public authorities, too, and say which with each request.
				agentOptions: { ...presentableTls(fields, now), ...agentOptions },
			};
		},
	};
	const receiver: Part = {
		field: 'Receiver URL',
		address: receiverUrl,
		secretsFor: ({ headers }) => ({
			headers: { ...headers, Authorization: `Bearer ${fields.receiverToken}` },
		}),
	};
	const n8n: Part = {
		field: 'n8n URL',
		address: n8nUrl,
		secretsFor: ({ headers }) => ({
			headers: { ...headers, 'X-N8N-API-KEY': String(fields.n8nApiKey).trim() },
		}),
	};
	return [
		...(isFilled(baseUrl) ? [service] : []),
		...(followWith === 'receiver' ? [receiver] : []),
		...(followWith === 'n8n' ? [n8n] : []),
	];
}

function isFilled(text: string | undefined): boolean {
	return (text ?? '').trim() !== '';
}

/** Where a request goes; null if that is nowhere, or depends on who reads it. */
function goalOf(request: IHttpRequestOptions): string | null {
	const { url, uri, baseURL } = request as IHttpRequestOptions & { uri?: string };
	const goal = originOf(url ?? uri ?? '', baseURL);
	// n8n joins the two as texts, which can lead elsewhere than what a URL makes of them.
	return baseURL === undefined || originOf(baseURL) === goal ? goal : null;
}

function whyNowhere(parts: Part[], goal: string | null): string {
	const unusable = parts.find(({ address }) => originOf(address) === null);
	if (unusable) {
		return `The ${unusable.field} of the credential is not an address such as https://example.com.`;
	}
	const fields = parts.map(({ field }) => field).join(' nor the ');
	return `The request goes to ${goal ?? 'no clear address'}, which is not the ${fields} of the credential.`;
}

function originOf(url: string, base?: string): string | null {
	return URL.canParse(url, base) ? new URL(url, base).origin : null;
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
