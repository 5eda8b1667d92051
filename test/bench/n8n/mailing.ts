// The same mailing with Send Letter and with n8n's HTTP Request node.
import type { StoredWorkflow } from '../../n8n/api.ts';
import { startFileServer } from '../../real-n8n/file-server.ts';
import { itemsFrom, saveChain, sendLetter, START } from '../../real-n8n/workflows.ts';
import { byReceiver, sandboxState } from '../../support/sandbox.ts';
import { afterRow } from '../clean-up.ts';
import { timeNodes } from './executions.ts';
import { httpRequest, sandboxAccess } from './http-request.ts';
import { sharedN8n } from './stack.ts';

export interface Mailing {
	letters: number;
	/** The text in the node: the same for all letters, or a greeting for each reader. */
	text: 'same' | 'personal';
	/** The service's URL, unless the sandbox's own. */
	baseUrl?: string;
	/** Whether a webhook receiver keeps keys and letters. */
	withReceiver?: true;
}

// About a page, so that requests have the size of real letters.
const PAGE = 'This is to let you know that your contract will be renewed. '.repeat(30);

const BODIES = {
	sendLetter: {
		same: `<p>Dear reader</p><p>${PAGE}</p>`,
		personal: `=<p>Dear {{ $json.firstname }} {{ $json.lastname }}</p><p>${PAGE}</p>`,
	},
	httpRequest: {
		same: jsonBody(`"<p>Dear reader</p><p>${PAGE}</p>"`),
		personal: jsonBody(
			`"<p>Dear " + $json.firstname + " " + $json.lastname + "</p><p>${PAGE}</p>"`,
		),
	},
};

function jsonBody(body: string): string {
	const recipient = '{ email: $json.email, firstname: $json.firstname, lastname: $json.lastname }';
	return `={{ { type: "LS", body: ${body}, recipients: [${recipient}] } }}`;
}

/** A workflow that sends the letters with Send Letter. */
export async function saveSendLetter(
	{ letters, text, baseUrl, withReceiver }: Mailing,
	options: object,
): Promise<StoredWorkflow> {
	const { stack } = await sharedN8n();
	const sending = sendLetter({
		recipientsFrom: 'item',
		body: BODIES.sendLetter[text],
		options,
	});
	const name = `Send Letter, ${letters} ${text} ${JSON.stringify({ ...options, withReceiver })}`;
	const nodes = [START, itemsFrom(await readersUrl(letters)), sending];
	return await saveChain(stack, name, nodes, {
		...(baseUrl && { baseUrl }),
		...(withReceiver && byReceiver(stack.receiver.url, stack.managementToken)),
	});
}

/**
 * The same with n8n's HTTP Request node, one request per item. Its batching only adds pauses
 * between requests; without it all go out at once, which is its fastest.
 */
export async function saveHttpRequest({
	letters,
	text,
	baseUrl,
}: Mailing): Promise<StoredWorkflow> {
	const { stack } = await sharedN8n();
	const sending = await httpRequest('Send Letter', await sandboxAccess(), {
		method: 'POST',
		url: `${baseUrl ?? stack.sandbox.url}/messages/bulk_send`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: BODIES.httpRequest[text],
	});
	const nodes = [START, itemsFrom(await readersUrl(letters)), sending];
	return await saveChain(stack, `HTTP Request, ${letters} ${text}`, nodes);
}

/** Serves the recipients, one item each. */
async function readersUrl(letters: number): Promise<string> {
	const files = await startFileServer();
	afterRow(() => files.close());
	return files.offer(
		Array.from({ length: letters }, (_, index) => ({
			email: `never+${index}@recipients.example`,
			firstname: 'Ada',
			lastname: `Martin ${index}`,
		})),
	);
}

/**
 * Runs the mailing against an empty sandbox, and checks that every letter has arrived.
 *
 * @returns seconds of the node alone, and how many send requests the service has seen
 */
export async function runMailing(workflow: StoredWorkflow, letters: number) {
	const { stack } = await sharedN8n();
	await stack.sandbox.control.reset();
	const seconds = await timeNodes(workflow, ['Send Letter'], letters);
	const { messages, requests } = await sandboxState(stack.sandbox);
	if (messages.length !== letters) {
		throw new Error(`Of ${letters} letters of "${workflow.name}" ${messages.length} arrived.`);
	}
	const sending = requests.filter(({ path }) => path === '/messages/bulk_send');
	return { seconds, requests: sending.length };
}
