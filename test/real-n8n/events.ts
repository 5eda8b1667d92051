import type { Execution, StoredWorkflow } from '../n8n/api.ts';
import type { Stack } from '../n8n/stack.ts';

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

/** Waits until nobody is to get anything any more, so that what has not come will not come. */
export async function untilDelivered({ receiverApi }: Stack): Promise<void> {
	await receiverApi.untilDrained();
}
