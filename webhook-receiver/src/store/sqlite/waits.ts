import type { DatabaseSync } from 'node:sqlite';
import type { StoredWait, Wait } from '../../wait/wait-contract.ts';
import type { ReadyWait, WaitSettlement, WaitStore } from '../../wait/wait-store.ts';
import { toEvent } from '../rows.ts';
import type { EventRow } from '../rows.ts';
import { GATHER_STEP, afterNews, toReadyWait, toStoredWait, withNews } from '../wait-rows.ts';
import type { WaitMessageRow, WaitRow } from '../wait-rows.ts';
import type { GroupCommit } from './group-commit.ts';

/** The waits of the embedded store. What was claimed dies with the process and is ready again. */
export class SqliteWaits implements WaitStore {
	onNews: () => void = () => undefined;
	private readonly commits: GroupCommit;
	private readonly sql: ReturnType<typeof prepare>;
	private readonly held = new Set<string>();

	constructor(database: DatabaseSync, commits: GroupCommit) {
		this.commits = commits;
		this.sql = prepare(database);
	}

	put(id: string, wait: Wait, now: number): Promise<StoredWait> {
		return this.commits.write(() => {
			const { resumeUrl: url, secret, trackedMailGoal: goal } = wait;
			const deadline = Date.parse(wait.deadline);
			this.delete(id);
			this.sql.insert.run({ id, url, secret, goal, deadline, now });
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
		return this.commits.write(() => this.delete(id));
	}

	/** In the transaction that stores an event of the message. */
	noteEvent(messageId: string | null, now: number): void {
		if (messageId === null) return;
		const { changes } = this.sql.noteNews.run(messageId);
		if (Number(changes) === 0) return;
		this.sql.hasten.run({ messageId, now });
		// By the next turn of the event loop this one's transaction is committed.
		setImmediate(() => this.onNews());
	}

	gather(now: number): Promise<boolean> {
		return this.commits.write(() => {
			const due = this.sql.due.all('open', now, GATHER_STEP) as unknown as WaitRow[];
			for (const wait of due) this.takeNews(wait, now);
			return due.length === GATHER_STEP;
		});
	}

	async claim(most: number, now: number): Promise<ReadyWait[]> {
		const due = this.sql.due.all('ready', now, most + this.held.size) as unknown as WaitRow[];
		const free = due.filter(({ id }) => !this.held.has(id)).slice(0, most);
		for (const { id } of free) this.held.add(id);
		return free.map((wait) => toReadyWait(wait, this.messagesOf(wait.id)));
	}

	async settle({ id, next, result }: WaitSettlement, now: number): Promise<void> {
		await this.commits.write(() => {
			if (typeof next === 'number') this.sql.postpone.run({ id, next, result, now });
			else this.sql.end.run({ id, state: next, result, now });
		});
		this.held.delete(id);
	}

	async nextDue(): Promise<number | null> {
		const held = JSON.stringify([...this.held]);
		return (this.sql.nextDue.get(held) as { at: number | null }).at;
	}

	/** In the transaction of `clean`: ended waits, and how many they were. */
	clean(before: number, most: number): number {
		const ended = this.sql.ended.all(before, most) as Array<{ id: string }>;
		for (const { id } of ended) this.delete(id);
		return ended.length;
	}

	private takeNews(wait: WaitRow, now: number): void {
		const { id } = wait;
		for (const row of this.sql.withNews.all(id) as unknown as WaitMessageRow[]) {
			const events = (this.sql.eventsOf.all(row.message_id) as unknown as EventRow[]).map(toEvent);
			const { progress, isFinal } = withNews(row, events, wait.tracked_mail_goal);
			this.sql.putProgress.run({ id, position: row.position, progress, isFinal: Number(isFinal) });
		}
		const { missing } = this.sql.missing.get(id) as { missing: number };
		const { state, reason, due_at } = afterNews(wait, missing === 0, now);
		this.sql.putState.run({ id, state, reason, due_at, now });
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
			INSERT INTO waits VALUES (:id, :url, :secret, :goal, :deadline, 'open', NULL, :now, 0, NULL,
				:now, :now)
		`),
		insertMessage: sql('INSERT INTO wait_messages VALUES (?, ?, ?, ?, NULL, 0, 1)'),
		remove: sql('DELETE FROM waits WHERE id = ?'),
		removeMessages: sql('DELETE FROM wait_messages WHERE wait_id = ?'),
		noteNews: sql('UPDATE wait_messages SET has_news = 1 WHERE message_id = ?'),
		hasten: sql(`
			UPDATE waits SET due_at = min(due_at, :now) WHERE state = 'open'
				AND id IN (SELECT wait_id FROM wait_messages WHERE message_id = :messageId)
		`),
		due: sql('SELECT * FROM waits WHERE state = ? AND due_at <= ? ORDER BY due_at LIMIT ?'),
		withNews: sql('SELECT * FROM wait_messages WHERE wait_id = ? AND has_news = 1'),
		eventsOf: sql('SELECT sequence, event FROM events WHERE message_id = ?'),
		putProgress: sql(`
			UPDATE wait_messages SET progress = :progress, is_final = :isFinal, has_news = 0
			WHERE wait_id = :id AND position = :position
		`),
		missing: sql(
			'SELECT count(*) AS missing FROM wait_messages WHERE wait_id = ? AND is_final = 0',
		),
		putState: sql(`
			UPDATE waits SET state = :state, reason = :reason, due_at = :due_at, updated_at = :now
			WHERE id = :id
		`),
		postpone: sql(`
			UPDATE waits SET attempts = attempts + 1, due_at = :next, last_result = :result,
				updated_at = :now
			WHERE id = :id
		`),
		end: sql(`
			UPDATE waits SET attempts = attempts + 1, state = :state, last_result = :result, secret = '',
				updated_at = :now
			WHERE id = :id
		`),
		nextDue: sql(`
			SELECT min(due_at) AS at FROM waits WHERE state IN ('open', 'ready')
				AND id NOT IN (SELECT value FROM json_each(?))
		`),
		ended: sql(`
			SELECT id FROM waits WHERE state IN ('resumed', 'given-up') AND updated_at < ? LIMIT ?
		`),
	};
}
