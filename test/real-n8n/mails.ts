// The mails that n8n sends to people, and the buttons in them that they press.
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import type { Mailbox } from '../support/mailbox.ts';

/** Saves n8n's credential for sending to the mailbox. @returns its id */
export async function saveSmtp({ api }: Stack, { port }: Mailbox): Promise<string> {
	const server = { host: '127.0.0.1', port, secure: false, disableStartTls: true };
	return await api.saveCredential('SMTP of the test', 'smtp', server);
}

/** Where a button of the mail leads. */
export const linkIn = (mail: string, button: string): string =>
	[...mail.matchAll(/<a href="([^"]+)"[^>]*>([^<]+)<\/a>/g)]
		.find(([, , label]) => label === button)?.[1]
		.replaceAll('&amp;', '&') ?? '';

/** n8n takes no answer from a program. */
export const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };

/** Presses it, once n8n has put the execution to sleep that asked: before that it takes no answer. */
export async function press(mail: string, button: string, body?: FormData): Promise<void> {
	const init = { headers: BROWSER, ...(body && { method: 'POST', body }) };
	await until('n8n to take the answer', async () => (await fetch(linkIn(mail, button), init)).ok);
}
