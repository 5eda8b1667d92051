import type { Sandbox, SandboxOptions } from '../../sandbox/src/sandbox.ts';
import type { Input, Output, SandboxClient } from '../../sandbox/src/client/client.ts';

/**
 * A sandbox that refuses members the interface does not know, such as a misspelt one that a node sends.
 * Letters stay as they were sent, unless told otherwise.
 */
export async function startStrictSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
	// Only here: the image of the demonstration has this file, and not the sandbox.
	const { startSandbox } = await import('../../sandbox/src/sandbox.ts');
	return await startSandbox({ automatic: false, strict: true, ...options });
}

export type FaultRule = Input<'POST /faults'>['faults'][number];
export type Fault = Extract<FaultRule, { fault: unknown }>['fault'];

/** What may happen to a letter. */
export type Trigger = Input<'POST /messages/{id}/{trigger}'>['trigger'];

interface Steered {
	control: SandboxClient;
}

/** The response of `GET /state`, and the newest thousand requests, oldest first. */
export type SandboxState = Output<'GET /state'> & Pick<Output<'GET /requests'>, 'requests'>;

/** Everything the sandbox holds except secrets, and its journal. */
export async function sandboxState({ control }: Steered): Promise<SandboxState> {
	const [state, { requests }] = await Promise.all([
		control('GET /state'),
		control('GET /requests', { limit: 1000 }),
	]);
	return { ...state, requests: requests.reverse() };
}

/** How many send requests there were, successful or not. */
export async function countSendRequests(sandbox: Steered): Promise<number> {
	const { requests } = await sandboxState(sandbox);
	return requests.filter(({ path }) => path === '/messages/bulk_send').length;
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

/** The variables of a receiver that asks the sandbox as this account. */
export function serviceVariables(sandbox: Accounts, accountName: string) {
	const credential = serviceCredential(sandbox, accountName);
	return {
		SERVICE_URL: credential.baseUrl,
		SERVICE_TOKEN: credential.apiToken,
		SERVICE_CA: credential.caCertificate,
		SERVICE_CLIENT_CERTIFICATE: credential.clientCertificate,
		SERVICE_CLIENT_KEY: credential.clientKey,
	};
}

/** What a credential has besides where a webhook receiver follows letters. */
export function byReceiver(receiverUrl: string, receiverToken: string) {
	return { followWith: 'receiver', receiverUrl, receiverToken } as const;
}

/** What a credential has besides where n8n itself follows letters. */
export function byN8n(n8nUrl: string, n8nApiKey: string) {
	return { followWith: 'n8n', n8nUrl, n8nApiKey } as const;
}
