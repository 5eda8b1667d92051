import type { DeliveryEvent } from '../core/event-contract.ts';
import type { WatchFigures, WatchStore } from '../watch/watch-store.ts';
import { appendEvents } from './append-events.ts';
import { claimDue } from './claim-due.ts';
import { claimPages, settlePage, wantLists, watchedLists } from './lists.ts';
import type { Db, Engine, Transaction } from './engine.ts';
import { refuseErased } from './erased.ts';
import { toEvent } from './rows.ts';
import type { EventRow } from './rows.ts';
import { insertInto, updateOf } from './statements.ts';
import type { Candidate } from './store.ts';
import {
	renewedRow,
	isFirstPoll,
	readWatch,
	settled,
	toStored,
	withWebhook,
} from './watch-rows.ts';
import type { WatchRow } from './watch-rows.ts';

/** How many events from before the watch are read to find the status. */
const EVENTS_READ = 50;

const POLLS = {
	...{ table: 'watches', key: 'id', at: 'next_poll_at', where: 'next_poll_at IS NOT NULL' },
};

const insert = insertInto(
	'watches',
	{ message_id: 'text', watch: 'text', revision: 'bigint', next_poll_at: 'bigint' },
	'ON CONFLICT (message_id) DO NOTHING RETURNING message_id',
);

export const writeWatches = updateOf(
	'watches',
	{ id: 'bigint' },
	{ watch: 'text', revision: 'bigint', next_poll_at: 'bigint', ended_at: 'bigint' },
);

interface PaceRow {
	free_at: number;
	problem: string | null;
	problem_at: number | null;
}

/** Watching: all receivers on one database share the work, the pace and the results. */
export function watchesIn(database: Engine): WatchStore {
	const rowOf = async (messageId: string) => {
		const text = 'SELECT * FROM watches WHERE message_id = $1';
		const [row = null] = await database.rows<WatchRow>(text, [messageId]);
		return row;
	};
	return {
		put(requested, now) {
			// In turn, since erasing is too: a letter is watched before it is erased, or not at all.
			return database.inTurn(async (tx) => {
				await refuseErased(
					tx,
					requested.map(({ watch }) => watch.messageId),
				);
				const ordered = [...requested].sort((left, right) =>
					left.watch.messageId < right.watch.messageId ? -1 : 1,
				);
				const fresh = ordered.map(({ watch, nextPollAt }) => {
					const { messageId: message_id } = watch;
					return {
						message_id,
						watch: JSON.stringify(watch),
						revision: 0,
						next_poll_at: nextPollAt,
					};
				});
				const inserted = await insert<Pick<WatchRow, 'message_id'>>(tx, fresh);
				const made = new Set(inserted.map(({ message_id }) => message_id));
				const others = ordered.filter(({ watch }) => !made.has(watch.messageId));
				const present = await lockWatches(
					tx,
					others.map(({ watch }) => watch.messageId),
				);
				let created = made.size;
				for (const { watch, nextPollAt } of others) {
					const row = present.get(watch.messageId);
					if (row === undefined) continue;
					const { row: next, isBegunAgain } = renewedRow(row, watch, nextPollAt, now);
					if (isBegunAgain) created++;
					present.set(watch.messageId, next);
				}
				await writeWatches(tx, [...present.values()]);
				return { created, existing: requested.length - created };
			});
		},

		async get(messageId) {
			const row = await rowOf(messageId);
			return row ? toStored(row) : null;
		},

		async record(messageId) {
			const row = await rowOf(messageId);
			return row ? readWatch(row) : null;
		},

		async list({ before, limit }) {
			const rows = await database.rows<WatchRow>(
				'SELECT * FROM watches WHERE id < $1 ORDER BY id DESC LIMIT $2',
				[before ?? Number.MAX_SAFE_INTEGER, limit],
			);
			return rows.map((row) => ({ id: row.id, watch: toStored(row) }));
		},

		end(messageId, now) {
			return database.transaction(async (tx) => {
				const row = (await lockWatches(tx, [messageId])).get(messageId);
				if (row === undefined || row.next_poll_at === null) return false;
				const watch = JSON.stringify({ ...readWatch(row), endReason: 'removed' });
				await writeWatches(tx, [{ ...row, watch, next_poll_at: null, ended_at: now }]);
				return true;
			});
		},

		async claim({ now, most, intervalMs, leaseMs }) {
			const { nextPollAt, freeAt, problem } = await paceOf(database);
			// Without writes there is nothing to commit.
			if (nextPollAt === null || nextPollAt > now || freeAt > now) {
				const wakeAt = nextPollAt === null ? null : Math.max(nextPollAt, freeAt);
				return { polls: [], pages: [], wakeAt, problem };
			}
			return database.transaction(async (tx) => {
				// One receiver at a time reserves slots; slots locked by another are skipped.
				const [{ free_at: free }] = (await tx.rows(
					'SELECT free_at FROM watch_pace FOR UPDATE',
				)) as [PaceRow];
				if (free > now) return { polls: [], pages: [], wakeAt: free, problem };
				const pages = await claimPages(tx, { now, most, leaseMs });
				const room = most - pages.length;
				const rows = await claimDue<WatchRow>(tx, POLLS, { now, most: room, leaseMs });
				const polls = rows.map((row) => ({ messageId: row.message_id, revision: row.revision }));
				const count = polls.length + pages.length;
				await tx.rows('UPDATE watch_pace SET free_at = $1', [now + count * intervalMs]);
				// Everything due may be locked right now: look again shortly.
				return { polls, pages, wakeAt: count === 0 ? now + intervalMs : null, problem };
			});
		},

		settle(outcome, now, pace) {
			return database.inTurn(async (tx) => {
				const [row] = (await lockWatches(tx, [outcome.messageId])).values();
				if (row === undefined) return 0;
				const before = isFirstPoll(row) ? await storedEvents(tx, row.message_id) : [];
				const { row: next, events } = settled(row, outcome, before, now, pace);
				await writeWatches(tx, [next]);
				await appendEvents(
					tx,
					database,
					events.map((event) => ({ event, now })),
				);
				return events.length;
			});
		},

		want: (now) => database.transaction((tx) => wantLists(tx, now)),

		settlePage: (outcome, now, pace) => settlePage(database, outcome, now, pace),

		async hold({ until, problem, now }) {
			await database.transaction((tx) =>
				tx.rows(
					`UPDATE watch_pace SET free_at = greatest(free_at, $1), problem = $2,
						problem_at = CASE WHEN $2::text IS NOT NULL THEN coalesce(problem_at, $3) END`,
					[until, problem, now],
				),
			);
		},

		async tryAtOnce(now, credentials) {
			await database.transaction(async (tx) => {
				const changed = await tx.rows(
					`UPDATE watch_pace SET free_at = least(free_at, $1), credentials = coalesce($2, credentials)
					WHERE $2::text IS NULL OR credentials IS NULL OR credentials <> $2 RETURNING free_at`,
					[now, credentials],
				);
				if (changed.length === 0) return;
				// A list is held up by itself while the account seems to have none.
				await tx.rows(
					'UPDATE lists SET next_poll_at = least(next_poll_at, $1) WHERE next_poll_at IS NOT NULL',
					[now],
				);
				tx.news.notices.add('polls');
			});
		},

		async figures() {
			const [{ watched }] = await database.rows(
				'SELECT count(*) AS watched FROM watches WHERE next_poll_at IS NOT NULL',
			);
			const lists = await watchedLists(database);
			return { ...(await paceOf(database)), watched, lists };
		},
	};
}

/**
 * Merges webhooks into the state of watched messages. Drops those for changes that watching has
 * already reported; `asks` lists the messages to poll at once, `rows` the watches to write.
 */
export function mergeWebhooks<Arrived extends Candidate & { now: number }>(
	watches: Map<string, WatchRow>,
	arrived: readonly Arrived[],
): { fresh: Arrived[]; asks: Set<string | null>; rows: WatchRow[] } {
	const asks = new Set<string | null>();
	const rows = new Map<string, WatchRow>();
	const fresh = arrived.filter(({ event, duplicateKey, now }) => {
		const id = event.messageId ?? '';
		const row = rows.get(id) ?? watches.get(id);
		if (row === undefined) return true;
		const merged = withWebhook(row, event, duplicateKey.byContent, now);
		rows.set(id, merged.row);
		if (merged.ask) asks.add(id);
		return merged.isNew;
	});
	return { fresh, asks, rows: [...rows.values()] };
}

/** The watches of these messages, locked until the transaction ends. */
export async function lockWatches(
	tx: Transaction,
	messageIds: readonly string[],
): Promise<Map<string, WatchRow>> {
	if (messageIds.length === 0) return new Map();
	// In a fixed order, so that two receivers rarely block each other.
	const rows = await tx.rows<WatchRow>(
		'SELECT * FROM watches WHERE message_id = ANY($1) ORDER BY message_id FOR UPDATE',
		[messageIds],
	);
	return new Map(rows.map((row) => [row.message_id, row]));
}

async function paceOf(db: Db): Promise<Omit<WatchFigures, 'watched' | 'lists'>> {
	const [row] = (await db.rows(
		`SELECT pace.*, (
			SELECT min(at) FROM (
				SELECT min(next_poll_at) AS at FROM watches WHERE next_poll_at IS NOT NULL
				UNION ALL
				SELECT min(next_poll_at) FROM lists WHERE next_poll_at IS NOT NULL
			) AS firsts
		) AS first FROM watch_pace AS pace`,
	)) as [PaceRow & { first: number | null }];
	const { free_at: freeAt, problem, problem_at: problemAt, first: nextPollAt } = row;
	return { nextPollAt, freeAt, problem, problemAt };
}

/** Oldest first. */
async function storedEvents(db: Db, messageId: string): Promise<DeliveryEvent[]> {
	const rows = await db.rows<EventRow>(
		'SELECT sequence, event FROM events WHERE message_id = $1 ORDER BY sequence DESC LIMIT $2',
		[messageId, EVENTS_READ],
	);
	return rows.map(toEvent).reverse();
}
