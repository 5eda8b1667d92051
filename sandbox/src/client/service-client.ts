import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { AccountAccess } from '../control/state.ts';
import type { SERVICE_ENDPOINTS } from '../service/endpoints.ts';
import { clientOf, SandboxError, unanswered, type Client, type OperationsOf } from './client.ts';

/** Asks the service itself; a refusal is a SandboxError with the `answer` of the service. */
export type ServiceClient = Client<OperationsOf<typeof SERVICE_ENDPOINTS>>;

/** What it takes to connect. */
export interface Service {
	url: string;
	caCertificate: string;
	accounts: Array<Pick<AccountAccess, 'name' | 'token' | 'certificate' | 'key'>>;
}

/**
 * A client of the service as an account, with its token and certificate:
 * `direct('POST /messages/bulk_send', { type: 'LRE', … })`. Letters with files are sent by a form, which
 * is not for it.
 *
 * @param name of the account
 */
export function serviceClient({ url, caCertificate, accounts }: Service, name: string) {
	const account = accounts.find((one) => one.name === name);
	if (!account) throw new SandboxError(`The sandbox has no account ${name}`, null);
	const { token, certificate, key } = account;
	const identity = certificate && key ? { cert: certificate, key } : {};
	return clientOf<ServiceClient>(new URL(url), async (address, { method, headers, body }) => {
		const asked = request(address, {
			...identity,
			ca: caCertificate,
			agent: false,
			method,
			headers: { ...headers, 'X-API-TOKEN': token },
		});
		const answered = Promise.withResolvers<Awaited<ReturnType<typeof read>>>();
		asked.on('error', answered.reject);
		asked.on('response', (response) => void read(response).then(answered.resolve, answered.reject));
		asked.end(body);
		return await answered.promise.catch((error: unknown) => {
			throw unanswered(address, error);
		});
	});
}

async function read(response: NodeJS.ReadableStream & { statusCode?: number; headers: object }) {
	const { 'content-type': contentType = '' } = response.headers as Record<string, string>;
	return { status: response.statusCode ?? 0, contentType, text: await text(response) };
}
