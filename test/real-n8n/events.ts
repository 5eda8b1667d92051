import { setTimeout as sleep } from 'node:timers/promises';

import type { Execution, StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';

/** Milliseconds after which n8n shows an execution that a webhook started, with time to spare. */
const NOTED_WITHIN = 1000;

const TRIGGER = 'Registered Delivery Trigger';

/** An item that the trigger gave, with the execution it started. */
export interface SeenEvent {
	execution: string;
	mode: string;
	type: string;
	sourceType: string;
	messageId: string;
	messageType: string;
	status: string | null;
	terminal: boolean;
	reversible: boolean;
}

/** Workflow with nothing but the trigger, asking for these events. */
export async function saveFollower(
	stack: Stack,
	name: string,
	events: string[],
	options: object = {},
): Promise<StoredWorkflow> {
	const workflow = await stack.importExample('follow-letters.json', (file) => {
		file.name = name;
		for (const node of file.nodes) {
			// n8n serves a webhook path once, so each copy of the example needs ids of its own.
			node.id = crypto.randomUUID();
			if ('webhookId' in node) node.webhookId = crypto.randomUUID();
			if (node.name === TRIGGER) node.parameters = { events, options };
		}
	});
	return await stack.api.workflow(workflow.id);
}

/** What started the workflow so far, oldest first. */
export async function eventsOf({ api }: Stack, workflow: StoredWorkflow): Promise<SeenEvent[]> {
	const ids = await api.executionIds(workflow.id);
	const events = ids.map(async (id) => {
		const known = cache.get(id) ?? readEvents(await api.finished(id));
		cache.set(id, known);
		return known;
	});
	return (await Promise.all(events)).flat();
}

// What an execution that has ended says stays as it is, and n8n is slow to tell.
const cache = new Map<string, SeenEvent[]>();

function readEvents({ id, mode, output }: Execution): SeenEvent[] {
	return (output[TRIGGER] ?? []).map(({ json }) => ({
		...(json as unknown as Omit<SeenEvent, 'execution' | 'mode'>),
		execution: id,
		mode,
	}));
}

/** Waits until the receiver has nothing left to deliver, so that what has not come will not come. */
export async function untilDelivered({ receiver, managementToken }: Stack): Promise<void> {
	await until('an empty queue of deliveries', async () => {
		const answer = await fetch(`${receiver.url}/deliveries?state=pending`, {
			headers: { authorization: `Bearer ${managementToken}` },
		});
		if (!answer.ok)
			throw new Error(`The receiver answered ${answer.status}: ${await answer.text()}`);
		const { data } = (await answer.json()) as { data: unknown[] };
		return data.length === 0;
	});
	// n8n answers a delivery before it has noted the execution that it starts.
	await sleep(NOTED_WITHIN);
}
