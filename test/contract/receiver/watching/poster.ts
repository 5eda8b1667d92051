// Sends letters and requests to the sandbox like the pack, including the certificate.
import type { Sandbox } from '../../../../sandbox/src/sandbox.ts';

export function poster({ as }: Pick<Sandbox, 'as'>, account = 'direct') {
	const ask = as(account);
	return {
		/** Returns the id of the one message. */
		async send(letter: object): Promise<string> {
			const { messages } = await ask('POST /messages/bulk_send', letter as never);
			return messages[0].id;
		},
		/** Requests the consents of these people, and returns their ids. */
		async ask(emails: readonly string[], more: object = {}): Promise<string[]> {
			const recipients = emails.map((email) => ({ email, firstname: 'Anna', lastname: 'Blau' }));
			const wanted = { type: 'EMAIL' as const, recipients, ...more };
			return (await ask('POST /consents/bulkStore', wanted)).map(({ id }) => id);
		},
	};
}
