import type { StoredWorkflow } from '../n8n/api.ts';
import type { Stack } from '../n8n/stack.ts';
import { control, sandboxState } from '../support/sandbox.ts';
import type { FileServer } from '../real-n8n/file-server.ts';
import { itemsFrom, node, saveChain, sendLetter, START } from '../real-n8n/workflows.ts';
import { timeNodes } from './n8n-run.ts';

/** What one mailing took. */
export interface Mailing {
	seconds: number;
	/** Requests to send that the service has seen. */
	requests: number;
}

/** An item of the mailing: whom a letter goes to. */
export interface Reader {
	email: string;
	firstname: string;
	lastname: string;
}

/** The text stands in the node: all letters say the same, or each greets its reader. */
export type Text = 'same' | 'personal';

// About a page, so that a request has the size of a real letter.
const PAGE = 'This is to let you know that your contract will be renewed. '.repeat(30);

const SEND_LETTER_BODY: Record<Text, string> = {
	same: `<p>Dear reader</p><p>${PAGE}</p>`,
	personal: `=<p>Dear {{ $json.firstname }} {{ $json.lastname }}</p><p>${PAGE}</p>`,
};

const HTTP_REQUEST_BODY: Record<Text, string> = {
	same: jsonBody(`"<p>Dear reader</p><p>${PAGE}</p>"`),
	personal: jsonBody(`"<p>Dear " + $json.firstname + " " + $json.lastname + "</p><p>${PAGE}</p>"`),
};

function jsonBody(body: string): string {
	const recipient = '{ email: $json.email, firstname: $json.firstname, lastname: $json.lastname }';
	return `={{ { type: "LS", body: ${body}, recipients: [${recipient}] } }}`;
}

export function readers(count: number): Reader[] {
	return Array.from({ length: count }, (_, index) => ({
		email: `never+${index}@recipients.example`,
		firstname: 'Ada',
		lastname: `Martin ${index}`,
	}));
}

export interface MailingPlan {
	files: FileServer;
	to: Reader[];
	text: Text;
	/** Where the service is, if not where the sandbox says. */
	baseUrl?: string;
}

/** A workflow that sends the letters with Send Letter. */
export async function saveSendLetter(
	stack: Stack,
	{ files, to, text, baseUrl }: MailingPlan,
	options: object,
): Promise<StoredWorkflow> {
	return await saveChain(
		stack,
		`Send Letter, ${text} ${JSON.stringify(options)}`,
		[
			START,
			itemsFrom(files.itemsUrl(to)),
			sendLetter({ recipientsFrom: 'item', body: SEND_LETTER_BODY[text], options }),
		],
		baseUrl ? { baseUrl } : {},
	);
}

/**
 * The same with n8n's HTTP Request node, a request for each item. Its batching only puts pauses between
 * requests; without, all go out at once, which is its fastest.
 */
export async function saveHttpRequest(
	stack: Stack,
	{ files, to, text, baseUrl }: MailingPlan,
): Promise<StoredWorkflow> {
	const request = await serviceRequest(stack, 'Send Letter', {
		method: 'POST',
		url: `${baseUrl ?? stack.sandbox.url}/messages/bulk_send`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: HTTP_REQUEST_BODY[text],
		options: {},
	});
	const nodes = [START, itemsFrom(files.itemsUrl(to)), request];
	return await saveChain(stack, `HTTP Request, ${text}`, nodes);
}

/** An HTTP Request node that calls the service as Send Letter does: the token, and the client certificate. */
export async function serviceRequest(stack: Stack, name: string, parameters: object) {
	const { api, sandbox } = stack;
	const account = sandbox.accounts.find((one) => one.name === 'direct');
	if (!account) throw new Error('The sandbox has no account "direct".');
	const token = { name: 'X-API-TOKEN', value: account.token };
	const certificate = { ca: sandbox.caCertificate, cert: account.certificate, key: account.key };
	const credentials = {
		httpHeaderAuth: {
			id: await api.saveCredential('Token of the sandbox', 'httpHeaderAuth', token),
			name: 'Token of the sandbox',
		},
		httpSslAuth: {
			id: await api.saveCredential('Certificate of the sandbox', 'httpSslAuth', certificate),
			name: 'Certificate of the sandbox',
		},
	};
	return node(
		name,
		'n8n-nodes-base.httpRequest',
		4.2,
		{
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			provideSslCertificates: true,
			...parameters,
		},
		{ credentials },
	);
}

/** Runs the mailing against a sandbox that holds nothing yet, and sees that every letter has arrived. */
export async function runMailing(
	stack: Stack,
	workflow: StoredWorkflow,
	letters: number,
): Promise<Mailing> {
	await control(stack.sandbox, 'POST', '/reset');
	const { seconds, items } = await timeNodes(stack, workflow, ['Send Letter']);
	const { messages, requests } = await sandboxState(stack.sandbox);
	if (messages.length !== letters || items !== letters) {
		throw new Error(
			`"${workflow.name}" was to send ${letters} letters; the service has ${messages.length}, the node gave ${items} items.`,
		);
	}
	const sending = requests.filter(({ path }) => path === '/messages/bulk_send');
	return { seconds, requests: sending.length };
}
