import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { EventMemory } from './eventMemory';

/** Kept in this process for each node; about 100 bytes each. */
const IN_MEMORY = 5_000;

/** Kept over restarts; about 60 bytes each, written with each request. */
const OVER_RESTARTS = 500;

const memories = new Map<string, EventMemory>();

/**
 * What this node has already started its workflow for, so that a repeated event does not start it twice
 * (design § 6, rule EVNT-05).
 *
 * This process's memory is what decides, since requests that come at once meet there. For restarts and
 * for further processes, the last of it stands in the node's static data. n8n reads that before each
 * request and saves it whole before it answers, which is not atomic: the later of two requests at the
 * same time may undo what the other one saved. It is always written from the memory, so the next
 * request mends it.
 */
export function memoryOf(context: IWebhookFunctions): EventMemory {
	const key = memoryKey(context, context.getMode() === 'manual');
	const memory = memories.get(key) ?? new EventMemory(IN_MEMORY);
	memories.set(key, memory);
	const { remembered } = context.getWorkflowStaticData('node');
	if (typeof remembered === 'string') memory.addText(remembered);
	return memory;
}

/** Puts the last of the memory where it outlives this process. */
export function keepOverRestarts(context: IWebhookFunctions, memory: EventMemory): void {
	context.getWorkflowStaticData('node').remembered = memory.toText(OVER_RESTARTS);
}

/** A test run listens anew: the same event may be sent again to try things out. */
export function forgetTestRun(context: IHookFunctions): void {
	if (context.getActivationMode() !== 'manual') return;
	memories.delete(memoryKey(context, true));
}

function memoryKey(context: IHookFunctions | IWebhookFunctions, isTest: boolean): string {
	const { id: workflowId } = context.getWorkflow();
	return [workflowId, context.getNode().id, isTest ? 'test' : 'production'].join('~');
}
