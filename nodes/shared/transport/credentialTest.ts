import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { authenticate, type DeliveryCredential } from '../../../credentials/authenticate';
import { certificateExpiry } from '../../../credentials/clientTls';
import { expiryHint } from './credentialCheck';
import { isRecord } from '../fields/isRecord';
import { describeNetworkFailure } from './networkFailure';
import { redact, secretsOf } from './redact';
import { readServiceError, unexpectedAnswer, type ServiceError } from './serviceError';

/**
 * Tests the credential with `GET /consents`, for the editor's button (design, section 4).
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
		const request = consentsRequest(fields, now);
		const error = errorIn(redact(await askService(this, request), secretsOf(fields)));
		if (error) return { status: 'Error', message: `${error.message}. ${error.description}` };
		if (expiry !== null && expiry <= now) {
			return { status: 'Error', message: `The token works. ${expiryHint(expiry, now)}` };
		}
		return { status: 'OK', message: expiryHint(expiry, now) ?? 'Connection successful!' };
	} catch (error) {
		return { status: 'Error', message: describeNetworkFailure(error).message };
	}
}

function consentsRequest(fields: DeliveryCredential, now: Date) {
	const url = `${(fields.baseUrl ?? '').trim().replace(/\/+$/, '')}/consents`;
	const { headers, agentOptions } = authenticate(
		fields as unknown as ICredentialDataDecryptedObject,
		{ url },
		now,
	);
	return {
		method: 'GET',
		uri: url,
		headers,
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
