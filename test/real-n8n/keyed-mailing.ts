// Mailings under Send Once Keys, and the evidence for them: the sandbox's own ledger of letters on
// one side, n8n's stored output items on the other.
import type { Execution, StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { sandboxState } from '../support/sandbox.ts';
import { itemsFrom, saveChain, sendLetter, untilServed, webhook } from './workflows.ts';

export interface Mailing {
	/** Starts executions, all at the same time. @returns their ids, without waiting for them */
	start(count?: number): Promise<string[]>;
	/** Starts executions the same way and waits for them to end. */
	execute(count?: number): Promise<Execution[]>;
}

export interface MailingOptions {
	/** What the credential has of the receiver that keeps the keys; if omitted, n8n keeps them. */
	receiver?: object;
	/** Options of the node in addition to the key. */
	options?: object;
}

/** What the output says about a key's letter. */
export interface Verdict {
	key: string;
	verdict: 'sent' | 'not sent' | 'unknown';
	/** Id of the letter that was sent. */
	messageId: string | null;
	/** Sent by another execution. */
	isTakenOver: boolean;
	error: string | null;
}

const PATIENCE = 240_000;

/**
 * A workflow that is started by a webhook, hence in production, and sends a letter for each entry
 * of the list of `{key}` at the URL.
 */
export async function publishMailing(
	stack: Stack,
	name: string,
	url: string,
	{ receiver, options = {} }: MailingOptions,
): Promise<Mailing> {
	const path = crypto.randomUUID();
	const nodes = [
		webhook(path, 'Webhook'),
		itemsFrom(url),
		sendLetter(
			{
				recipientsJson: `={{ [{ email: $json.key + "${DOMAIN}", firstname: "Ada", lastname: "Martin" }] }}`,
				options: { sendOnceKey: '={{ $json.key }}', ...options },
			},
			{ onError: 'continueRegularOutput' },
		),
	];
	const workflow = await saveChain(stack, name, nodes, receiver);
	await stack.api.activate(workflow.id);
	const hook = `${stack.n8n.url}/webhook/${path}`;
	await untilServed(hook);
	const start = async (count = 1) => await startAll(stack, workflow, hook, count);
	return {
		start,
		execute: async (count) => {
			const ids = await start(count);
			return await Promise.all(ids.map((id) => stack.api.finished(id, PATIENCE)));
		},
	};
}

async function startAll({ api }: Stack, { id }: StoredWorkflow, hook: string, count: number) {
	const before = await api.executionIds(id);
	const post = async () => expect((await fetch(hook, { method: 'POST' })).ok).toBe(true);
	await Promise.all(Array.from({ length: count }, post));
	return await until('the executions', async () => {
		const started = (await api.executionIds(id)).slice(before.length);
		return started.length === count && started;
	});
}

const DOMAIN = '@keys.example';

/** Ids of the letters that the sandbox holds for each key. */
export async function lettersOf(
	{ sandbox }: Stack,
	keys: string[],
): Promise<Map<string, string[]>> {
	const letters = new Map<string, string[]>(keys.map((key) => [key, []]));
	for (const { id, contact } of (await sandboxState(sandbox)).messages) {
		letters.get(contact.email.replace(DOMAIN, ''))?.push(id);
	}
	return letters;
}

/** One verdict per key, in order. @throws Error if a key has no item or more than one */
export function verdictsOf({ output }: Execution, keys: string[]): Verdict[] {
	const items = output['Send Letter'] ?? [];
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(keys.map((_, item) => ({ item })));
	return items.map(({ json }, at) => ({ key: keys[at], ...verdictOf(json) }));
}

function verdictOf({ messageId, alreadySent, error }: Record<string, unknown>) {
	expect(messageId === undefined).toBe(error !== undefined);
	const words = error === undefined ? null : String(error);
	const failed = words?.startsWith('Outcome unknown')
		? ('unknown' as const)
		: ('not sent' as const);
	return {
		verdict: words === null ? ('sent' as const) : failed,
		messageId: messageId === undefined ? null : String(messageId),
		isTakenOver: alreadySent === true,
		error: words,
	};
}
