import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { LetterRecord } from '../../webhook-receiver/src/core/records';
import { keepLatest } from '../shared/items/keepLatest';

/** As long as the receiver keeps events and event ids by default. */
export const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Letters kept in this process for each node; about 1 KB each. */
const IN_MEMORY = 5_000;

/** Kept across restarts; about 500 bytes each, written with each request. */
const OVER_RESTARTS = 100;

/** What is remembered of a letter, or of an event without one. */
export interface Remembered {
	/** In milliseconds since 1970. */
	until: number;
	/** Null for an event without a letter. */
	record: LetterRecord | null;
}

/** Remembers a limited number of letters and events, each for a limited time. */
export class EventMemory {
	/** By message id, or the mark of an event without one; oldest first. */
	private readonly entries = new Map<string, Remembered>();
	private readonly limit: number;

	constructor(limit: number) {
		this.limit = limit;
	}

	/** Null if it is unknown or expired. */
	get(key: string, now: number): Remembered | null {
		const entry = this.entries.get(key);
		return entry !== undefined && entry.until > now ? entry : null;
	}

	remember(key: string, entry: Remembered): void {
		keepLatest(this.entries, key, entry, this.limit);
	}

	/** Forgets one event, and keeps {@link addText} from restoring it. */
	forget(key: string, mark: string): void {
		const entry = this.entries.get(key);
		if (entry === undefined) return;
		const { record } = entry;
		const isOther = (one: { mark: string | null }) => one.mark !== mark;
		this.entries.set(key, {
			until: record === null ? 0 : entry.until,
			record: record && {
				...record,
				changes: record.changes.filter(isOther),
				others: record.others.filter(isOther),
			},
		});
	}

	/** The last `count` as one text: n8n's static data wraps every list in a proxy. */
	toText(count: number): string {
		return JSON.stringify([...this.entries].slice(-count));
	}

	/** Adds what is unknown from {@link toText}. */
	addText(text: string): void {
		for (const [key, entry] of JSON.parse(text) as Array<[string, Remembered]>) {
			if (!this.entries.has(key)) this.remember(key, entry);
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
