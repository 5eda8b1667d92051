import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryEvent, StoredWatch } from '../../contract.ts';
import { askedAgain } from '../../watch/watch.ts';
import type { WatchRecord } from '../../watch/watch.ts';
import { toEvent } from '../rows.ts';
import type { EventRow } from '../rows.ts';
import type { Candidate, Page } from '../store.ts';
import { isFirstPoll, readWatch, settled, toStored, withWebhook } from '../watches.ts';
import type {
	ClaimRequest,
	PollClaim,
	PollOutcome,
	PollRules,
	WatchFigures,
	WatchRow,
	WatchStore,
} from '../watches.ts';
import type { News } from '../news.ts';
import { DueWork } from './due.ts';
import type { Writer } from './writer.ts';

/** Stores an event, within the transaction that the news is of. */
export type AddEvent = (
	event: Omit<DeliveryEvent, 'id' | 'sequence'>,
	now: number,
	news: News,
) => void;

/** So many of the events from before the watch tell what the status is. */
const EVENTS_READ = 50;

interface PaceRow {
	free_at: number;
	problem: string | null;
	problem_at: number | null;
}

/** Watching in the embedded store. */
export class SqliteWatches implements WatchStore {
	private readonly writer: Writer;
	private readonly addEvent: AddEvent;
	private readonly sql: ReturnType<typeof prepare>;
	private readonly polls: DueWork<WatchRow>;

	constructor(database: DatabaseSync, writer: Writer, addEvent: AddEvent) {
		this.writer = writer;
		this.addEvent = addEvent;
		this.sql = prepare(database);
		this.polls = new DueWork(database, {
			...{ table: 'watches', key: 'id', at: 'next_poll_at', where: 'next_poll_at IS NOT NULL' },
		});
	}

	put(asked: ReadonlyArray<{ watch: WatchRecord; nextPollAt: number }>, now: number) {
		return this.writer.write(() => {
			let created = 0;
			for (const { watch, nextPollAt } of asked) {
				const row = this.row(watch.messageId);
				if (row === undefined) {
					this.sql.insert.run(watch.messageId, JSON.stringify(watch), nextPollAt);
					created++;
					continue;
				}
				const next = askedAgain(readWatch(row), watch, now);
				const isBegunAgain = row.next_poll_at === null && next.endReason === null;
				if (isBegunAgain) created++;
				const at = isBegunAgain ? { next_poll_at: nextPollAt, ended_at: null } : {};
				this.write({ ...row, watch: JSON.stringify(next), ...at });
			}
			return { created, existing: asked.length - created };
		});
	}

	async get(messageId: string): Promise<StoredWatch | null> {
		const row = this.row(messageId);
		return row ? toStored(row) : null;
	}

	async record(messageId: string): Promise<WatchRecord | null> {
		const row = this.row(messageId);
		return row ? readWatch(row) : null;
	}

	async list({ before, limit }: Page): Promise<Array<{ id: number; watch: StoredWatch }>> {
		const rows = this.sql.list.all(before ?? Number.MAX_SAFE_INTEGER, limit);
		return (rows as unknown as WatchRow[]).map((row) => ({ id: row.id, watch: toStored(row) }));
	}

	end(messageId: string, now: number): Promise<boolean> {
		return this.writer.write(() => {
			const row = this.row(messageId);
			if (row === undefined || row.next_poll_at === null) return false;
			const watch = JSON.stringify({ ...readWatch(row), endReason: 'removed' });
			this.write({ ...row, watch, next_poll_at: null, ended_at: now });
			return true;
		});
	}

	claim({ now, most, intervalMs, leaseMs }: ClaimRequest): Promise<PollClaim> {
		const { free_at: freeAt, problem } = this.pace();
		const first = this.polls.nextAt();
		// Nothing to write is nothing to commit.
		if (first === null || first > now || freeAt > now) {
			const wakeAt = first === null ? null : Math.max(first, freeAt);
			return Promise.resolve({ polls: [], wakeAt, problem });
		}
		return this.writer.write(() => {
			const rows = this.polls.claim(most, now, leaseMs);
			this.sql.setFreeAt.run(now + rows.length * intervalMs);
			const polls = rows.map((row) => ({ messageId: row.message_id, revision: row.revision }));
			return { polls, wakeAt: null, problem };
		});
	}

	settle(outcomes: readonly PollOutcome[], now: number, rules: PollRules): Promise<number> {
		return this.writer.write((news) => {
			for (const outcome of outcomes) {
				const row = this.row(outcome.messageId);
				if (row === undefined) continue;
				const stored = isFirstPoll(row) ? this.storedEvents(outcome.messageId) : [];
				const { row: next, events } = settled(row, outcome, stored, now, rules);
				if (next !== row) this.write(next);
				for (const event of events) this.addEvent(event, now, news);
			}
			return news.events.length;
		});
	}

	hold({ until, problem, now }: { until: number; problem: string | null; now: number }) {
		return this.writer.write(() => {
			this.sql.hold.run({ until, problem, at: problem === null ? null : now });
		});
	}

	async figures(): Promise<WatchFigures> {
		const { watched } = this.sql.count.get() as { watched: number };
		const { free_at: freeAt, problem, problem_at: problemAt } = this.pace();
		return { watched, nextPollAt: this.polls.nextAt(), freeAt, problem, problemAt };
	}

	/**
	 * What a webhook adds to what is known of its message, within the transaction of its ingest.
	 * `isNew` is false when watching has made an event of the same change before.
	 */
	merge({ event, duplicateKey }: Candidate, now: number): { isNew: boolean; ask: boolean } {
		const row = event.messageId === null ? undefined : this.row(event.messageId);
		if (row === undefined) return { isNew: true, ask: false };
		const merged = withWebhook(row, event, duplicateKey.byContent, now);
		this.write(merged.row);
		return merged;
	}

	/** Removes some that ended before; answers how many. */
	clean(before: number, most: number): number {
		return Number(this.sql.clean.run(before, most).changes);
	}

	private row(messageId: string): WatchRow | undefined {
		return this.sql.get.get(messageId) as WatchRow | undefined;
	}

	private write({ id, watch, revision, next_poll_at: next, ended_at: ended }: WatchRow): void {
		this.sql.update.run(watch, revision, next, ended, id);
	}

	private pace(): PaceRow {
		return this.sql.pace.get() as unknown as PaceRow;
	}

	private storedEvents(messageId: string): DeliveryEvent[] {
		const rows = this.sql.storedEvents.all(messageId, EVENTS_READ) as unknown as EventRow[];
		return rows.map(toEvent).reverse();
	}
}

function prepare(database: DatabaseSync) {
	const sql = (text: string) => database.prepare(text);
	return {
		get: sql('SELECT * FROM watches WHERE message_id = ?'),
		list: sql('SELECT * FROM watches WHERE id < ? ORDER BY id DESC LIMIT ?'),
		insert: sql(
			'INSERT INTO watches (message_id, watch, revision, next_poll_at) VALUES (?, ?, 0, ?)',
		),
		update: sql(
			'UPDATE watches SET watch = ?, revision = ?, next_poll_at = ?, ended_at = ? WHERE id = ?',
		),
		count: sql(
			'SELECT count(*) AS watched FROM watches INDEXED BY watches_due WHERE next_poll_at IS NOT NULL',
		),
		pace: sql('SELECT * FROM watch_pace'),
		setFreeAt: sql('UPDATE watch_pace SET free_at = ?'),
		hold: sql(`
			UPDATE watch_pace SET free_at = max(free_at, :until), problem = :problem, problem_at = :at
		`),
		storedEvents: sql(`
			SELECT sequence, event FROM events WHERE message_id = ? ORDER BY sequence DESC LIMIT ?
		`),
		clean: sql(
			'DELETE FROM watches WHERE id IN (SELECT id FROM watches WHERE ended_at < ? LIMIT ?)',
		),
	};
}
