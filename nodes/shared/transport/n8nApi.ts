import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IDataObject,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
	JsonObject,
} from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { isRecord } from '../fields/isRecord';
import { chosenCredential, n8nCredential } from './chosenCredential';
import { describeNetworkFailure } from './networkFailure';
import type { ReceiverContext } from './receiver';

/** Address of this n8n, and a key for its public API. */
export interface N8nCredential {
	n8nUrl: string;
	apiKey: string;
}

/** What went wrong, without any secret. */
export interface N8nFailure {
	/** HTTP status, or null when no answer came. */
	status: number | null;
	/** What happened, and what to do; for the user. */
	message: string;
	advice: string;
}

export type N8nResult = { body: Record<string, unknown> } | { failure: N8nFailure };

/** A request to the public API of n8n; all are GETs. */
export interface N8nRequest {
	path: string;
	query?: IDataObject;
	/** What the answer always has: n8n's editor answers an unknown path with its page and status 200. */
	member: string;
}

const TIMEOUT_MS = 60_000;

/** @throws NodeOperationError when the node has none */
export async function readN8n(context: ReceiverContext): Promise<N8nCredential> {
	return { ...(await chosenCredential<N8nCredential>(context, n8nCredential)) };
}

/** Asks n8n itself, once. Failures are returned, not thrown. */
export async function callN8n(
	context: ReceiverContext,
	data: N8nCredential,
	{ path, query, member }: N8nRequest,
): Promise<N8nResult> {
	const { name } = n8nCredential;
	// Passed in, or n8n would read it from its database for each request.
	const credentialsDecrypted = { id: '', name, type: name, data: { ...data } };
	try {
		const answer = (await context.helpers.httpRequestWithAuthentication.call(
			context,
			name,
			{
				method: 'GET',
				url: urlOf(data, path),
				qs: query,
				json: true,
				timeout: TIMEOUT_MS,
				disableFollowRedirect: true,
				ignoreHttpStatusErrors: true,
				returnFullResponse: true,
			},
			{ credentialsDecrypted },
		)) as IN8nHttpFullResponse;
		return readAnswer(answer, member);
	} catch (error) {
		// The error itself holds the request with the key.
		return { failure: unreachable(error) };
	}
}

/** The error n8n shows for it. n8n shows that of a published workflow without its description. */
export function n8nError(
	context: Pick<ReceiverContext, 'getNode'>,
	{ status, message, advice }: N8nFailure,
	consequence: string,
): NodeApiError {
	const error = new NodeApiError(context.getNode(), { message } as JsonObject, {
		description: consequence,
		...(status !== null && { httpCode: String(status) }),
	});
	error.message = `${message}. ${advice}`;
	return error;
}

/** Whether it lasts until somebody mends the credential. */
export function isN8nRefusal({ status }: N8nFailure): boolean {
	return status === 401 || status === 403;
}

/** What the credential must be able to do. */
export const SLEEPING = { path: '/executions', query: { status: 'waiting' }, member: 'data' };

/** Tests the credential for the editor's button, in plain words. */
export async function registeredDeliveryN8nApiTest(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const { n8nUrl = '', apiKey = '' } = (data ?? {}) as Partial<N8nCredential>;
	const { helpers } = this;
	const result = await helpers
		.request({
			uri: urlOf({ n8nUrl }, SLEEPING.path),
			qs: { ...SLEEPING.query, limit: 1 },
			headers: { 'X-N8N-API-KEY': apiKey.trim() },
			json: true,
			followRedirect: false,
			simple: false,
			resolveWithFullResponse: true,
			timeout: TIMEOUT_MS,
		})
		.then(
			(answer: IN8nHttpFullResponse) => readAnswer(answer, SLEEPING.member),
			(error: unknown): N8nResult => ({ failure: unreachable(error) }),
		);
	if ('failure' in result) {
		const { message, advice } = result.failure;
		return { status: 'Error', message: `${message}. ${advice}` };
	}
	const end = keyEnd(apiKey);
	const until = end === null ? '' : ` The key expires on ${dayOf(end)}.`;
	return { status: 'OK', message: `Connection successful!${until}` };
}

/** When the key ends, in milliseconds since 1970; null if it never does: n8n's keys are JSON Web Tokens. */
export function keyEnd(apiKey: string): number | null {
	try {
		const [, claims] = apiKey.split('.');
		const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp?: unknown };
		return typeof exp === 'number' ? exp * 1000 : null;
	} catch {
		return null;
	}
}

export function dayOf(time: number): string {
	return new Date(time).toISOString().slice(0, 10);
}

function urlOf({ n8nUrl }: Pick<N8nCredential, 'n8nUrl'>, path: string): string {
	const base = n8nUrl.trim().replace(/\/+$/, '');
	return `${base.replace(/\/api\/v1$/, '')}/api/v1${path}`;
}

function readAnswer(
	{ statusCode: status, body }: Pick<IN8nHttpFullResponse, 'statusCode' | 'body'>,
	member: string,
): N8nResult {
	if (status === 200 && isRecord(body) && Object.hasOwn(body, member)) return { body };
	const [message, advice] = REFUSALS[status] ?? [
		`The server at the n8n URL did not answer as n8n's public API does (HTTP status ${status})`,
		'Check the n8n URL of the credential, and that the public API of n8n is not disabled.',
	];
	return { failure: { status, message, advice } };
}

const REFUSALS: Record<number, [message: string, advice: string]> = {
	401: [
		'The n8n API key of the credential is not accepted',
		'It has expired or was deleted: create another under Settings > n8n API and enter it in the credential.',
	],
	403: [
		'The n8n API key lacks a scope',
		'Create one with the scopes execution:list and execution:read, and enter it in the credential.',
	],
	404: [
		'The user of the n8n API key does not see this execution',
		'Use a key of a user who has access to this workflow.',
	],
	429: ['n8n asks to wait', 'It is asked again later.'],
};

function unreachable(error: unknown): N8nFailure {
	const { message } = describeNetworkFailure(error);
	const reason = message.replaceAll('Base URL', 'n8n URL').replaceAll(/\bservice\b/g, 'server');
	return {
		status: null,
		message: 'n8n cannot be reached at the n8n URL of the credential',
		advice: reason,
	};
}
