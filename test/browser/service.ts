import type { Sandbox } from '../../sandbox/src/sandbox.ts';

/** Sends one letter as the account `direct`. @returns its id */
export async function sendTo(
	{ as }: Pick<Sandbox, 'as'>,
	type: 'AES' | 'LRE' | 'LS',
	email: string,
	body: string,
): Promise<string> {
	const recipients = [{ email, firstname: 'Ada', lastname: 'Martin' }];
	const { messages } = await as('direct')('POST /messages/bulk_send', { type, body, recipients });
	return messages[0].id;
}
