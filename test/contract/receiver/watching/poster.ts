// Sends letters to the sandbox like the pack, including the certificate.
import { Agent, request } from 'undici';
import type { Sandbox } from '../../../../sandbox/src/sandbox.ts';
import { serviceCredential } from '../../../support/sandbox.ts';

export function poster(sandbox: Sandbox) {
	const credential = serviceCredential(sandbox, 'direct');
	const { baseUrl, apiToken, clientCertificate, clientKey, caCertificate } = credential;
	const connect = { ca: caCertificate, cert: clientCertificate, key: clientKey };
	const dispatcher = new Agent({ connect });
	return {
		/** Returns the id of the one message. */
		async send(letter: object): Promise<string> {
			const answer = await request(`${baseUrl}/messages/bulk_send`, {
				method: 'POST',
				dispatcher,
				headers: { 'content-type': 'application/json', 'x-api-token': apiToken },
				body: JSON.stringify(letter),
			});
			const body = (await answer.body.json()) as { messages?: Array<{ id: string }> };
			const id = body.messages?.[0]?.id;
			if (id === undefined) throw new Error(JSON.stringify(body));
			return id;
		},
		close: () => dispatcher.close(),
	};
}
