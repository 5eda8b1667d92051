import { WATCHED_SOURCE } from '../core/event-contract.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';
import { kindOfStatus } from '../core/event-kinds.ts';
import type { EventKind } from '../core/event-kinds.ts';
import { comesBefore, impliesSent } from '../core/statuses.ts';
import { missingSteps, withChange } from './changes.ts';
import type { ServiceStatus } from './service.ts';
import type { Change, WatchRecord } from './watch.ts';

/** An event from a poll; the store assigns its id and sequence. */
export type WatchedEvent = Omit<DeliveryEvent, 'id' | 'sequence'>;

export interface Seen {
	watch: WatchRecord;
	/** In the order in which things happened. */
	events: WatchedEvent[];
}

/**
 * Merges a polled status into what is known about a message. A change already reported by webhook
 * makes no second event. A poll may reveal several changes at once: each one that must have
 * happened, by the interface's table of transitions, gets its own event (rules STAT-01 to STAT-06).
 */
export function mergeStatus(present: WatchRecord, answer: ServiceStatus, now: number): Seen {
	const polled = answer.status.toUpperCase();
	const isAsBefore = polled === present.polledStatus;
	const otherPolledAt = isAsBefore ? present.otherPolledAt : present.polledAt;
	const watch = {
		...{ ...present, polledAt: now, polledStatus: polled, otherPolledAt },
		...{ failures: 0, notFound: null, problem: null },
	};
	const type = watch.messageType ?? likelyType(watch, answer);
	const known = watch.status;
	// No message goes back: polls lag behind webhooks, and a failed message may keep its status.
	const isOld = known !== null && comesBefore(polled, known);
	const status = isOld ? known : polled;
	const isKnown = isOld || status === known || status === watch.either;
	const names = [...missingSteps(watch, status, type), ...(isKnown ? [] : [answer.status])];
	let changed: WatchRecord = watch;
	const events: WatchedEvent[] = [];
	for (const name of names) {
		const kind = kindOfStatus(name, type);
		if (kind === null) continue;
		const step = name.toUpperCase();
		const change: Change = {
			...{ type: kind.type, step, by: 'watching', hasWebhook: false, at: now },
			...{ after: step === polled ? otherPolledAt : null, occurredAt: null },
		};
		changed = withChange(changed, change, isKnown ? 'before' : 'after');
		events.push(eventOf(watch, kind, answer, now));
	}
	const isFinal = kindOfStatus(status, type)?.terminal === true;
	return {
		watch: {
			...{ ...changed, status },
			either: isOld ? watch.either : null,
			changedAt: isKnown ? watch.changedAt : now,
			endReason: isFinal ? 'final' : watch.endReason,
		},
		events,
	};
}

/** Of sent messages only tracked mail leaves no evidence at all (rule AES-04). */
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
		// A status has no time.
		occurredAt: null,
		receivedAt: new Date(now).toISOString(),
		...{ fileReference, customerReference },
		traceparent: null,
		raw: { id: messageId, status, evidences },
	};
}
