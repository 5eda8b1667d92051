import { WATCHED_SOURCE } from '../contract.ts';
import type { DeliveryEvent } from '../contract.ts';
import { kindOfStatus, stepOf } from '../event-kinds.ts';
import type { EventKind } from '../event-kinds.ts';
import { withChange } from './changes.ts';
import { missingSteps } from './missing-steps.ts';
import { comesBefore, impliesSent } from './order.ts';
import type { ServiceStatus } from './service.ts';
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
	const watch = { ...present, polledAt: now, failures: 0, notFound: null, problem: null };
	const type = watch.messageType ?? likelyType(watch, answer);
	const known = watch.status;
	const polled = answer.status.toUpperCase();
	// No message goes back: what polls see lags behind webhooks, and a failed one may keep its status.
	const isOld = known !== null && comesBefore(polled, known);
	const step = isOld ? known : polled;
	const isKnown = isOld || step === known || step === watch.either;
	const names = [...missingSteps(watch, step, type), ...(isKnown ? [] : [answer.status])];
	const kinds = names.map((name) => kindOfStatus(name, type)).filter((kind) => kind !== null);
	const moved: WatchRecord = {
		...watch,
		status: step,
		either: isOld ? watch.either : null,
		...(!isKnown && { changedAt: now }),
		...(kindOfStatus(step, type)?.terminal && { endReason: 'final' }),
	};
	return {
		watch: kinds.reduce((known, kind) => noted(known, kind, now), moved),
		events: kinds.map((kind) => eventOf(watch, kind, answer, now)),
	};
}

function noted(watch: WatchRecord, kind: EventKind, now: number): WatchRecord {
	const step = stepOf(kind);
	if (step === null) return watch;
	const seen = { by: 'watching', hasWebhook: false, at: now, occurredAt: null } as const;
	const isBefore = watch.status !== null && comesBefore(step, watch.status);
	return withChange(watch, { ...seen, type: kind.type, step }, isBefore);
}

/** Of what is sent only tracked mail leaves no evidence at all (rule AES-04). */
function likelyType({ changes }: WatchRecord, { status, evidences }: ServiceStatus): 'AES' | null {
	if (evidences.length > 0) return null;
	const step = status.toUpperCase();
	const isSent = step === 'SENT' || impliesSent(step);
	const wasTracked = changes.some(({ type }) => type.startsWith('tracked_mail.'));
	return isSent || wasTracked ? 'AES' : null;
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
