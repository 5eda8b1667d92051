import type { StoredWatch } from '../core/event-contract.ts';
import { renewedWatch, newWatch, toStoredWatch } from '../watch/watch.ts';
import { mergeWebhook } from '../watch/merge-webhook.ts';
import { ANSWERS_LAG_MS, afterOvertaken } from '../watch/pace.ts';
import type { WatchPace } from '../watch/pace.ts';
import { afterPoll } from '../watch/decide.ts';
import type { Decision } from '../watch/decide.ts';
import type { PollOutcome } from '../watch/watch-store.ts';
import type { WatchRecord } from '../watch/watch.ts';
import type { DeliveryEvent } from '../core/event-contract.ts';

// Watches as stored, and how to read them.

export interface WatchRow {
	id: number;
	message_id: string;
	/** A `WatchRecord` as JSON. */
	watch: string;
	revision: number;
	next_poll_at: number | null;
	ended_at: number | null;
}

export function readWatch(row: Pick<WatchRow, 'watch'>): WatchRecord {
	return JSON.parse(row.watch) as WatchRecord;
}

export function toStored(row: WatchRow): StoredWatch {
	const at = { nextPollAt: row.next_poll_at, endedAt: row.ended_at };
	return toStoredWatch(readWatch(row), at);
}

/** The row after a repeated request, and whether that restarts a watch that had ended. */
export function renewedRow(
	row: WatchRow,
	request: WatchRecord,
	nextPollAt: number,
	now: number,
): { row: WatchRow; isBegunAgain: boolean } {
	const next = renewedWatch(readWatch(row), request, now);
	const isBegunAgain = row.next_poll_at === null && next.endReason === null;
	const at = isBegunAgain ? { next_poll_at: nextPollAt, ended_at: null } : {};
	return { row: { ...row, watch: JSON.stringify(next), ...at }, isBegunAgain };
}

/** The row after a poll, and the events the poll produced. */
export function settled(
	row: WatchRow,
	outcome: PollOutcome,
	/** Stored events of the message; called only before the first poll. */
	stored: readonly DeliveryEvent[],
	now: number,
	pace: WatchPace,
): { row: WatchRow; events: Decision['events'] } {
	const present = readWatch(row);
	// A webhook or a request ended it meanwhile.
	if (row.next_poll_at === null) return { row, events: [] };
	if (outcome.answer === null) return { row: { ...row, next_poll_at: now }, events: [] };
	if (row.revision !== outcome.revision) {
		return { row: { ...row, next_poll_at: afterOvertaken(present, now, pace) }, events: [] };
	}
	const known = isFirstPoll(row) ? replayed(present, stored) : present;
	const { watch, nextPollAt, events } = afterPoll(known, outcome.answer, now, pace);
	return {
		row: {
			...row,
			watch: JSON.stringify(watch),
			// Outdates any slower poll that started before this one.
			revision: row.revision + 1,
			next_poll_at: nextPollAt,
			ended_at: nextPollAt === null ? now : null,
		},
		events,
	};
}

/** Events from before the watch have not been read yet. */
export function isFirstPoll(row: Pick<WatchRow, 'watch'>): boolean {
	return readWatch(row).polledAt === null;
}

/** What events from before the watch say about the message. */
function replayed(watch: WatchRecord, events: readonly DeliveryEvent[]): WatchRecord {
	const { messageId, messageType, fileReference, customerReference, createdAt } = watch;
	const fields = {
		...(messageType && { messageType }),
		...(fileReference && { fileReference }),
		...(customerReference && { customerReference }),
	};
	// Polling failures so far stay: they said nothing about the message.
	const { failures, notFound } = watch;
	const fresh = { ...newWatch(messageId, fields, createdAt), failures, notFound };
	return events.reduce((known, event) => {
		const now = Date.parse(event.receivedAt);
		return mergeWebhook(known, event, { byContent: false, now }).watch;
	}, fresh);
}

/** The row after a webhook, and whether the webhook said anything new. */
export function withWebhook(
	row: WatchRow,
	event: Omit<DeliveryEvent, 'id' | 'sequence'>,
	byContent: boolean,
	now: number,
): { row: WatchRow; isNew: boolean; ask: boolean } {
	const present = readWatch(row);
	const { isNew, watch, ask, outdatesPolls } = mergeWebhook(present, event, { byContent, now });
	const isOver = row.next_poll_at === null;
	// A watch that ended for another reason keeps that reason.
	const kept = isOver ? { ...watch, endReason: present.endReason } : watch;
	const ends = !isOver && kept.endReason !== null;
	const soon = now + ANSWERS_LAG_MS;
	const next = ask ? soon : Math.max(row.next_poll_at ?? 0, outdatesPolls ? soon : 0);
	return {
		isNew,
		ask: ask && !isOver,
		row: {
			...row,
			watch: JSON.stringify(kept),
			revision: row.revision + (outdatesPolls ? 1 : 0),
			next_poll_at: isOver || ends ? null : next,
			ended_at: ends ? now : row.ended_at,
		},
	};
}
