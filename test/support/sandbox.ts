import type { Sandbox, SandboxOptions } from '../../sandbox/src/sandbox.ts';
import type { RequestEntry } from '../../sandbox/src/journal/request-entry.ts';
import type { Output } from '../../sandbox/src/client/client.ts';

/**
 * A sandbox that refuses members the interface does not know, such as a misspelt one that a node sends.
 * Letters stay as they were sent, unless told otherwise.
 */
export async function startStrictSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
	// Only here: the image of the demonstration has this file, and not the sandbox.
	const { startSandbox } = await import('../../sandbox/src/sandbox.ts');
	return await startSandbox({ automatic: false, strict: true, ...options });
}

/** The response of `GET /_sandbox/state`, and the newest thousand requests, oldest first. */
export type SandboxState = Output<'GET /state'> & { requests: RequestEntry[] };

/** Everything the sandbox holds except secrets, and its journal. */
export async function sandboxState({ pageUrl }: Pick<Sandbox, 'pageUrl'>): Promise<SandboxState> {
	const get = async (path: string) => (await fetch(`${pageUrl}/_sandbox${path}`)).json();
	const [state, journal] = await Promise.all([get('/state'), get('/requests?limit=1000')]);
	return { ...state, requests: journal.requests.reverse() };
}

/** How many send requests there were, successful or not. */
export async function countSendRequests(sandbox: Pick<Sandbox, 'pageUrl'>): Promise<number> {
	const { requests } = await sandboxState(sandbox);
	return requests.filter(({ path }) => path === '/messages/bulk_send').length;
}

/** Steers the sandbox: `control(sandbox, 'PUT', '/accounts/direct/kyc', { valid: false })`. */
export async function control(
	{ pageUrl }: Pick<Sandbox, 'pageUrl'>,
	method: 'POST' | 'PUT' | 'DELETE',
	path: string,
	body?: object,
): Promise<unknown> {
	const answer = await fetch(`${pageUrl}/_sandbox${path}`, {
		method,
		headers: { 'content-type': 'application/json' },
		body: body && JSON.stringify(body),
	});
	const text = await answer.text();
	if (!answer.ok)
		throw new Error(`The sandbox answered ${answer.status} to ${method} ${path}: ${text}`);
	return text === '' ? undefined : JSON.parse(text);
}

/** What it takes to connect to a sandbox. */
export type Accounts = Pick<Sandbox, 'url' | 'accounts' | 'caCertificate'>;

/** The credential as a user of the account would fill it in. */
export function serviceCredential(sandbox: Accounts, accountName: string, change: object = {}) {
	const account = sandbox.accounts.find(({ name }) => name === accountName);
	if (!account) throw new Error(`The sandbox has no account "${accountName}".`);
	return {
		baseUrl: sandbox.url,
		apiToken: account.token,
		trackedMailSpelling: 'AES',
		clientCertificate: account.certificate ?? '',
		clientKey: account.key ?? '',
		passphrase: '',
		caCertificate: sandbox.caCertificate,
		...change,
	};
}
