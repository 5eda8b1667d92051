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
import { certificateState, clientTls, hasClientCertificate } from '../../../credentials/clientTls';
import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { withEitherAuthority } from './authorities';
import { namingCertificate } from './credential';
import { describeNetworkFailure } from './networkFailure';
import { testN8n } from './n8nApi';
import { TRY_OPTIONS } from './ownServer';
import { testReceiver } from './receiver';
import { readServiceAnswer } from './service';
import { unexpectedAnswer, type RequestFailure } from './serviceError';

/**
 * Tests each part of the credential that is filled in, for the editor's button; by GET alone.
 *
 * A function instead of n8n's declarative test, which would show a bare `ECONNREFUSED` for a host that
 * cannot be reached. n8n gives such a function only its older request helper.
 */
export async function registeredDeliveryApiTest(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const credential = (data ?? {}) as unknown as DeliveryCredential;
	const { baseUrl, apiToken, followWith } = credential;
	const follows = followWith === 'receiver' || followWith === 'n8n';
	const parts: Array<[name: string, test: PartTest]> = [];
	if (baseUrl || apiToken || !follows) parts.push(['Delivery service', testService]);
	if (followWith === 'receiver') parts.push(['Webhook receiver', testReceiver]);
	if (followWith === 'n8n') parts.push(['This n8n', testN8n]);
	const results = parts.map(async ([name, test]) => {
		const { status, message } = await test(this, credential).catch(refused);
		return { status, message: parts.length === 1 ? message : `${name}: ${message}` };
	});
	const all = await Promise.all(results);
	const isGood = all.every(({ status }) => status === 'OK');
	const message = all.map((one) => one.message).join(' ');
	return { status: isGood ? 'OK' : 'Error', message };
}

/** For a credential that is unusable before any request. */
const refused = ({ message }: Error): INodeCredentialTestResult => ({ status: 'Error', message });

type PartTest = (
	functions: ICredentialTestFunctions,
	credential: DeliveryCredential,
) => Promise<INodeCredentialTestResult>;

/**
 * With `GET /consents`: whether the service accepts the client certificate for registered letters only shows when one
 * is sent.
 */
async function testService(
	functions: ICredentialTestFunctions,
	fields: DeliveryCredential,
): Promise<INodeCredentialTestResult> {
	const now = new Date();
	try {
		const error = errorIn(readServiceAnswer(await getConsents(functions, fields, now), fields));
		if (error) {
			const { message, description } = namingCertificate(error, fields);
			return { status: 'Error', message: `${message}. ${description}`.trim() };
		}
	} catch (error) {
		const failure = { ...describeNetworkFailure(error), description: '' };
		const { message, description } = namingCertificate(failure, fields);
		return { status: 'Error', message: [message, description].filter(Boolean).join(' ') };
	}
	const { registeredProblem, hint } = certificateState(fields, now);
	if (!hasClientCertificate(fields)) return { status: 'OK', message: SUCCESS };
	if (registeredProblem !== null) return { status: 'Error', message: `The token works. ${hint}` };
	return { status: 'OK', message: `${SUCCESS} ${hint ?? UNKNOWN}` };
}

const SUCCESS = 'Connection successful!';
const UNKNOWN =
	'Whether the service accepts the client certificate for registered letters (LRE) only shows when one is sent.';

async function getConsents(
	{ helpers }: ICredentialTestFunctions,
	fields: DeliveryCredential,
	now: Date,
): Promise<IN8nHttpFullResponse> {
	const url = `${checkedBaseUrl(fields.baseUrl)}/consents`;
	const data = fields as unknown as ICredentialDataDecryptedObject;
	const { ca } = clientTls(fields);
	const send = async (trusted?: { ca: string | undefined }) => {
		const request = { url, agentOptions: trusted };
		const { headers, agentOptions } = authenticate(data, request, now);
		const options = { ...TRY_OPTIONS, uri: url, headers, agentOptions };
		return (await helpers.request(options)) as IN8nHttpFullResponse;
	};
	return ca ? await withEitherAuthority(ca, { url, first: 'own' }, send) : await send();
}

// Another server may answer with 200, too: only the interface's list will do.
function errorIn(answer: ReturnType<typeof readServiceAnswer>): RequestFailure | null {
	if ('error' in answer) return answer.error;
	const { status, body } = answer;
	const isList = isRecord(body) && Array.isArray(body.data) && isRecord(body.meta);
	return status === 200 && isList ? null : unexpectedAnswer(status, body, 'the list of consents');
}
