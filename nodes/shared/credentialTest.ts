import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { authenticate, type DeliveryCredential } from '../../credentials/authenticate';
import { certificateExpiry } from '../../credentials/clientTls';
import { expiryHint } from './credentialCheck';
import { describeFailure, describeNetworkFailure } from './serviceError';

/**
 * Tests the credential with `GET /consents`, as the editor's button asks for (design, section 4).
 *
 * A function rather than n8n's declarative test, which would show a bare `ECONNREFUSED` for a host
 * that cannot be reached. n8n gives such a function one request helper, the older one.
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
		const { statusCode, body } = await askService(this, request);
		if (statusCode < 200 || statusCode > 299) {
			const { message, description } = describeFailure(statusCode, parsed(body));
			return { status: 'Error', message: `${message}. ${description}` };
		}
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

async function askService(
	{ helpers }: ICredentialTestFunctions,
	request: object,
): Promise<{ statusCode: number; body: unknown }> {
	return (await helpers.request(request)) as { statusCode: number; body: unknown };
}

function parsed(body: unknown): unknown {
	if (typeof body !== 'string') return body;
	try {
		return JSON.parse(body);
	} catch {
		return body;
	}
}
