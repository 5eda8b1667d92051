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

/** What n8n itself needs to follow what an execution sleeps for, where no receiver does. */
export interface Followed {
	subjects: Subjects;
	/** Of the wait. Who can read this can read the execution, and all that a wake-up could bring. */
	secret: string;
	resumeUrl: string;
	/** The n8n that it sleeps in: see `instanceName`. */
	instance: string;
	/** When it fell asleep, in milliseconds since 1970. */
	since: number;
	/** The first id of the wait: each part gets another, since the execution sleeps anew. */
	firstId: string;
	/** When what is to be done again was due, likewise; null if nothing is. */
	due: number | null;
}

/**
 * What the sleeping node needs to know when it wakes. n8n stores it with the execution: no secret, unless n8n
 * itself follows.
 */
export interface Sleeping {
	/** Null where the receiver has it. */
	followed: Followed | null;
	waitId: string;
	/** Digest of the wait's secret. */
	secretDigest: string;
	/** When each part of the wait ends, ISO 8601; the last is the deadline. */
	ends: string[];
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
}

const KEY = 'sleeping';

/**
 * Stored in the node's context. A node sleeps in one run at a time, since n8n puts the whole
 * execution to sleep, so in a loop each run replaces what the previous one left.
 */
export function rememberSleeping(context: IExecuteFunctions, sleeping: Sleeping): void {
	context.getContext('node')[KEY] = sleeping as unknown as IDataObject;
}

/**
 * The remembered state, as read from `webhook()`, where n8n exposes the context only through
 * expressions.
 *
 * @throws if nothing was remembered
 */
export function readSleeping(context: IWebhookFunctions): Sleeping {
	const name = quoted(context.getNode().name);
	const kept = context.evaluateExpression(`{{ $(${name}).context.${KEY} }}`);
	if (!isSleeping(kept))
		throw new NodeOperationError(context.getNode(), 'The execution does not sleep');
	return kept;
}

/** The same in a run of the node. */
export function rememberedSleeping(context: IExecuteFunctions): Sleeping | null {
	const kept: unknown = context.getContext('node')[KEY];
	return isSleeping(kept) ? kept : null;
}

/** The input items, from where the execution holds them. */
export function readInput(context: IWebhookFunctions, { source }: Sleeping): INodeExecutionData[] {
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

export function isSleeping(kept: unknown): kept is Sleeping {
	const { waitId, secretDigest, ends, ids, known } = (kept ?? {}) as Partial<Sleeping>;
	return (
		typeof waitId === 'string' &&
		typeof secretDigest === 'string' &&
		[ends, ids, known].every(Array.isArray)
	);
}

// `webhook()` cannot change what the execution remembers, so the name of a part tells which it is.

/** The receiver's name for a part of the wait, from 0. */
export function partId(waitId: string, part: number): string {
	return part === 0 ? waitId : `${waitId}.${part}`;
}

/** Which part of the wait a name stands for, or null. */
export function partOf({ waitId, ends }: Sleeping, id: string): number | null {
	const part = ends.findIndex((_, index) => partId(waitId, index) === id);
	return part === -1 ? null : part;
}

/**
 * The end of these nodes' resume URLs: a late wake-up must not resume another node that waits by
 * then, such as n8n's Wait node for an approval.
 */
export const RESUME_PATH = 'registered-delivery';

/** Where a wake-up of this execution goes. */
export function wakeUpUrl(context: IExecuteFunctions | IWebhookFunctions): string {
	const url = new URL(resumeUrlOf(context));
	url.pathname += `/${RESUME_PATH}`;
	return url.href;
}

/** The secret of one wait. A wake-up request must present it; n8n keeps only its digest. */
export function newSecret(): string {
	return randomBytes(32).toString('base64url');
}

export function digestOf(secret: string): string {
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
