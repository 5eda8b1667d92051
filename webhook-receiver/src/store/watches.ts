import type { StoredWatch } from '../contract.ts';
import { newWatch, toStoredWatch } from '../watch/watch.ts';
import { mergeWebhook } from '../watch/merge-webhook.ts';
import { ANSWERS_LAG_MS } from '../watch/pace.ts';
import type { Decision } from '../watch/decide.ts';
import type { ServiceAnswer } from '../watch/service.ts';
import type { WatchRecord } from '../watch/watch.ts';
import type { DeliveryEvent } from '../contract.ts';
import type { Page } from './store.ts';

/** How a poll ended; `null`: it was not made after all. */
export interface PollOutcome {
	messageId: string;
	/** That of the claim: what changed since is newer than the poll. */
	revision: number;
	answer: ServiceAnswer | null;
}

/** What follows from polls, decided where the pace is known. */
export interface PollRules {
	afterPoll(watch: WatchRecord, answer: ServiceAnswer): Decision;
	afterOvertaken(watch: WatchRecord): number;
}

/** Which polls a receiver asks for: those due `now`, and not too many. */
export interface ClaimRequest {
	now: number;
	most: number;
	/** Between two polls, of all receivers together. */
	intervalMs: number;
	/** How long nobody else gets them, should they not be settled. */
	leaseMs: number;
}

export interface PollClaim {
	/** To be polled now, each an interval after the one before; nobody else gets them meanwhile. */
	polls: Array<{ messageId: string; revision: number }>;
	/** When to ask again if there are none; null when nothing is watched. */
	wakeAt: number | null;
	/** Why polling was held up, until a poll goes well. */
	problem: string | null;
}

/** Of all that is watched. */
export interface WatchFigures {
	watched: number;
	/** When the next poll is due, or was; null when nothing is watched. */
	nextPollAt: number | null;
	/** No poll before this time, by the rate limit or since the service asked to wait. */
	freeAt: number;
	problem: string | null;
	problemAt: number | null;
}

/**
 * The part of the store that watching needs (design, section Outcomes); the same promises as `Store`
 * makes. What a poll finds and the events it makes are committed together, and never twice. Polls that
 * were claimed and not settled, since their receiver died, are due again when their lease runs out.
 */
export interface WatchStore {
	/** Begins to watch, or adds to what is known of those that are watched. */
	put(
		asked: ReadonlyArray<{ watch: WatchRecord; nextPollAt: number }>,
		now: number,
	): Promise<{ created: number; existing: number }>;
	get(messageId: string): Promise<StoredWatch | null>;
	/** Newest first; `id` is for paging. */
	list(page: Page): Promise<Array<{ id: number; watch: StoredWatch }>>;
	/** Watches no more; answers whether it was watched. */
	end(messageId: string, now: number): Promise<boolean>;

	claim(request: ClaimRequest): Promise<PollClaim>;
	/** Answers how many events that made; listeners are told of them. */
	settle(outcomes: readonly PollOutcome[], now: number, rules: PollRules): Promise<number>;
	/** Nobody polls before `until`. Without a problem, only notes that it is over. */
	hold(held: { until: number; problem: string | null; now: number }): Promise<void>;

	figures(): Promise<WatchFigures>;
	/** What a watch has seen, its changes included; null when there is none. */
	record(messageId: string): Promise<WatchRecord | null>;
}

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

/** The row as a poll leaves it, and the events that makes. */
export function settled(
	row: WatchRow,
	outcome: PollOutcome,
	/** Those stored of the message; asked for before the first poll only. */
	stored: readonly DeliveryEvent[],
	now: number,
	rules: PollRules,
): { row: WatchRow; events: Decision['events'] } {
	const present = readWatch(row);
	// It ended meanwhile, by a webhook or by request.
	if (row.next_poll_at === null) return { row, events: [] };
	if (outcome.answer === null) return { row: { ...row, next_poll_at: now }, events: [] };
	if (row.revision !== outcome.revision) {
		return { row: { ...row, next_poll_at: rules.afterOvertaken(present) }, events: [] };
	}
	const known = isFirstPoll(row) ? replayed(present, stored) : present;
	const { watch, nextPollAt, events } = rules.afterPoll(known, outcome.answer);
	return {
		row: {
			...row,
			watch: JSON.stringify(watch),
			// A slower poll that began before this one is outdated by what it saw.
			revision: row.revision + 1,
			next_poll_at: nextPollAt,
			ended_at: nextPollAt === null ? now : null,
		},
		events,
	};
}

/** Nothing was read yet of what came before the watch began. */
export function isFirstPoll(row: Pick<WatchRow, 'watch'>): boolean {
	return readWatch(row).polledAt === null;
}

/** What the events that came before watching began tell of the message. */
function replayed(watch: WatchRecord, events: readonly DeliveryEvent[]): WatchRecord {
	const { messageId, messageType, fileReference, customerReference, createdAt } = watch;
	const told = {
		...(messageType && { messageType }),
		...(fileReference && { fileReference }),
		...(customerReference && { customerReference }),
	};
	// What polls have met so far stays: they told nothing of the message.
	const { failures, notFound } = watch;
	const fresh = { ...newWatch(messageId, told, createdAt), failures, notFound };
	return events.reduce((known, event) => {
		const now = Date.parse(event.receivedAt);
		return mergeWebhook(known, event, { byContent: false, now }).watch;
	}, fresh);
}

/** The row as a webhook leaves it, and whether the webhook told of something new. */
export function withWebhook(
	row: WatchRow,
	event: Omit<DeliveryEvent, 'id' | 'sequence'>,
	byContent: boolean,
	now: number,
): { row: WatchRow; isNew: boolean; ask: boolean } {
	const present = readWatch(row);
	const { isNew, watch, ask, outdatesPolls } = mergeWebhook(present, event, { byContent, now });
	const isOver = row.next_poll_at === null;
	// A watch that ended another way stays ended for that reason.
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
