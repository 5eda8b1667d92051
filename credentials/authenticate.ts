import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

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

/** Who follows letters, and what the editor calls its fields. */
interface Follower {
	addressField: string;
	address: string;
	secretField: string;
	secret: string;
	headersWith(secret: string): IDataObject;
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
	const follower = followerOf(fields);
	const goal = goalOf(request);
	const isTo = (address: string | undefined) => goal !== null && originOf(address ?? '') === goal;
	if (follower && isTo(follower.address)) {
		const problem = followProblem(fields);
		if (problem !== null) throw new Error(problem);
		const headers = { ...request.headers, ...follower.headersWith(follower.secret.trim()) };
		return { ...request, maxRedirects: 0, headers };
	}
	if (!follower || isFilled(fields.baseUrl)) checkedBaseUrl(fields.baseUrl);
	if (!isTo(fields.baseUrl)) {
		const where = goal === null ? 'no clear address' : goal;
		const addresses = ['Base URL', ...(follower ? [follower.addressField] : [])];
		throw new Error(
			`The request goes to ${where}, which is not the ${addresses.join(' nor the ')} of the credential. Its secrets were not sent.`,
		);
	}
	const token = checkedSecret('API Token', fields.apiToken);
	return {
		...request,
		maxRedirects: 0,
		headers: { ...request.headers, Accept: 'application/json', 'X-API-TOKEN': token },
		// The nodes try the public authorities, too, and say which with each request.
		agentOptions: { ...presentableTls(fields, now), ...request.agentOptions },
	};
}

/** What is wrong with the part of who follows letters, or null. */
export function followProblem(fields: DeliveryCredential): string | null {
	const follower = followerOf(fields);
	if (follower === null) return null;
	const { addressField, address, secretField, secret } = follower;
	const origin = originOf(address);
	if (!isFilled(address)) return `The credential has no ${addressField}. Enter it.`;
	if (origin === null) {
		return `The ${addressField} of the credential is not an address such as https://example.com.`;
	}
	if (origin === originOf(fields.baseUrl ?? '')) {
		return `The Base URL and the ${addressField} of the credential are the same server, ${origin}. Give each a host name or port of its own.`;
	}
	try {
		checkedSecret(secretField, secret);
		return null;
	} catch (error) {
		return (error as Error).message;
	}
}

function followerOf(fields: DeliveryCredential): Follower | null {
	const { followWith, receiverUrl = '', receiverToken = '', n8nUrl = '', n8nApiKey = '' } = fields;
	if (followWith === 'receiver') {
		return {
			addressField: 'Receiver URL',
			address: receiverUrl,
			secretField: 'Receiver Token',
			secret: receiverToken,
			headersWith: (token) => ({ Authorization: `Bearer ${token}` }),
		};
	}
	if (followWith !== 'n8n') return null;
	return {
		addressField: 'n8n URL',
		address: n8nUrl,
		secretField: 'n8n API Key',
		secret: n8nApiKey,
		headersWith: (key) => ({ 'X-N8N-API-KEY': key }),
	};
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
function presentableTls(fields: TlsFields, now: Date) {
	const tls = clientTls(fields);
	const expiry = certificateExpiry(fields);
	if (expiry === null || expiry > now) return tls;
	return tls.ca ? { ca: tls.ca } : {};
}

function checkedSecret(field: string, secret: string | undefined): string {
	const trimmed = (secret ?? '').trim();
	if (trimmed === '') throw new Error(`The credential has no ${field}. ${WHERE[field]}`);
	if (!/^[\x21-\x7e]+$/.test(trimmed)) {
		throw new Error(
			`The ${field} of the credential contains a space or another invalid character. Copy it again.`,
		);
	}
	return trimmed;
}

/** Where a user finds a secret that is missing. */
const WHERE: Record<string, string> = {
	'API Token': 'Copy it from the dashboard of your account.',
	'Receiver Token': 'Enter the N8N_TOKEN set on the receiver, or its MANAGEMENT_TOKEN.',
	'n8n API Key': 'Make one under Settings > n8n API.',
};
