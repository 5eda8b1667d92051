import { WATCHED_SOURCE } from '../contract.ts';
import type { DeliveryEvent } from '../contract.ts';
import { kindOfStatus } from '../event-kinds.ts';
import type { EventKind } from '../event-kinds.ts';
import { missingSteps } from './missing-steps.ts';
import type { ServiceStatus } from './service.ts';
import { withChange } from './watch.ts';
import type { WatchRecord } from './watch.ts';

/** An event that a poll makes; the store gives it its id and sequence. */
export type WatchedEvent = Omit<DeliveryEvent, 'id' | 'sequence'>;

export interface Seen {
	watch: WatchRecord;
	/** In the order in which things happened. */
	events: WatchedEvent[];
}

/**
 * Adds the status that a poll saw to what is known of a message. What a webhook has told of before
 * makes no event again. A poll may find that several things have happened: those that must have, by
 * the interface's table of transitions, have an event each (rules STAT-01 to STAT-06).
 */
export function mergeStatus(present: WatchRecord, answer: ServiceStatus, now: number): Seen {
	const { status } = answer;
	const watch = { ...present, polledAt: now, failures: 0, problem: null };
	const type = watch.messageType ?? likelyType(answer);
	const isTerminal = kindOfStatus(status, type)?.terminal === true;
	const ended = isTerminal ? { endReason: 'final' as const } : {};
	const isKnown = isEqual(status, watch.status) || isEqual(status, watch.either);
	const steps = [...missingSteps(watch, status, type), ...(isKnown ? [] : [status])];
	const kinds = steps.map((step) => kindOfStatus(step, type)).filter((kind) => kind !== null);
	const changed = isKnown ? {} : { changedAt: now };
	const moved: WatchRecord = { ...watch, status, either: null, ...changed, ...ended };
	return {
		watch: kinds.reduce<WatchRecord>((known, { type, status }) => {
			const change = { type, status, at: now, occurredAt: null };
			return withChange(known, { ...change, by: 'watching', hasWebhook: false });
		}, moved),
		events: kinds.map((kind) => eventOf(watch, kind, answer, now)),
	};
}

/** Only tracked mail leaves no evidence at all (rule AES-04). */
function likelyType({ evidences }: ServiceStatus): 'AES' | null {
	return evidences.length === 0 ? 'AES' : null;
}

function eventOf(
	{ messageId, messageType, fileReference, customerReference }: WatchRecord,
	kind: EventKind,
	{ status, evidences }: ServiceStatus,
	now: number,
): WatchedEvent {
	return {
		...kind,
		sourceType: WATCHED_SOURCE,
		...{ messageId, messageType },
		// A status comes without the time since when it has been so.
		occurredAt: null,
		receivedAt: new Date(now).toISOString(),
		...{ fileReference, customerReference },
		raw: { id: messageId, status, evidences },
	};
}

function isEqual(status: string, known: string | null): boolean {
	return known !== null && status.toUpperCase() === known.toUpperCase();
}
