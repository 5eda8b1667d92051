import type { MessageType, StoredWatch, Watch } from '../core/event-contract.ts';

/** A change of status that has made an event. */
export interface Change {
	type: string;
	/** The message's status, or `FAILED`, for which the service has no status. */
	step: string;
	/** What reported it first. */
	by: 'webhook' | 'watching';
	/** Whether its webhook has arrived; a late one follows what watching saw first. */
	hasWebhook: boolean;
	/** When the receiver learned of it; milliseconds. */
	at: number;
	/** For a status that a poll saw: when a poll last saw another. It changed between the two. */
	after: number | null;
	/** The service's time, where a webhook gave one to the second. */
	occurredAt: number | null;
}

/** What is known about a watched message: stored as JSON, times in milliseconds. */
export interface WatchRecord {
	messageId: string;
	messageType: MessageType | null;
	fileReference: string | null;
	customerReference: string | null;
	/** The last step known; null before the first. */
	status: string | null;
	/**
	 * A step reported by webhook that may have come before or after `status`. The next poll shows
	 * which; it makes no event for either.
	 */
	either: string | null;
	changedAt: number | null;
	/** The time that webhooks give where it is not that of their change. */
	messageTime: number | null;
	createdAt: number;
	polledAt: number | null;
	/** What the last poll saw, and when a poll last saw anything else. */
	polledStatus: string | null;
	otherPolledAt: number | null;
	/** Consecutive polls without a usable answer. */
	failures: number;
	/** While the service says the message does not exist: since when, and how often it has. */
	notFound: { since: number; times: number } | null;
	problem: string | null;
	endReason: StoredWatch['endReason'];
	/** In the order in which they happened; the last few only. */
	changes: Change[];
}

export function newWatch(
	messageId: string,
	{ messageType, fileReference, customerReference }: Watch,
	now: number,
): WatchRecord {
	return {
		messageId,
		messageType: messageType ?? null,
		fileReference: fileReference ?? null,
		customerReference: customerReference ?? null,
		...{ status: null, either: null, changedAt: null, createdAt: now, polledAt: null },
		...{ polledStatus: null, otherPolledAt: null, messageTime: null },
		...{ failures: 0, notFound: null, problem: null, endReason: null, changes: [] },
	};
}

/** A repeated request to watch a message adds to what is known and removes nothing. */
export function renewedWatch(present: WatchRecord, request: WatchRecord, now: number): WatchRecord {
	const fields = {
		messageType: request.messageType ?? present.messageType,
		fileReference: request.fileReference ?? present.fileReference,
		customerReference: request.customerReference ?? present.customerReference,
	};
	// After the final status nothing changes; a watch that ended otherwise starts again.
	const isOver = present.endReason === null || present.endReason === 'final';
	const afresh = { endReason: null, createdAt: now, failures: 0, notFound: null, problem: null };
	const begun = isOver ? {} : afresh;
	return { ...present, ...fields, ...begun };
}

/** The public view of a watch. */
export function toStoredWatch(
	watch: WatchRecord,
	row: { nextPollAt: number | null; endedAt: number | null },
): StoredWatch {
	const { messageId, messageType, fileReference, customerReference, status } = watch;
	return {
		...{ messageId, messageType, fileReference, customerReference, status },
		changedAt: iso(watch.changedAt),
		createdAt: new Date(watch.createdAt).toISOString(),
		polledAt: iso(watch.polledAt),
		nextPollAt: iso(row.nextPollAt),
		problem: watch.problem,
		endedAt: iso(row.endedAt),
		endReason: watch.endReason,
	};
}

function iso(time: number | null): string | null {
	return time === null ? null : new Date(time).toISOString();
}
