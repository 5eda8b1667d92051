import type {
	ICredentialTestFunctions,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import type { NodeCredential } from './chosenCredential';

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
 * @param data the credential; n8n would read it from its database for each request
 */
export async function callServer(
	context: IExecuteFunctions | ITriggerFunctions | IWebhookFunctions,
	{ name }: NodeCredential,
	data: object,
	request: IHttpRequestOptions,
): Promise<ServerAnswer> {
	const credentialsDecrypted = { id: '', name, type: name, data: { ...data } };
	const options = {
		...request,
		json: true,
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	};
	const { httpRequestWithAuthentication: send } = context.helpers;
	return await answerOf(send.call(context, name, options, { credentialsDecrypted }));
}

/**
 * The same for the editor's button that tests a credential: n8n's declarative test would show a bare `ECONNREFUSED`.
 * n8n gives such a function only its older request helper.
 */
export async function tryServer(
	{ helpers }: ICredentialTestFunctions,
	request: { uri: string; headers: IDataObject; qs?: IDataObject },
): Promise<ServerAnswer> {
	return await answerOf(helpers.request({ ...TRY_OPTIONS, ...request }));
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
