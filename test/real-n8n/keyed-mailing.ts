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

/** What the output says about a key's letter. */
export interface Verdict {
	key: string;
	verdict: 'sent' | 'not sent' | 'unknown';
	/** Id of the letter that was sent. */
	messageId: string | null;
	/** Sent by another execution. */
	isTakenOver: boolean;
}

const PATIENCE = 240_000;

/**
 * A workflow that is started by a webhook, hence in production, and sends a letter for each entry
 * of the list of `{key}` at the URL.
 *
 * @param keeper what the credential has of the receiver that keeps the keys
 * @param concurrency send requests that an execution has in flight at once
 */
export async function publishMailing(
	stack: Stack,
	name: string,
	url: string,
	keeper: object,
	concurrency: number,
): Promise<Mailing> {
	const path = crypto.randomUUID();
	const nodes = [
		webhook(path, 'Webhook'),
		itemsFrom(url),
		sendLetter(
			{
				recipientsJson: `={{ [{ email: $json.key + "${DOMAIN}", firstname: "Ada", lastname: "Martin" }] }}`,
				options: { sendOnceKey: '={{ $json.key }}', concurrency },
			},
			{ onError: 'continueRegularOutput' },
		),
	];
	const workflow = await saveChain(stack, name, nodes, keeper);
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
	return items.map(({ json: { messageId, alreadySent, error } }, at) => {
		expect(messageId === undefined).toBe(error !== undefined);
		const failed = String(error).startsWith('Outcome unknown') ? 'unknown' : 'not sent';
		return {
			key: keys[at],
			verdict: error === undefined ? 'sent' : failed,
			messageId: messageId === undefined ? null : String(messageId),
			isTakenOver: alreadySent === true,
		};
	});
}
