import { newEventId } from '../../ingest/event-id.ts';
import type { Db, EventLog, Fresh, LogRow, Place, Transaction } from '../engine.ts';

/** A single writer: events commit, and are read, in sequence order. */
export class SqliteLog implements EventLog {
	readonly isBeyond = 'events.sequence > c.position';
	readonly order = 'sequence';

	async append(tx: Transaction, fresh: readonly Fresh[]): Promise<void> {
		for (const { event, now } of fresh) {
			const stored = { id: newEventId(), ...event };
			const [{ sequence }] = (await tx.rows(
				`INSERT INTO events (id, type, message_id, received_at, event)
				VALUES ($1, $2, $3, $4, $5) RETURNING sequence`,
				[stored.id, stored.type, stored.messageId, now, JSON.stringify(stored)],
			)) as [{ sequence: number }];
			tx.news.events.push({ ...stored, sequence });
		}
	}

	async after(db: Db, { position }: Place, types: readonly string[] | null, limit: number) {
		const rows = await db.rows(
			`SELECT sequence, id, xid,
				CASE WHEN $2 IS NULL OR type IN (SELECT value FROM json_each($2)) THEN event END AS event
			FROM events WHERE sequence > $1 ORDER BY sequence LIMIT $3`,
			[position, types, limit],
		);
		return rows as LogRow[];
	}

	async end(db: Db): Promise<Place> {
		const [{ position }] = await db.rows(
			'SELECT coalesce(max(sequence), 0) AS position FROM events',
		);
		return { xid: '', position, began: '' };
	}

	async startAt(db: Db, time: number): Promise<Place> {
		const [{ position }] = await db.rows(
			`SELECT coalesce(
				(SELECT min(sequence) - 1 FROM events WHERE received_at >= $1),
				(SELECT max(sequence) FROM events), 0
			) AS position`,
			[time],
		);
		return { xid: '', position, began: '' };
	}
}
