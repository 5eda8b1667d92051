import type { DeliveryEvent, StoredWatch } from '../../contract.ts';
import { askedAgain } from '../../watch/watch.ts';
import type { WatchRecord } from '../../watch/watch.ts';
import { toEvent } from '../rows.ts';
import type { EventRow } from '../rows.ts';
import type { Candidate, Page } from '../store.ts';
import { isFirstPoll, readWatch, settled, toStored } from '../watches.ts';
import type {
	ClaimRequest,
	PollClaim,
	PollOutcome,
	PollRules,
	WatchFigures,
	WatchRow,
	WatchStore,
} from '../watches.ts';
import type { Database, Db } from './connect.ts';
import { claimDue } from './claim-due.ts';
import { storeEvents } from './intake.ts';
import { BEGIN_WRITING } from './log.ts';
import { lockWatches, writeWatches } from './merge-watched.ts';
import { SCHEMA } from './schema.ts';

/** So many of the events from before the watch tell what the status is. */
const EVENTS_READ = 50;

const POLLS = {
	...{ table: 'watches', key: 'id', at: 'next_poll_at', where: 'next_poll_at IS NOT NULL' },
};

interface PaceRow {
	free_at: number;
	problem: string | null;
	problem_at: number | null;
}

/** Watching in the scale-out store: all receivers share the work, the pace and what is known. */
export class PostgresWatches implements WatchStore {
	private readonly database: Database;

	constructor(database: Database) {
		this.database = database;
	}

	put(asked: ReadonlyArray<{ watch: WatchRecord; nextPollAt: number }>, now: number) {
		return this.database.transaction(async (db) => {
			const ordered = [...asked].sort((left, right) =>
				left.watch.messageId < right.watch.messageId ? -1 : 1,
			);
			const rows = await db.rows(
				`INSERT INTO ${SCHEMA}.watches (message_id, watch, revision, next_poll_at)
				SELECT message_id, watch, 0, next_poll_at
				FROM unnest($1::text[], $2::text[], $3::bigint[]) AS asked (message_id, watch, next_poll_at)
				ON CONFLICT (message_id) DO NOTHING RETURNING message_id`,
				[
					ordered.map(({ watch }) => watch.messageId),
					ordered.map(({ watch }) => JSON.stringify(watch)),
					ordered.map(({ nextPollAt }) => nextPollAt),
				],
			);
			const fresh = new Set((rows as Array<{ message_id: string }>).map((row) => row.message_id));
			const others = ordered.filter(({ watch }) => !fresh.has(watch.messageId));
			const present = await lockWatches(
				db,
				others.map(({ watch }) => watch.messageId),
			);
			let begunAgain = 0;
			for (const { watch, nextPollAt } of others) {
				const row = present.get(watch.messageId);
				if (row === undefined) continue;
				const next = askedAgain(readWatch(row), watch, now);
				const isBegunAgain = row.next_poll_at === null && next.endReason === null;
				if (isBegunAgain) begunAgain++;
				const at = isBegunAgain ? { next_poll_at: nextPollAt, ended_at: null } : {};
				present.set(watch.messageId, { ...row, watch: JSON.stringify(next), ...at });
			}
			await writeWatches(db, [...present.values()]);
			const created = fresh.size + begunAgain;
			return { created, existing: asked.length - created };
		});
	}

	async get(messageId: string): Promise<StoredWatch | null> {
		const row = await this.row(messageId);
		return row ? toStored(row) : null;
	}

	async record(messageId: string): Promise<WatchRecord | null> {
		const row = await this.row(messageId);
		return row ? readWatch(row) : null;
	}

	async list({ before, limit }: Page): Promise<Array<{ id: number; watch: StoredWatch }>> {
		const rows = await this.database.rows(
			`SELECT * FROM ${SCHEMA}.watches WHERE $1::bigint IS NULL OR id < $1
			ORDER BY id DESC LIMIT $2`,
			[before, limit],
		);
		return (rows as WatchRow[]).map((row) => ({ id: row.id, watch: toStored(row) }));
	}

	end(messageId: string, now: number): Promise<boolean> {
		return this.database.transaction(async (db) => {
			const row = (await lockWatches(db, [messageId])).get(messageId);
			if (row === undefined || row.next_poll_at === null) return false;
			const watch = JSON.stringify({ ...readWatch(row), endReason: 'removed' });
			await writeWatches(db, [{ ...row, watch, next_poll_at: null, ended_at: now }]);
			return true;
		});
	}

	async claim({ now, most, intervalMs, leaseMs }: ClaimRequest): Promise<PollClaim> {
		const { nextPollAt, freeAt, problem } = await this.pace();
		if (nextPollAt === null || nextPollAt > now || freeAt > now) {
			const wakeAt = nextPollAt === null ? null : Math.max(nextPollAt, freeAt);
			return { polls: [], wakeAt, problem };
		}
		return this.database.transaction(async (db) => {
			// One receiver at a time takes places in the line; what another one holds is passed over.
			const paces = await db.rows(`SELECT free_at FROM ${SCHEMA}.watch_pace FOR UPDATE`);
			const { free_at: free } = paces[0] as PaceRow;
			if (free > now) return { polls: [], wakeAt: free, problem };
			const rows = await claimDue<WatchRow>(db, POLLS, { now, most, leaseMs });
			const polls = rows.map((row) => ({
				messageId: row.message_id,
				revision: row.revision,
			}));
			await db.rows(`UPDATE ${SCHEMA}.watch_pace SET free_at = $1`, [
				now + polls.length * intervalMs,
			]);
			// All that is due may be locked just now: look again in a moment.
			return { polls, wakeAt: polls.length === 0 ? now + intervalMs : null, problem };
		});
	}

	settle(outcomes: readonly PollOutcome[], now: number, rules: PollRules): Promise<number> {
		const work = (db: Db) => settleAll(db, outcomes, now, rules);
		return this.database.transaction(work, BEGIN_WRITING);
	}

	async hold({ until, problem, now }: { until: number; problem: string | null; now: number }) {
		await this.database.rows(
			`UPDATE ${SCHEMA}.watch_pace
			SET free_at = greatest(free_at, $1), problem = $2, problem_at = $3`,
			[until, problem, problem === null ? null : now],
		);
	}

	async figures(): Promise<WatchFigures> {
		const rows = await this.database.rows(
			`SELECT count(*) AS watched FROM ${SCHEMA}.watches WHERE next_poll_at IS NOT NULL`,
		);
		return { ...(await this.pace()), watched: (rows[0] as { watched: number }).watched };
	}

	private async row(messageId: string): Promise<WatchRow | undefined> {
		const rows = await this.database.rows(`SELECT * FROM ${SCHEMA}.watches WHERE message_id = $1`, [
			messageId,
		]);
		return rows[0] as WatchRow | undefined;
	}

	private async pace(): Promise<Omit<WatchFigures, 'watched'>> {
		const rows = await this.database.rows(
			`SELECT pace.*, (
				SELECT min(next_poll_at) FROM ${SCHEMA}.watches WHERE next_poll_at IS NOT NULL
			) AS first FROM ${SCHEMA}.watch_pace AS pace`,
		);
		const row = rows[0] as PaceRow & { first: number | null };
		const { free_at: freeAt, problem, problem_at: problemAt, first: nextPollAt } = row;
		return { nextPollAt, freeAt, problem, problemAt };
	}
}

/** Answers how many events that made. */
async function settleAll(
	db: Db,
	outcomes: readonly PollOutcome[],
	now: number,
	rules: PollRules,
): Promise<number> {
	const rows = await lockWatches(
		db,
		outcomes.map(({ messageId }) => messageId),
	);
	const stored = await storedEvents(db, [...rows.values()].filter(isFirstPoll));
	const fresh: Array<{ event: Candidate['event']; now: number }> = [];
	for (const outcome of outcomes) {
		const row = rows.get(outcome.messageId);
		if (row === undefined) continue;
		const before = stored.get(outcome.messageId) ?? [];
		const { row: next, events } = settled(row, outcome, before, now, rules);
		rows.set(row.message_id, next);
		fresh.push(...events.map((event) => ({ event, now })));
	}
	await writeWatches(db, [...rows.values()]);
	await storeEvents(db, fresh);
	return fresh.length;
}

/** By message, oldest first. */
async function storedEvents(
	db: Db,
	rows: readonly WatchRow[],
): Promise<Map<string, DeliveryEvent[]>> {
	if (rows.length === 0) return new Map();
	const found = await db.rows(
		`SELECT recent.* FROM unnest($1::text[]) AS asked (message_id), LATERAL (
			SELECT sequence, event FROM ${SCHEMA}.events e WHERE e.message_id = asked.message_id
			ORDER BY sequence DESC LIMIT ${EVENTS_READ}
		) AS recent ORDER BY sequence`,
		[rows.map((row) => row.message_id)],
	);
	const events = (found as EventRow[]).map(toEvent);
	return Map.groupBy(events, ({ messageId }) => messageId ?? '');
}
