// Sends letters and requests to the sandbox like the pack, including the certificate.
import { Agent, request } from 'undici';
import type { Sandbox } from '../../../../sandbox/src/sandbox.ts';
import { serviceCredential } from '../../../support/sandbox.ts';

export function poster(sandbox: Sandbox, account = 'direct') {
	const credential = serviceCredential(sandbox, account);
	const { baseUrl, apiToken, clientCertificate, clientKey, caCertificate } = credential;
	const connect = { ca: caCertificate, cert: clientCertificate, key: clientKey };
	const dispatcher = new Agent({ connect });
	const post = async (path: string, body: object): Promise<unknown> => {
		const answer = await request(`${baseUrl}${path}`, {
			method: 'POST',
			dispatcher,
			headers: { 'content-type': 'application/json', 'x-api-token': apiToken },
			body: JSON.stringify(body),
		});
		return answer.body.json();
	};
	return {
		/** Returns the id of the one message. */
		async send(letter: object): Promise<string> {
			const body = (await post('/messages/bulk_send', letter)) as {
				messages?: Array<{ id: string }>;
			};
			const id = body.messages?.[0]?.id;
			if (id === undefined) throw new Error(JSON.stringify(body));
			return id;
		},
		/** Requests the consents of these people, and returns their ids. */
		async ask(emails: readonly string[], more: object = {}): Promise<string[]> {
			const recipients = emails.map((email) => ({ email, firstname: 'Anna', lastname: 'Blau' }));
			const body = await post('/consents/bulkStore', { type: 'EMAIL', recipients, ...more });
			if (!Array.isArray(body)) throw new Error(JSON.stringify(body));
			return (body as Array<{ id: string }>).map(({ id }) => id);
		},
		close: () => dispatcher.close(),
	};
}
