import { Agent, request } from 'undici';

import type { Sandbox } from '../../sandbox/src/sandbox.ts';

/** Sends one letter as the account `direct`. @returns its id */
export async function sendTo(
	{ url, caCertificate, accounts }: Pick<Sandbox, 'url' | 'caCertificate' | 'accounts'>,
	type: string,
	email: string,
	body: string,
): Promise<string> {
	const account = accounts.find(({ name }) => name === 'direct');
	const { certificate: cert, key } = account ?? {};
	const dispatcher = new Agent({
		connect: { ca: caCertificate, cert: cert ?? undefined, key: key ?? undefined },
	});
	try {
		const answer = await request(`${url}/messages/bulk_send`, {
			method: 'POST',
			dispatcher,
			headers: { 'X-API-TOKEN': account?.token, 'Content-Type': 'application/json' },
			body: JSON.stringify({
				type,
				body,
				recipients: [{ email, firstname: 'Ada', lastname: 'Martin' }],
			}),
		});
		const text = await answer.body.text();
		if (answer.statusCode !== 201) throw new Error(`${answer.statusCode} ${text}`);
		return (JSON.parse(text) as { messages: Array<{ id: string }> }).messages[0].id;
	} finally {
		await dispatcher.close();
	}
}
