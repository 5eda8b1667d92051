import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { authenticate, type DeliveryCredential } from '../../../credentials/authenticate';
import { checkedBaseUrl } from '../../../credentials/baseUrl';
import { certificateExpiry, hasClientCertificate } from '../../../credentials/clientTls';
import { expiryHint } from './credentialCheck';
import { isRecord } from '../fields/isRecord';
import { describeNetworkFailure } from './networkFailure';
import { redact, secretsOf } from './redact';
import { readServiceError, unexpectedAnswer, type ServiceError } from './serviceError';

/**
 * Tests the credential with `GET /consents`, for the editor's button (design, section 4), and its client
 * certificate with a registered letter to nobody.
 *
 * A function instead of n8n's declarative test, which would show a bare `ECONNREFUSED` for a host that
 * cannot be reached. n8n gives such a function only its older request helper.
 */
export async function registeredDeliveryApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const fields = (credential.data ?? {}) as unknown as DeliveryCredential;
	const now = new Date();
	const expiry = certificateExpiry(fields);
	try {
		const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
			const request = requestFor(fields, now, method, path, body);
			return redact(await askService(this, request), secretsOf(fields));
		};
		const error = errorIn(await ask('GET', '/consents'));
		if (error) return { status: 'Error', message: `${error.message}. ${error.description}` };
		const hint = expiryHint(expiry, now);
		if (expiry !== null && expiry <= now) {
			return { status: 'Error', message: `The token works. ${hint}` };
		}
		if (hasClientCertificate(fields)) {
			const refusal = certificateRefusal(await ask('POST', '/messages/bulk_send', TO_NOBODY));
			if (refusal !== null) {
				const problem = `The token works, but not for registered letters: ${refusal.message}. ${refusal.description}`;
				return { status: 'Error', message: [problem, hint].filter(Boolean).join(' ') };
			}
		}
		return { status: 'OK', message: hint ?? 'Connection successful!' };
	} catch (error) {
		return { status: 'Error', message: describeNetworkFailure(error).message };
	}
}

/**
 * A registered letter that cannot leave: it has neither a recipient nor a text, and the interface requires
 * both. It is the only request whose answer tells whether the certificate is registered with the account
 * of the token (405, rules TYPE-01, AUTH-03).
 */
const TO_NOBODY = { type: 'LRE', body: '', recipients: [] };

/** Null also if the service rejected something else first: then nothing is known. */
function certificateRefusal({ statusCode, body, retryAfter }: Answer): ServiceError | null {
	const error = readServiceError(statusCode, body, retryAfter);
	return error.code === 'lre-must-use-mtls' ? error : null;
}

function requestFor(
	fields: DeliveryCredential,
	now: Date,
	method: 'GET' | 'POST',
	path: string,
	body?: object,
) {
	const url = `${checkedBaseUrl(fields.baseUrl)}${path}`;
	const { headers, agentOptions } = authenticate(
		fields as unknown as ICredentialDataDecryptedObject,
		{ url },
		now,
	);
	return {
		method,
		uri: url,
		headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
		...(body && { body: JSON.stringify(body) }),
		agentOptions,
		followRedirect: false,
		simple: false,
		resolveWithFullResponse: true,
		timeout: 30_000,
	};
}

interface Answer {
	statusCode: number;
	body: unknown;
	retryAfter: string | null;
}

async function askService({ helpers }: ICredentialTestFunctions, request: object): Promise<Answer> {
	const { statusCode, body, headers } = (await helpers.request(request)) as IN8nHttpFullResponse;
	const { 'retry-after': retryAfter } = headers;
	return {
		statusCode,
		body: parsed(body),
		retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
	};
}

// A page that is not the service's may answer with 200, too: only the interface's list will do.
function errorIn({ statusCode, body, retryAfter }: Answer): ServiceError | null {
	const isSuccess = statusCode >= 200 && statusCode < 300;
	if (!isSuccess) return readServiceError(statusCode, body, retryAfter);
	if (isRecord(body) && Array.isArray(body.data) && isRecord(body.meta)) return null;
	return unexpectedAnswer(statusCode, body, 'the list of consents');
}

function parsed(body: unknown): unknown {
	if (typeof body !== 'string') return body;
	try {
		return JSON.parse(body);
	} catch {
		return body;
	}
}
