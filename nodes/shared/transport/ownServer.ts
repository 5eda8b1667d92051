import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IDataObject,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { authenticate, type DeliveryCredential } from '../../../credentials/authenticate';
import { uncancelled, type NodeContext } from './context';
import { CREDENTIAL } from './credential';

/**
 * What a server of the user's own answered, the receiver or n8n itself, whatever its status; or why there is no
 * answer. That error holds the request with the secret, so only its words may go on.
 */
export type ServerAnswer =
	| Pick<IN8nHttpFullResponse, 'statusCode' | 'body'>
	| { unreachable: unknown };

/** Where a server of that address has a path. */
export function urlAt(address: string, path: string): string {
	return `${address.trim().replace(/\/+$/, '')}${path}`;
}

/**
 * Sends a request once, through n8n's authenticated helper.
 *
 * @param credential n8n would read it from its database for each request
 */
export async function callServer(
	context: NodeContext,
	credential: DeliveryCredential,
	request: IHttpRequestOptions & { abortSignal?: AbortSignal },
): Promise<ServerAnswer> {
	const data = { ...credential };
	const credentialsDecrypted = { id: '', name: CREDENTIAL, type: CREDENTIAL, data };
	const options = {
		...request,
		json: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	};
	const { abortSignal } = request;
	const sender = abortSignal ? uncancelled(context, abortSignal) : context;
	const { httpRequestWithAuthentication: send } = context.helpers;
	return await answerOf(send.call(sender, CREDENTIAL, options, { credentialsDecrypted }));
}

/**
 * The same for the editor's button that tests a credential: n8n's declarative test would show a bare `ECONNREFUSED`.
 * n8n gives such a function only its older request helper.
 */
export async function tryServer(
	{ helpers }: ICredentialTestFunctions,
	credential: DeliveryCredential,
	{ uri, qs }: { uri: string; qs?: IDataObject },
): Promise<ServerAnswer> {
	const data = { ...credential } as ICredentialDataDecryptedObject;
	const { headers } = authenticate(data, { url: uri }, new Date());
	return await answerOf(helpers.request({ ...TRY_OPTIONS, uri, qs, headers }));
}

/**
 * Why the secret of a request by {@link tryServer} is known to a proxy, or null. A forward proxy gets requests of plain
 * http with their whole address for a path; only a success tells, and a node's own requests never do.
 */
export function toldToProxy(answer: ServerAnswer, secret: string): string | null {
	const { request } = answer as { request?: { path?: unknown } };
	if (!/^http:/.test(String(request?.path))) return null;
	return `It answers, but the forward proxy that n8n's HTTP_PROXY names reads the ${secret}, since the address is plain http. Add its host to NO_PROXY of n8n, or use https, and replace the secret.`;
}

async function answerOf(request: Promise<IN8nHttpFullResponse>): Promise<ServerAnswer> {
	return await request.catch((unreachable: unknown) => ({ unreachable }));
}

/** How a test asks with that helper: once, for whatever is answered. */
export const TRY_OPTIONS = {
	json: true,
	followRedirect: false,
	simple: false,
	resolveWithFullResponse: true,
	timeout: 30_000,
};
