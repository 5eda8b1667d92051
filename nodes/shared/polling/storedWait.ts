import { createHash, randomBytes, timingSafeEqual } from 'crypto';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	ISourceData,
	IWebhookFunctions,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type {
	AwaitedOutcome,
	TrackedMailGoal,
	WaitConsent,
	WaitMessage,
} from '../../../webhook-receiver/src/core/wait-contract';
import { resumeUrlOf } from '../items/runMemory';

/** What a wait is for. */
export type Subjects =
	| { messages: WaitMessage[]; trackedMailGoal: TrackedMailGoal }
	| { consents: WaitConsent[] };

/**
 * What an execution needs to know when it wakes. n8n stores it with the execution: no secret, unless n8n itself
 * has to find it.
 */
export interface StoredWait {
	/** Another each time that the execution goes to sleep. */
	waitId: string;
	/** Digest of the wait's secret. */
	secretDigest: string;
	subjects: Subjects;
	/**
	 * When the execution is to be awake, ISO 8601, by the clock of who wakes it: for each reminder, and last at the
	 * deadline.
	 */
	ends: string[];
	/** When n8n wakes it if nobody has, in milliseconds since 1970 by n8n's clock. */
	n8nWakesAt: number;
	reminders: {
		/** Names the reminders of this wait, whose id changes each time. */
		series: string;
		/** When the next was due, in milliseconds since 1970, where the first end is another try at it. */
		due: number | null;
	};
	/** What each input item waits for, by index: message or consent ids; null for an invalid item. */
	ids: Array<string[] | null>;
	/** What was wrong with each invalid item, by index. */
	faults: Record<string, IDataObject>;
	/** Outcomes that were known before the execution fell asleep. */
	known: AwaitedOutcome[];
	/** Whether all items go to one output. */
	together: boolean;
	/** Where the execution holds the input items, so that they need not be stored twice. */
	source: ISourceData | null;
	/** What n8n itself needs to wake it; null where a receiver knows of it. */
	byN8n: WokenByN8n | null;
}

export interface WokenByN8n {
	/** The wait's, itself: who can read it can read the execution, and all that a wake-up could bring. */
	secret: string;
	resumeUrl: string;
	/** The n8n that it sleeps in: see `instanceName`. */
	instance: string;
	/** When it first fell asleep, in milliseconds since 1970. */
	since: number;
}

/** Its name in the node's context. */
export const WAIT_KEY = 'wait';

/**
 * Stored in the node's context. A node sleeps in one run at a time, since n8n puts the whole
 * execution to sleep, so in a loop each run replaces what the previous one left.
 */
export function storeWait(context: IExecuteFunctions, wait: StoredWait): void {
	context.getContext('node')[WAIT_KEY] = wait as unknown as IDataObject;
}

/** Null if nothing is stored. */
export function readWait(context: IExecuteFunctions): StoredWait | null {
	const kept: unknown = context.getContext('node')[WAIT_KEY];
	return isStoredWait(kept) ? kept : null;
}

/**
 * The same where n8n shows the node's context only to expressions.
 *
 * @throws if nothing is stored
 */
export function readWaitInWebhook(context: IWebhookFunctions): StoredWait {
	const name = quoted(context.getNode().name);
	const kept = context.evaluateExpression(`{{ $(${name}).context.${WAIT_KEY} }}`);
	if (isStoredWait(kept)) return kept;
	throw new NodeOperationError(context.getNode(), 'The execution does not sleep');
}

export function isStoredWait(kept: unknown): kept is StoredWait {
	const { waitId, secretDigest, ends, ids, known } = (kept ?? {}) as Partial<StoredWait>;
	return (
		typeof waitId === 'string' &&
		typeof secretDigest === 'string' &&
		[ends, ids, known].every(Array.isArray)
	);
}

/** The deadline of a wait, in milliseconds since 1970. */
export function deadlineOf({ ends }: Pick<StoredWait, 'ends'>): number {
	return Date.parse(ends[ends.length - 1]);
}

/** The input items, from where the execution holds them. */
export function readInput(
	context: IWebhookFunctions,
	{ source }: StoredWait,
): INodeExecutionData[] {
	if (source === null) return [];
	const { previousNode, previousNodeOutput = 0, previousNodeRun = 0 } = source;
	// `true` for whole items, including binary data.
	const node = `$(${quoted(previousNode)}, true)`;
	const items = context.evaluateExpression(
		`{{ ${node}.all(${previousNodeOutput}, ${previousNodeRun}) }}`,
	);
	return Array.isArray(items) ? (items as unknown as INodeExecutionData[]) : [];
}

/** A text in an expression: n8n ends one at any `}}` and refuses some words, in quotes or not. */
function quoted(text: string): string {
	const hex = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, '0');
	return `"${text.replace(/\W/g, (unit) => `\\u${hex(unit)}`)}"`;
}

/**
 * The end of these nodes' resume URLs: a late wake-up must not resume another node that waits by
 * then, such as n8n's Wait node for an approval.
 */
export const RESUME_PATH = 'registered-delivery';

/** Where a wake-up of this execution goes. */
export function wakeUpUrl(context: IExecuteFunctions): string {
	const url = new URL(resumeUrlOf(context));
	url.pathname += `/${RESUME_PATH}`;
	return url.href;
}

/** The secret of one wait. A wake-up request must present it; n8n keeps only its digest. */
export function newSecret(): string {
	return randomBytes(32).toString('base64url');
}

export function secretDigestOf(secret: string): string {
	return digest(secret).toString('base64url');
}

export function isSecretOf(storedDigest: string, given: string): boolean {
	const stored = Buffer.from(storedDigest, 'base64url');
	const shown = digest(given);
	return stored.length === shown.length && timingSafeEqual(stored, shown);
}

function digest(secret: string): Buffer {
	return createHash('sha256').update(secret).digest();
}
