import type { DatabaseSync } from 'node:sqlite';
import type { WakeUp, WakeUpResult } from '../../core/pull-contract.ts';
import type { StoredWait, Wait } from '../../wait/wait-contract.ts';
import type { WaitStore } from '../../wait/wait-store.ts';
import { WAKE_UP_LEASE_MS, pauseAfterFailure } from '../../wait/wake-up-policy.ts';
import type { News } from '../news.ts';
import { toEvent } from '../rows.ts';
import type { EventRow } from '../rows.ts';
import {
	GATHER_STEP,
	afterNews,
	readyNow,
	toStoredWait,
	toWakeUp,
	withNews,
} from '../wait-rows.ts';
import type { WaitMessageRow, WaitProgress, WaitRow } from '../wait-rows.ts';
import { DueWork } from './due.ts';
import type { Writer } from './writer.ts';

/** The waits of the embedded store. */
export class SqliteWaits implements WaitStore {
	private readonly writer: Writer;
	private readonly sql: ReturnType<typeof prepare>;
	private readonly open: DueWork<WaitRow>;
	private readonly ready: DueWork<WaitRow>;
	private readonly hopeless: DueWork<WaitRow>;

	constructor(database: DatabaseSync, writer: Writer) {
		this.writer = writer;
		this.sql = prepare(database);
		const waits = { table: 'waits', key: 'id', at: 'due_at' };
		this.open = new DueWork(database, { ...waits, where: `state = 'open'` });
		const ofInstance = `state = 'ready' AND instance = :instance`;
		this.ready = new DueWork(database, { ...waits, where: ofInstance });
		const untilGivenUp = { ...waits, at: 'gives_up_at', where: `state = 'ready'` };
		this.hopeless = new DueWork(database, untilGivenUp);
	}

	put(id: string, wait: Wait, now: number): Promise<StoredWait> {
		return this.writer.write(() => {
			const { instance, resumeUrl: url, secret, trackedMailGoal: goal } = wait;
			const deadline = Date.parse(wait.deadline);
			this.delete(id);
			this.sql.insert.run({ id, instance, url, secret, goal, deadline, now });
			for (const [position, { messageId, messageType }] of wait.messages.entries()) {
				this.sql.insertMessage.run(id, position, messageId, messageType);
			}
			return this.read(id) as StoredWait;
		});
	}

	async get(id: string): Promise<StoredWait | null> {
		return this.read(id);
	}

	remove(id: string): Promise<boolean> {
		return this.writer.write(() => this.delete(id));
	}

	startAnew(id: string, now: number): Promise<StoredWait | null> {
		return this.writer.write((news) => {
			const wait = this.sql.wait.get(id) as WaitRow | undefined;
			if (wait === undefined) return null;
			const isComplete = this.takeNews(wait);
			this.sql.startAnew.run(id);
			this.putProgress(wait, readyNow(wait, isComplete, now), now, news);
			return this.read(id);
		});
	}

	gather(now: number): Promise<boolean> {
		return this.writer.write((news) => {
			const hopeless = this.hopeless.due(GATHER_STEP, now);
			for (const { id } of hopeless) this.sql.end.run({ id, state: 'given-up', now });
			const due = this.open.due(GATHER_STEP, now);
			for (const wait of due) {
				this.putProgress(wait, afterNews(wait, this.takeNews(wait), now), now, news);
			}
			return due.length === GATHER_STEP || hopeless.length === GATHER_STEP;
		});
	}

	async nextGather(): Promise<number | null> {
		const next = Math.min(this.open.nextAt() ?? Infinity, this.hopeless.nextAt() ?? Infinity);
		return next === Infinity ? null : next;
	}

	async claim(instance: string, most: number, now: number): Promise<WakeUp[]> {
		// Nothing to write is nothing to commit.
		const next = this.ready.nextAt({ instance });
		if (next === null || next > now) return [];
		return this.writer.write(() => {
			const claimed = this.ready.claim(most, now, WAKE_UP_LEASE_MS, { instance });
			return claimed.map((wait) => toWakeUp(wait, this.messagesOf(wait.id)));
		});
	}

	settle(results: readonly WakeUpResult[], now: number): Promise<void> {
		return this.writer.write((news) => {
			for (const { waitId: id, outcome, result } of results) {
				const wait = this.sql.wait.get(id) as WaitRow | undefined;
				if (wait?.state !== 'ready' && wait?.state !== 'given-up') continue;
				this.sql.noteAttempt.run({ id, result, now });
				if (outcome !== 'failed') this.sql.end.run({ id, state: outcome, now });
				else this.sql.postpone.run({ id, at: now + pauseAfterFailure(wait.attempts + 1) });
				// When the next is due has changed.
				news.instances.add(wait.instance);
			}
		});
	}

	async waiting(instance: string): Promise<{ count: number; nextAt: number | null }> {
		const { count } = this.sql.count.get(instance) as { count: number };
		return { count, nextAt: this.ready.nextAt({ instance }) };
	}

	/** In the transaction that stores an event of the message. */
	noteEvent(messageId: string | null, now: number): void {
		if (messageId === null) return;
		const { changes } = this.sql.noteNews.run(messageId);
		if (Number(changes) > 0) this.sql.hasten.run({ messageId, now });
	}

	/** In the transaction of `clean`: ended waits, and how many they were. */
	clean(before: number, most: number): number {
		const ended = this.sql.ended.all(before, most) as Array<{ id: string }>;
		for (const { id } of ended) this.delete(id);
		return ended.length;
	}

	/** Reads the events that are new; answers whether all outcomes are known. */
	private takeNews({ id, tracked_mail_goal: goal }: WaitRow): boolean {
		for (const row of this.sql.withNews.all(id) as unknown as WaitMessageRow[]) {
			const events = (this.sql.eventsOf.all(row.message_id) as unknown as EventRow[]).map(toEvent);
			const { progress, isFinal } = withNews(row, events, goal);
			this.sql.putOutcome.run({ id, position: row.position, progress, isFinal: Number(isFinal) });
		}
		const { missing } = this.sql.missing.get(id) as { missing: number };
		return missing === 0;
	}

	private putProgress(wait: WaitRow, progress: WaitProgress, now: number, news: News): void {
		this.sql.putProgress.run({ id: wait.id, ...progress, now });
		if (progress.state === 'ready') news.instances.add(wait.instance);
	}

	private read(id: string): StoredWait | null {
		const row = this.sql.wait.get(id) as WaitRow | undefined;
		return row ? toStoredWait(row, this.messagesOf(id)) : null;
	}

	private messagesOf(id: string): WaitMessageRow[] {
		return this.sql.messages.all(id) as unknown as WaitMessageRow[];
	}

	private delete(id: string): boolean {
		this.sql.removeMessages.run(id);
		return Number(this.sql.remove.run(id).changes) > 0;
	}
}

function prepare(database: DatabaseSync) {
	const sql = (text: string) => database.prepare(text);
	return {
		wait: sql('SELECT * FROM waits WHERE id = ?'),
		messages: sql('SELECT * FROM wait_messages WHERE wait_id = ? ORDER BY position'),
		insert: sql(`
			INSERT INTO waits VALUES (:id, :instance, :url, :secret, :goal, :deadline, 'open', NULL, :now,
				NULL, 0, NULL, :now, :now)
		`),
		insertMessage: sql('INSERT INTO wait_messages VALUES (?, ?, ?, ?, NULL, 0, 1)'),
		remove: sql('DELETE FROM waits WHERE id = ?'),
		removeMessages: sql('DELETE FROM wait_messages WHERE wait_id = ?'),
		noteNews: sql('UPDATE wait_messages SET has_news = 1 WHERE message_id = ?'),
		hasten: sql(`
			UPDATE waits SET due_at = min(due_at, :now) WHERE state = 'open'
				AND id IN (SELECT wait_id FROM wait_messages WHERE message_id = :messageId)
		`),
		withNews: sql('SELECT * FROM wait_messages WHERE wait_id = ? AND has_news = 1'),
		eventsOf: sql('SELECT sequence, event FROM events WHERE message_id = ?'),
		putOutcome: sql(`
			UPDATE wait_messages SET progress = :progress, is_final = :isFinal, has_news = 0
			WHERE wait_id = :id AND position = :position
		`),
		missing: sql(
			'SELECT count(*) AS missing FROM wait_messages WHERE wait_id = ? AND is_final = 0',
		),
		putProgress: sql(`
			UPDATE waits SET state = :state, reason = :reason, due_at = :due_at,
				gives_up_at = :gives_up_at, updated_at = :now
			WHERE id = :id
		`),
		startAnew: sql('UPDATE waits SET attempts = 0, last_result = NULL WHERE id = ?'),
		noteAttempt: sql(`
			UPDATE waits SET attempts = attempts + 1, last_result = :result, updated_at = :now
			WHERE id = :id
		`),
		postpone: sql('UPDATE waits SET due_at = :at WHERE id = :id'),
		// The secret stays with it: an operator may start it anew.
		end: sql('UPDATE waits SET state = :state, updated_at = :now WHERE id = :id'),
		count: sql(`
			SELECT count(*) AS count FROM waits WHERE instance = ? AND state IN ('open', 'ready')
		`),
		ended: sql(`
			SELECT id FROM waits WHERE state IN ('resumed', 'over', 'given-up') AND updated_at < ?
			LIMIT ?
		`),
	};
}
