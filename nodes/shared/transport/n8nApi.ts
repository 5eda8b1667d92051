import type {
	ICredentialTestFunctions,
	IDataObject,
	INodeCredentialTestResult,
	NodeApiError,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { followProblem, type DeliveryCredential } from '../../../credentials/authenticate';
import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import type { NodeContext } from './context';
import { readCredential } from './credential';
import { describeNetworkFailure } from './networkFailure';
import { callServer, toldToProxy, tryServer, urlAt, type ServerAnswer } from './ownServer';
import { apiError, type RequestFailure } from './serviceError';

/** A credential with the address of this n8n, and a key for its public API. */
export type N8nCredential = DeliveryCredential &
	Required<Pick<DeliveryCredential, 'n8nUrl' | 'n8nApiKey'>>;

type N8nResult = { body: Record<string, unknown> } | { failure: RequestFailure };

/** n8n's editor answers an unknown path with HTML and status 200. */
type IsAnswer = (body: Record<string, unknown>) => boolean;

const TIMEOUT_MS = 60_000;

/**
 * The node's credential, with this n8n.
 *
 * @throws NodeOperationError when it has none
 */
export async function readN8n(context: NodeContext): Promise<N8nCredential> {
	const credential = await readCredential(context);
	const problem =
		credential.followWith === 'n8n'
			? followProblem(credential)
			: "The credential does not have 'This n8n' under 'Follow Letters With' any more. Choose it again, or publish the workflow anew.";
	if (problem !== null) throw new NodeOperationError(context.getNode(), problem);
	return credential as N8nCredential;
}

/** Executions that sleep, as many as n8n lists at once. Failures are returned, not thrown. */
export async function listSleeping(
	context: NodeContext,
	data: N8nCredential,
	query: IDataObject,
): Promise<N8nResult> {
	return await ask(context, data, EXECUTIONS, { ...SLEEPING, ...query }, isList);
}

/** One execution. Failures are returned, not thrown. */
export async function readExecution(
	context: NodeContext,
	data: N8nCredential,
	id: string,
	query: IDataObject = {},
): Promise<N8nResult> {
	return await ask(context, data, `${EXECUTIONS}/${id}`, query, (body) => String(body.id) === id);
}

async function ask(
	context: NodeContext,
	data: N8nCredential,
	path: string,
	qs: IDataObject,
	isAnswer: IsAnswer,
): Promise<N8nResult> {
	const request = { method: 'GET', url: urlOf(data, path), qs, timeout: TIMEOUT_MS } as const;
	return readN8nAnswer(await callServer(context, data, request), isAnswer);
}

/** The error n8n shows for it. n8n shows that of a published workflow without its description. */
export function n8nError(
	context: Pick<NodeContext, 'getNode'>,
	failure: RequestFailure,
	consequence: string,
): NodeApiError {
	const message = `${failure.message}. ${failure.description}`;
	return apiError(context, { ...failure, message, description: consequence });
}

/** Numbers of executions, and workflows that were copied with their ids, are the same in several. */
export const ANOTHER_N8N: RequestFailure = {
	status: 200,
	code: null,
	message: 'The n8n at the n8n URL of the credential is another one than this',
	description: 'Enter the address of this n8n in the credential, and a key of it.',
};

/** Whether it lasts until somebody mends the credential. */
export function isN8nRefusal(failure: RequestFailure): boolean {
	return failure === ANOTHER_N8N || failure.status === 401 || failure.status === 403;
}

const EXECUTIONS = '/executions';
const SLEEPING = { status: 'waiting' };
const isList: IsAnswer = ({ data }) => Array.isArray(data);

/** Tests this part of the credential for the editor's button. */
export async function testN8n(
	functions: ICredentialTestFunctions,
	credential: DeliveryCredential,
): Promise<INodeCredentialTestResult> {
	const { n8nUrl = '', n8nApiKey = '' } = credential;
	const request = { uri: urlOf({ n8nUrl }, EXECUTIONS), qs: { ...SLEEPING, limit: 1 } };
	const answer = await tryServer(functions, credential, request);
	const result = readN8nAnswer(answer, isList);
	if ('failure' in result) {
		const { message, description } = result.failure;
		return { status: 'Error', message: `${message}. ${description}` };
	}
	const told = toldToProxy(answer, 'n8n API key');
	if (told) return { status: 'Error', message: told };
	const end = keyEnd(n8nApiKey);
	const until = end === null ? '' : ` The key expires on ${dayOf(end)}.`;
	return { status: 'OK', message: `Connection successful!${until}` };
}

/** When the key ends, in milliseconds since 1970; null if it never does: n8n's keys are JSON Web Tokens. */
export function keyEnd(n8nApiKey: string): number | null {
	try {
		const [, claims] = n8nApiKey.split('.');
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
	return urlAt(urlAt(n8nUrl, '').replace(/\/api\/v1$/, ''), `/api/v1${path}`);
}

function readN8nAnswer(answer: ServerAnswer, isAnswer: IsAnswer): N8nResult {
	if ('unreachable' in answer) return { failure: n8nUnreachable(answer.unreachable) };
	const { statusCode: status, body } = answer;
	if (status === 200 && isRecord(body) && isAnswer(body)) return { body };
	const [message, description] = REFUSALS[status] ?? [
		`The server at the n8n URL did not answer as n8n's public API does (HTTP status ${status})`,
		'Check the n8n URL of the credential, and that the public API of n8n is not disabled.',
	];
	return { failure: { status, code: null, message, description } };
}

const REFUSALS: Record<number, [message: string, description: string]> = {
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
		'Check that the n8n URL leads to this n8n, and use a key of a user who has access to this workflow.',
	],
	429: ['n8n asks to wait', 'It is asked again later.'],
};

function n8nUnreachable(error: unknown): RequestFailure {
	const reason = describeNetworkFailure(error).message;
	return {
		status: null,
		code: null,
		message: 'n8n cannot be reached at the n8n URL of the credential',
		description: reason.replaceAll('Base URL', 'n8n URL').replaceAll(/\bservice\b/g, 'server'),
	};
}
