import type { MessageType, StoredWatch, Watch } from '../contract.ts';

/** A change of status that has made an event. */
export interface Change {
	type: string;
	status: string | null;
	/** What told of it first. */
	by: 'webhook' | 'watching';
	/** Whether its webhook has come: late, for one that watching saw first. */
	hasWebhook: boolean;
	/** When the receiver learned of it; milliseconds. */
	at: number;
	/** The service's time, where a webhook gave one to the second. */
	occurredAt: number | null;
}

/** What is known of a watched message: kept as JSON, times in milliseconds. */
export interface WatchRecord {
	messageId: string;
	messageType: MessageType | null;
	fileReference: string | null;
	customerReference: string | null;
	/** The last status known; null before the first. */
	status: string | null;
	/**
	 * A status of which a webhook told that may have been before `status` or after it. The next poll
	 * shows which; it makes no event of either.
	 */
	either: string | null;
	changedAt: number | null;
	createdAt: number;
	polledAt: number | null;
	/** Polls that told no status, since the last one that did. */
	failures: number;
	problem: string | null;
	endReason: StoredWatch['endReason'];
	/** Oldest first, the last few of them. */
	changes: Change[];
}

/** A message has a handful of changes; more come only of a mailbox that bounces and recovers. */
export const CHANGES_KEPT = 20;

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
		...{ failures: 0, problem: null, endReason: null, changes: [] },
	};
}

/** What a second request to watch a message adds: it never takes anything away. */
export function askedAgain(present: WatchRecord, asked: WatchRecord, now: number): WatchRecord {
	const told = {
		messageType: asked.messageType ?? present.messageType,
		fileReference: asked.fileReference ?? present.fileReference,
		customerReference: asked.customerReference ?? present.customerReference,
	};
	// After the final status nothing is left to see; a watch that ended otherwise begins anew.
	const isOver = present.endReason === null || present.endReason === 'final';
	const begun = isOver ? {} : { endReason: null, createdAt: now, failures: 0, problem: null };
	return { ...present, ...told, ...begun };
}

export function withChange(watch: WatchRecord, change: Change): WatchRecord {
	return { ...watch, changes: [...watch.changes, change].slice(-CHANGES_KEPT) };
}

/** What is shown of a watch. */
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
