import type { LetterToWatch, Watch } from '../core/event-contract.ts';
import { watched } from '../core/records.ts';
import type { LetterRecord } from '../core/records.ts';
import type { WaitConsent } from '../core/wait-contract.ts';
import { afterPoll } from './after-poll.ts';
import type { Poll } from './after-poll.ts';
import type { ServiceAnswer } from './answers.ts';
import { nextPoll } from './pace.ts';
import type { ListPace, WatchPace } from './pace.ts';
import { appendEvents } from '../wait/news.ts';
import { leaseDue } from './due-work.ts';
import { expectConsents, leaseListPages, noteListPage, wantLists, watchedLists } from './lists.ts';
import type { ListPageOutcome, ListPagePoll, WatchedList } from './lists.ts';
import type { Db, Engine } from '../store/engine.ts';
import type { Slice } from '../store/log.ts';
import { newEventId } from '../store/new-id.ts';
import {
	isErased,
	lockRecords,
	newRow,
	putRecords,
	recordIn,
	refuseErased,
	watchView,
	withRecord,
} from '../records/record-rows.ts';
import type { RecordRow } from '../records/record-rows.ts';
import { CLOCK_MARGIN_MS, futureFrom } from '../time/set-back.ts';

const POLLS = {
	table: 'records',
	key: 'id',
	at: 'next_poll_at',
	noted: 'noted_at',
	where: 'next_poll_at IS NOT NULL',
};

/** Which polls a receiver asks for: those due `now`, up to a limit. */
export interface LeaseRequest {
	now: number;
	most: number;
	/** Time between two polls, across all receivers. */
	intervalMs: number;
	/** How long nobody else gets them if no answer is noted. */
	leaseMs: number;
}

export interface LeasedPolls {
	/** Polls to make now, spaced one interval apart; nobody else gets them meanwhile. */
	polls: Poll[];
	/** Pages of lists, likewise. */
	listPages: ListPagePoll[];
	/** When to ask again if there are none; null when nothing is watched. */
	wakeAt: number | null;
	/** Why polling was paused; null once a poll succeeds. */
	problem: string | null;
}

/** Covers everything that is watched. */
export interface WatchFigures extends Pace {
	watched: number;
	lists: WatchedList[];
}

interface Pace {
	/** When the next poll is or was due; null when nothing is watched. */
	nextPollAt: number | null;
	/** No poll before this time, because of the rate limit or because the service asked us to wait. */
	freeAt: number;
	problem: string | null;
	/** Since when there has been a problem, of any kind. */
	problemAt: number | null;
}

interface PaceRow {
	free_at: number;
	noted_at: number;
	problem: string | null;
	problem_at: number | null;
}

export type Watches = ReturnType<typeof watchesIn>;

/**
 * Watching: all receivers on one database share the work, the pace and the results. What a poll finds
 * and the events it makes are committed together, and never twice. Polls whose answer is never noted
 * because their receiver died fall due again when their lease ends.
 */
export function watchesIn(database: Engine) {
	return {
		/**
		 * Starts watching, or adds to what is known about messages already watched. If one was erased,
		 * throws `HttpError` 410 and watches none.
		 */
		put(letters: readonly LetterToWatch[], now: number, pace: WatchPace) {
			// In turn, since erasing is too: a letter is watched before it is erased, or not at all.
			return database.inTurn(async (tx) => {
				const ids = letters.map(({ messageId }) => messageId);
				await refuseErased(tx, ids);
				const rows = await lockRecords(tx, ids);
				let created = 0;
				const next = letters.map(({ messageId, ...request }): RecordRow => {
					const row = rows.get(messageId) ?? newRow(messageId);
					const told = startWatch(row, now, pace, request);
					if (row.next_poll_at === null && told.next_poll_at !== null) created++;
					return told;
				});
				await putRecords(tx, next);
				if (created > 0) tx.notices.add('polls');
				return { created, existing: letters.length - created };
			});
		},

		/** Newest first; `id` is for paging. */
		async list({ before, limit }: Slice) {
			const rows = await database.rows<RecordRow & { id: number }>(
				`SELECT * FROM records WHERE (next_poll_at IS NOT NULL OR ended_at IS NOT NULL) AND id < $1
				ORDER BY id DESC LIMIT $2`,
				[before ?? Number.MAX_SAFE_INTEGER, limit],
			);
			return rows.flatMap((row) => {
				const watch = watchView(row);
				return watch === null ? [] : [{ id: row.id, watch }];
			});
		},

		/** Stops watching. */
		end(messageId: string, now: number) {
			return database.transaction(async (tx) => {
				const row = (await lockRecords(tx, [messageId])).get(messageId);
				if (row === undefined || row.next_poll_at === null) return;
				const record = recordIn(row);
				if (!record?.watch) return;
				const watch = { ...record.watch, endReason: 'removed' as const };
				const next: LetterRecord = { ...record, watch };
				const ended = { next_poll_at: null, ended_at: now };
				await putRecords(tx, [{ ...withRecord(row, next, now), ...ended }]);
			});
		},

		async lease({ now, most, intervalMs, leaseMs }: LeaseRequest): Promise<LeasedPolls> {
			const { nextPollAt, freeAt, problem } = await paceOf(database, now);
			// Without writes there is nothing to commit.
			if (nextPollAt === null || nextPollAt > now || freeAt > now) {
				const wakeAt = nextPollAt === null ? null : Math.max(nextPollAt, freeAt);
				return { polls: [], listPages: [], wakeAt, problem };
			}
			return database.transaction(async (tx) => {
				// One receiver at a time reserves slots; slots locked by another are skipped.
				const [row] = (await tx.rows('SELECT * FROM watch_pace FOR UPDATE')) as [PaceRow];
				const free = freeAtOf(row, now);
				if (free > now) return { polls: [], listPages: [], wakeAt: free, problem };
				const listPages = await leaseListPages(tx, { now, most, leaseMs });
				const room = most - listPages.length;
				const rows = await leaseDue<RecordRow>(tx, POLLS, { now, most: room, leaseMs });
				const polls = rows.flatMap((row) => {
					const asked = recordIn(row);
					return asked === null ? [] : [{ messageId: row.subject, asked }];
				});
				const count = polls.length + listPages.length;
				await tx.rows('UPDATE watch_pace SET free_at = $1, noted_at = $2', [
					now + count * intervalMs,
					now,
				]);
				// Everything due may be locked right now: look again shortly.
				return { polls, listPages, wakeAt: count === 0 ? now + intervalMs : null, problem };
			});
		},

		/**
		 * How a poll ended; `null`: it was not made after all. Returns how many events resulted; listeners
		 * are told of them.
		 */
		note(poll: Poll, answer: ServiceAnswer | null, now: number, pace: WatchPace) {
			return database.inTurn(async (tx) => {
				const [row] = (await lockRecords(tx, [poll.messageId])).values();
				const present = row && recordIn(row);
				if (!present || row.next_poll_at === null) return 0;
				const { record, nextPollAt, events } = afterPoll(
					present,
					poll,
					answer,
					now,
					pace,
					newEventId,
				);
				const ended_at = nextPollAt === null ? now : null;
				const next = { next_poll_at: nextPollAt, noted_at: now, ended_at };
				await putRecords(tx, [{ ...withRecord(row, record, now), ...next }]);
				await appendEvents(tx, events);
				return events.length;
			});
		},

		/**
		 * Watches the lists that are wanted: those whose events a consumer wants, and consents while an
		 * execution waits for one. Call it when listeners are told of polls.
		 */
		want: (now: number) => database.transaction((tx) => wantLists(tx, now)),

		/** Notes whose consents are awaited before the list shows them. */
		expect: (consents: readonly WaitConsent[], now: number) =>
			database.transaction((tx) => expectConsents(tx, consents, now)),

		/** Stores what a page of a list says; returns how many events resulted. */
		noteListPage: (outcome: ListPageOutcome, now: number, pace: ListPace) =>
			noteListPage(database, outcome, now, pace),

		/** Nobody polls before `until`. Without a problem, only records that it is over. */
		async hold({ until, problem, now }: { until: number; problem: string | null; now: number }) {
			await database.transaction((tx) =>
				tx.rows(
					`UPDATE watch_pace SET noted_at = $3, problem = $2,
						free_at = CASE WHEN noted_at - ${CLOCK_MARGIN_MS} > $3 THEN $1 ELSE greatest(free_at, $1) END,
						problem_at = CASE WHEN $2::text IS NOT NULL
							THEN least(coalesce(problem_at, $3), $3) END`,
					[until, problem, now],
				),
			);
		},

		/** Lets the next poll be made at once where a problem holds polling up. */
		async tryAtOnce(now: number) {
			await database.transaction(async (tx) => {
				await tx.rows(
					`UPDATE watch_pace SET free_at = least(free_at, $1), noted_at = $1
					WHERE problem IS NOT NULL`,
					[now],
				);
				// A list is held up by itself while the account seems to have none.
				await tx.rows(
					`UPDATE lists SET next_poll_at = least(next_poll_at, $1)
					WHERE next_poll_at IS NOT NULL AND (watch::json ->> 'problem') IS NOT NULL`,
					[now],
				);
				tx.notices.add('polls');
			});
		},

		async figures(now: number): Promise<WatchFigures> {
			const [{ watched }] = await database.rows(
				'SELECT count(*) AS watched FROM records WHERE next_poll_at IS NOT NULL',
			);
			const lists = await watchedLists(database);
			return { ...(await paceOf(database, now)), watched, lists };
		},
	};
}

/** The row of a letter that is watched from now on, unless it was before or nothing more can come. */
export function startWatch(
	row: RecordRow,
	now: number,
	pace: WatchPace,
	request: Watch = {},
): RecordRow {
	if (isErased(row)) return row;
	const record = watched(recordIn(row), request, now);
	const told = { ...withRecord(row, record, now), expires_at: null };
	if (row.next_poll_at !== null || record.watch?.endReason !== null) return told;
	const next_poll_at = nextPoll(row.subject, record, now, pace);
	return { ...told, next_poll_at, noted_at: now, ended_at: null };
}

/** What was noted in the future was noted before the clock was set back: it holds up nothing. */
function freeAtOf({ free_at, noted_at }: PaceRow, now: number): number {
	return noted_at > futureFrom(now) ? Math.min(free_at, now) : free_at;
}

async function paceOf(db: Db, now: number): Promise<Pace> {
	const [row] = (await db.rows(
		`SELECT pace.*, (
			SELECT min(at) FROM (
				SELECT min(next_poll_at) AS at FROM records WHERE next_poll_at IS NOT NULL
				UNION ALL
				SELECT min(next_poll_at) FROM lists WHERE next_poll_at IS NOT NULL
				UNION ALL
				SELECT $1::bigint WHERE EXISTS (
					SELECT 1 FROM records WHERE next_poll_at IS NOT NULL AND noted_at > $2
				) OR EXISTS (
					SELECT 1 FROM lists WHERE next_poll_at IS NOT NULL AND asked_at > $2
				)
			) AS firsts
		) AS first FROM watch_pace AS pace`,
		[now, futureFrom(now)],
	)) as [PaceRow & { first: number | null }];
	const { problem, problem_at: problemAt, first: nextPollAt } = row;
	return { nextPollAt, freeAt: freeAtOf(row, now), problem, problemAt };
}
