import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

/** As long as the receiver keeps events and event ids by default. */
export const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Kept in this process for each node; about 100 bytes each. */
const IN_MEMORY = 5_000;

/** Kept across restarts; about 60 bytes each, written with each request. */
const OVER_RESTARTS = 500;

const FORGOTTEN = 0;

/** Remembers a limited number of keys, each for a limited time. */
export class EventMemory {
	/** Until when each key is remembered, in milliseconds since 1970; oldest key first. */
	private readonly entries = new Map<string, number>();
	private readonly limit: number;

	constructor(limit: number) {
		this.limit = limit;
	}

	/** Until when the key is remembered, or null if it is unknown or expired. */
	until(key: string, now: number): number | null {
		const until = this.entries.get(key);
		return until !== undefined && until > now ? until : null;
	}

	has(key: string, now: number): boolean {
		return this.until(key, now) !== null;
	}

	remember(key: string, until: number): void {
		this.entries.delete(key);
		this.entries.set(key, until);
		for (const oldest of this.entries.keys()) {
			if (this.entries.size <= this.limit) break;
			this.entries.delete(oldest);
		}
	}

	/** Forgets the keys, and keeps {@link addText} from restoring them. */
	forget(keys: readonly string[]): void {
		for (const key of keys) this.entries.set(key, FORGOTTEN);
	}

	/** The last `count` keys as one text: n8n's static data wraps every list in a proxy. */
	toText(count: number): string {
		const last = [...this.entries].filter(([, until]) => until !== FORGOTTEN).slice(-count);
		return last.map(([key, until]) => `${key} ${until}`).join('\n');
	}

	/** Adds unknown keys from {@link toText}. */
	addText(text: string): void {
		for (const line of text.split('\n')) {
			const [key, until] = line.split(' ');
			if (key && Number(until) && !this.entries.has(key)) this.remember(key, Number(until));
		}
	}
}

const memories = new Map<string, EventMemory>();

/**
 * What this node has already started its workflow for, so that a repeated event does not start it
 * twice (rule EVNT-05).
 *
 * This process's memory decides, since simultaneous requests meet there. For restarts and other
 * processes, the latest part is stored in the node's static data. n8n reads that before each
 * request and saves it whole before it answers, which is not atomic: the later of two simultaneous
 * requests may undo what the other saved. It is always written from memory, so the next request
 * repairs it.
 */
export function memoryOf(context: IWebhookFunctions): EventMemory {
	const key = memoryKey(context, context.getMode() === 'manual');
	const memory = memories.get(key) ?? new EventMemory(IN_MEMORY);
	memories.set(key, memory);
	const { remembered } = context.getWorkflowStaticData('node');
	if (typeof remembered === 'string') memory.addText(remembered);
	return memory;
}

/** Stores the latest part of the memory where it outlives this process. */
export function keepOverRestarts(context: IWebhookFunctions, memory: EventMemory): void {
	context.getWorkflowStaticData('node').remembered = memory.toText(OVER_RESTARTS);
}

/** Each test run starts empty: the same event may be resent to try things out. */
export function forgetTestRun(context: IHookFunctions): void {
	if (context.getActivationMode() !== 'manual') return;
	memories.delete(memoryKey(context, true));
}

function memoryKey(context: IHookFunctions | IWebhookFunctions, isTest: boolean): string {
	const { id: workflowId } = context.getWorkflow();
	return [workflowId, context.getNode().id, isTest ? 'test' : 'production'].join('~');
}
