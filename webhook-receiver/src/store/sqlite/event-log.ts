import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryEvent } from '../../contract.ts';
import { newEventId } from '../../event-id.ts';
import type { LoggedEvent } from '../../pull/plan-batches.ts';
import type { News } from '../news.ts';
import { toEvent, toLoggedEvent } from '../rows.ts';
import type { EventRow } from '../rows.ts';
import type { Page } from '../store.ts';

/** Characters of events that are kept as read: a thousand consumers may want the same one. */
const RECENT_SIZE = 8_000_000;

/** The events of the embedded store. */
export class SqliteEventLog {
	private readonly sql: ReturnType<typeof prepare>;
	private readonly recent = new Map<string, LoggedEvent>();
	private recentSize = 0;

	constructor(database: DatabaseSync) {
		this.sql = prepare(database);
	}

	/** Within a transaction. */
	append(event: Omit<DeliveryEvent, 'id' | 'sequence'>, now: number, news: News): void {
		const stored = { id: newEventId(), ...event };
		const { id, type, messageId } = stored;
		const { lastInsertRowid } = this.sql.insert.run(
			...[id, type, messageId, now, JSON.stringify(stored)],
		);
		news.events.push({ ...stored, sequence: Number(lastInsertRowid) });
	}

	/** Sequence of the last event. */
	end(): number {
		return (this.sql.end.get() as { sequence: number | null }).sequence ?? 0;
	}

	/** What follows a position, up to so many, read as far as one goes on. */
	*after(position: number, most: number): Generator<LoggedEvent> {
		const rows = this.sql.after.iterate(position, most) as Iterable<unknown>;
		for (const row of rows as Iterable<IdentifiedRow>) yield this.read(row);
	}

	/** In the order of the log; those that are gone are left out. */
	all(sequences: string): DeliveryEvent[] {
		const rows = this.sql.all.all(sequences) as unknown as IdentifiedRow[];
		return rows.map((row) => this.read(row).event);
	}

	byId(id: string): LoggedEvent | null {
		const row = this.sql.byId.get(id) as IdentifiedRow | undefined;
		return row === undefined ? null : this.read(row);
	}

	/** Newest first. */
	page({ before, limit }: Page): DeliveryEvent[] {
		const rows = this.sql.page.all(before ?? Number.MAX_SAFE_INTEGER, limit);
		return (rows as unknown as EventRow[]).map(toEvent);
	}

	/** Oldest first. */
	ofMessage(messageId: string, limit: number): DeliveryEvent[] {
		return (this.sql.ofMessage.all(messageId, limit) as unknown as EventRow[]).map(toEvent);
	}

	/** Sequence of the message's last bounce, or null. */
	lastBounce(messageId: string): number | null {
		return (this.sql.lastBounce.get(messageId) as { sequence: number | null }).sequence;
	}

	/** An event has an id of its own at each attempt to store it, so one that was undone is never met. */
	private read(row: IdentifiedRow): LoggedEvent {
		const known = this.recent.get(row.id);
		if (known !== undefined) return known;
		const logged = toLoggedEvent(row);
		this.recent.set(row.id, logged);
		this.recentSize += logged.size;
		for (const [id, { size }] of this.recent) {
			if (this.recentSize <= RECENT_SIZE) break;
			this.recent.delete(id);
			this.recentSize -= size;
		}
		return logged;
	}
}

interface IdentifiedRow extends EventRow {
	id: string;
}

function prepare(database: DatabaseSync) {
	const sql = (text: string) => database.prepare(text);
	const row = 'SELECT sequence, id, event FROM events';
	return {
		insert: sql(
			'INSERT INTO events (id, type, message_id, received_at, event) VALUES (?, ?, ?, ?, ?)',
		),
		end: sql('SELECT max(sequence) AS sequence FROM events'),
		after: sql(`${row} WHERE sequence > ? ORDER BY sequence LIMIT ?`),
		all: sql(`${row} WHERE sequence IN (SELECT value FROM json_each(?)) ORDER BY sequence`),
		byId: sql(`${row} WHERE id = ?`),
		page: sql(`${row} WHERE sequence < ? ORDER BY sequence DESC LIMIT ?`),
		ofMessage: sql(`${row} WHERE message_id = ? ORDER BY sequence LIMIT ?`),
		lastBounce: sql(`
			SELECT max(sequence) AS sequence FROM events
			WHERE message_id = ? AND type = 'tracked_mail.undelivered'
		`),
	};
}
