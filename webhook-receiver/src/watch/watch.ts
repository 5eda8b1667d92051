import type { MessageType, StoredWatch, Watch } from '../contract.ts';
import type { Change } from './changes.ts';
import type { NotFound } from './not-found.ts';

/** What is known of a watched message: kept as JSON, times in milliseconds. */
export interface WatchRecord {
	messageId: string;
	messageType: MessageType | null;
	fileReference: string | null;
	customerReference: string | null;
	/** The last step known; null before the first. */
	status: string | null;
	/**
	 * A step of which a webhook told that may have been before `status` or after it. The next poll
	 * shows which; it makes no event of either.
	 */
	either: string | null;
	changedAt: number | null;
	createdAt: number;
	polledAt: number | null;
	/** Polls in a row that told nothing of the message. */
	failures: number;
	/** While the service says that it knows no such message. */
	notFound: NotFound | null;
	problem: string | null;
	endReason: StoredWatch['endReason'];
	/** In the order in which they happened, the last few of them. */
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
		...{ failures: 0, notFound: null, problem: null, endReason: null, changes: [] },
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
	const afresh = { endReason: null, createdAt: now, failures: 0, notFound: null, problem: null };
	const begun = isOver ? {} : afresh;
	return { ...present, ...told, ...begun };
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
