import type { Execution, StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';

const TRIGGER = 'Registered Delivery Trigger';

/** An item from the trigger, with the execution it started. */
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

/** The events that have started the workflow so far, oldest first. */
async function eventsOf({ api }: Stack, workflow: StoredWorkflow): Promise<SeenEvent[]> {
	const ids = await api.executionIds(workflow.id);
	const events = ids.map(async (id) => {
		const known = cache.get(id) ?? readEvents(await api.finished(id));
		cache.set(id, known);
		return known;
	});
	return (await Promise.all(events)).flat();
}

/** The letter's events that have started the workflow, once there are that many. */
export async function untilEventsOf(
	stack: Stack,
	workflow: StoredWorkflow,
	messageId: string,
	count: number,
): Promise<SeenEvent[]> {
	const what = `${count} events of letter ${messageId}`;
	const seen = async () => {
		const events = await eventsOf(stack, workflow);
		const ofLetter = events.filter((event) => event.messageId === messageId);
		return ofLetter.length >= count && ofLetter;
	};
	return await until(what, seen, 20);
}

// A finished execution does not change, and n8n is slow to return it.
const cache = new Map<string, SeenEvent[]>();

function readEvents({ id, mode, output }: Execution): SeenEvent[] {
	return (output[TRIGGER] ?? []).map(({ json }) => ({
		...(json as unknown as Omit<SeenEvent, 'execution' | 'mode'>),
		execution: id,
		mode,
	}));
}
