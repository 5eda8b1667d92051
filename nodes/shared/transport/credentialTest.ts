import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import {
	checkedBaseUrl,
	authenticate,
	type DeliveryCredential,
} from '../../../credentials/authenticate';
import { certificateState, hasClientCertificate } from '../../../credentials/clientTls';
import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { describeNetworkFailure } from './networkFailure';
import { TRY_OPTIONS } from './ownServer';
import { readAnswer } from './service';
import { unexpectedAnswer, type ServiceError } from './serviceError';

/**
 * Tests the credential with `GET /consents`, for the editor's button, and its client certificate with a
 * registered letter to nobody.
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
	const { registeredProblem, hint } = certificateState(fields, now);
	const { helpers } = this;
	const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
		const request = requestFor(fields, now, { method, path, body });
		return readAnswer((await helpers.request(request)) as IN8nHttpFullResponse, fields);
	};
	try {
		const error = errorIn(await ask('GET', '/consents'));
		if (error) return { status: 'Error', message: `${error.message}. ${error.description}` };
		if (hasClientCertificate(fields)) {
			if (registeredProblem !== null) {
				return { status: 'Error', message: `The token works. ${hint}` };
			}
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

type Answer = ReturnType<typeof readAnswer>;

/** Null also if the service rejected something else first: then nothing is known. */
function certificateRefusal(answer: Answer): ServiceError | null {
	return 'error' in answer && answer.error.code === 'lre-must-use-mtls' ? answer.error : null;
}

function requestFor(
	fields: DeliveryCredential,
	now: Date,
	{ path, ...request }: { method: 'GET' | 'POST'; path: string; body?: object },
) {
	const url = `${checkedBaseUrl(fields.baseUrl)}${path}`;
	const data = fields as unknown as ICredentialDataDecryptedObject;
	const { headers, agentOptions } = authenticate(data, { url }, now);
	return { ...TRY_OPTIONS, ...request, uri: url, headers, agentOptions };
}

// Another server may answer with 200, too: only the interface's list will do.
function errorIn(answer: Answer): ServiceError | null {
	if ('error' in answer) return answer.error;
	const { status, body } = answer;
	if (isRecord(body) && Array.isArray(body.data) && isRecord(body.meta)) return null;
	return unexpectedAnswer(status, body, 'the list of consents');
}
