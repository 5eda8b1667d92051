import { isWatched } from '../../core/records.ts';
import type { LetterRecord } from '../../core/records.ts';
import type { Learn, RecordChange } from '../../log/learn.ts';
import { isErased, lockRecords, recordIn, watchView, withRecord } from '../../log/record-rows.ts';
import type { RecordRow } from '../../log/record-rows.ts';
import type { Engine } from '../../sql/engine.ts';
import type { Slice } from '../../sql/log.ts';
import { newEventId } from '../../sql/new-id.ts';
import { columnOf } from '../../sql/statements.ts';
import { afterPoll } from './after-poll.ts';
import type { Poll } from './after-poll.ts';
import { afterWebhook, longestPause, nextPoll } from './pace.ts';
import type { WatchPace } from './pace.ts';
import type { ServiceAnswer } from './service.ts';

// The letters that are watched: when each is polled next stands in the row of its record.

export const WATCHED_INDEXES = `
	CREATE INDEX records_due ON records (next_poll_at) WHERE next_poll_at IS NOT NULL;
	CREATE INDEX records_watched ON records (id)
		WHERE next_poll_at IS NOT NULL OR ended_at IS NOT NULL;
`;

/** The row with its next poll, whatever the change came from. */
export function scheduled({ before, row }: RecordChange, now: number, pace: WatchPace): RecordRow {
	const last = before?.next_poll_at ?? null;
	// By a poll, which has planned the next one.
	if (row.next_poll_at !== last) return row;
	const record = isErased(row) ? null : recordIn(row);
	if (record === null || !isWatched(record)) {
		return last === null ? row : { ...row, next_poll_at: null, ended_at: now };
	}
	if (last === null) {
		return { ...row, next_poll_at: nextPoll(row.subject, record, now, pace), ended_at: null };
	}
	const isNews = JSON.stringify(changesIn(before)) !== JSON.stringify(record.changes);
	return isNews ? { ...row, next_poll_at: afterWebhook(record, last, now) } : row;
}

function changesIn(row: RecordRow | null) {
	return row && recordIn(row)?.changes;
}

export function watchedLettersIn(database: Engine, learn: Learn) {
	return {
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

		/** Stops watching one. */
		end: (messageId: string, now: number): Promise<void> =>
			database.inTurn(async (tx) => {
				const row = (await lockRecords(tx, [messageId])).get(messageId);
				const record = row ? recordIn(row) : null;
				if (row === undefined || !record?.watch || !isWatched(record)) return;
				const watch = { ...record.watch, endReason: 'removed' as const };
				const next = withRecord(row, { ...record, watch }, now);
				await learn(tx, [{ before: row, row: next }], now);
			}),

		/** Up to `most` that are due, soonest first. */
		async due(now: number, most: number, pace: WatchPace): Promise<Poll[]> {
			const find = (where: string, limit: number) =>
				database.rows<RecordRow>(
					`SELECT subject, record FROM records WHERE next_poll_at ${where} LIMIT $2`,
					[now, limit],
				);
			// First what was planned before the clock was set back: behind what is due it would wait for as long as
			// the rate limit leaves some of that over.
			const ahead = `> $1::bigint + ${longestPause(pace)} ORDER BY next_poll_at DESC`;
			const rows = await find(ahead, most);
			if (rows.length < most) {
				rows.push(...(await find('<= $1 ORDER BY next_poll_at', most - rows.length)));
			}
			return rows.flatMap((row) => {
				const asked = recordIn(row);
				return asked === null ? [] : [{ messageId: row.subject, asked }];
			});
		},

		/** When the next falls due after now. */
		async nextAt(now: number): Promise<number | null> {
			const text = 'SELECT min(next_poll_at) FROM records WHERE next_poll_at > $1';
			return (await columnOf<number | null>(database, text, [now]))[0] ?? null;
		},

		/** Stores what a poll saw; returns how many events resulted. */
		note: (poll: Poll, answer: ServiceAnswer, now: number, pace: WatchPace): Promise<number> =>
			database.inTurn(async (tx) => {
				const row = (await lockRecords(tx, [poll.messageId])).get(poll.messageId);
				const present: LetterRecord | null = row ? recordIn(row) : null;
				if (row === undefined || present === null || row.next_poll_at === null) return 0;
				const { record, nextPollAt, events } = afterPoll(
					present,
					poll,
					answer,
					now,
					pace,
					newEventId,
				);
				const ended_at = nextPollAt === null ? now : null;
				const next = { ...withRecord(row, record, now), next_poll_at: nextPollAt, ended_at };
				await Promise.all([learn(tx, [{ before: row, row: next }], now), tx.append(events)]);
				return events.length;
			}),
	};
}

export type WatchedLetters = ReturnType<typeof watchedLettersIn>;
