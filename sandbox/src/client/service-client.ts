import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
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
		// Also while the answer is read.
		asked.on('error', () => {}).end(body);
		try {
			const [response] = (await once(asked, 'response')) as [IncomingMessage];
			const { 'content-type': contentType = '' } = response.headers;
			return { status: response.statusCode ?? 0, contentType, text: await text(response) };
		} catch (error) {
			throw unanswered(address, error);
		}
	});
}
