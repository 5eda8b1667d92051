import type { StoredWait, Wait } from '../../wait/wait-contract.ts';
import type { ReadyWait, WaitSettlement, WaitStore } from '../../wait/wait-store.ts';
import { toEvent } from '../rows.ts';
import type { EventRow } from '../rows.ts';
import { GATHER_STEP, afterNews, toReadyWait, toStoredWait, withNews } from '../wait-rows.ts';
import type { WaitMessageRow, WaitRow } from '../wait-rows.ts';
import type { Database, Db } from './connect.ts';
import { SCHEMA } from './schema.ts';

const WAITS = `${SCHEMA}.waits`;
const MESSAGES = `${SCHEMA}.wait_messages`;

/** The waits of the scale-out store. A claim is a lease: `due_at` says when another may take over. */
export class PostgresWaits implements WaitStore {
	onNews: () => void = () => undefined;
	private readonly database: Database;
	private readonly leaseMs: number;

	constructor(database: Database, leaseMs: number) {
		this.database = database;
		this.leaseMs = leaseMs;
	}

	put(id: string, wait: Wait, now: number): Promise<StoredWait> {
		return this.database.transaction(async (db) => {
			// Against `noteEvents`: an event that is being stored either sees this wait, or is committed
			// before it, so that the wait finds it at its first look.
			await db.rows(`LOCK TABLE ${WAITS} IN SHARE ROW EXCLUSIVE MODE`);
			await remove(db, [id]);
			await db.rows(
				`INSERT INTO ${WAITS} VALUES ($1, $2, $3, $4, $5, 'open', NULL, $6, 0, NULL, $6, $6)`,
				[id, wait.resumeUrl, wait.secret, wait.trackedMailGoal, Date.parse(wait.deadline), now],
			);
			await db.rows(
				`INSERT INTO ${MESSAGES}
				SELECT $1, place - 1, message_id, message_type, NULL, false, true
				FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS m (message_id, message_type, place)`,
				[
					id,
					wait.messages.map(({ messageId }) => messageId),
					wait.messages.map(({ messageType }) => messageType),
				],
			);
			return (await read(db, id)) as StoredWait;
		});
	}

	get(id: string): Promise<StoredWait | null> {
		return this.database.transaction((db) => read(db, id));
	}

	remove(id: string): Promise<boolean> {
		return this.database.transaction(async (db) => (await remove(db, [id])) > 0);
	}

	gather(now: number): Promise<boolean> {
		return this.database.transaction(async (db) => {
			const rows = await db.rows(
				`SELECT * FROM ${WAITS} WHERE state = 'open' AND due_at <= $1
				ORDER BY due_at LIMIT ${GATHER_STEP} FOR UPDATE SKIP LOCKED`,
				[now],
			);
			for (const wait of rows as WaitRow[]) await takeNews(db, wait, now);
			return rows.length === GATHER_STEP;
		});
	}

	claim(most: number, now: number): Promise<ReadyWait[]> {
		return this.database.transaction(async (db) => {
			const rows = await db.rows(
				`UPDATE ${WAITS} SET due_at = $2 WHERE id IN (
					SELECT id FROM ${WAITS} WHERE state = 'ready' AND due_at <= $1
					ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
				) RETURNING *`,
				[now, now + this.leaseMs, most],
			);
			const ready: ReadyWait[] = [];
			for (const row of rows as WaitRow[])
				ready.push(toReadyWait(row, await messagesOf(db, row.id)));
			return ready;
		});
	}

	async settle({ id, next, result }: WaitSettlement, now: number): Promise<void> {
		if (typeof next === 'number') {
			await this.database.rows(
				`UPDATE ${WAITS} SET attempts = attempts + 1, due_at = $2, last_result = $3, updated_at = $4
				WHERE id = $1 AND state = 'ready'`,
				[id, next, result, now],
			);
			return;
		}
		await this.database.rows(
			`UPDATE ${WAITS} SET attempts = attempts + 1, state = $2, last_result = $3, secret = '',
				updated_at = $4
			WHERE id = $1`,
			[id, next, result, now],
		);
	}

	async nextDue(): Promise<number | null> {
		const rows = await this.database.rows(
			`SELECT min(due_at) AS at FROM ${WAITS} WHERE state IN ('open', 'ready')`,
		);
		return (rows[0] as { at: number | null }).at;
	}
}

/** In the transaction that stores events of these messages. */
export async function noteEvents(
	db: Db,
	messageIds: ReadonlyArray<string | null>,
	now: number,
): Promise<void> {
	const ids = [...new Set(messageIds)].filter((id) => id !== null);
	if (ids.length === 0) return;
	// The wait before its messages, as `gather` does, so that the two never wait for each other.
	await db.rows(
		`WITH open AS (
			SELECT id FROM ${WAITS} WHERE state = 'open'
				AND id IN (SELECT wait_id FROM ${MESSAGES} WHERE message_id = ANY($1))
			ORDER BY id FOR UPDATE
		), news AS (
			UPDATE ${MESSAGES} SET has_news = true
			WHERE message_id = ANY($1) AND wait_id IN (SELECT id FROM open)
		)
		UPDATE ${WAITS} SET due_at = least(due_at, $2) WHERE id IN (SELECT id FROM open)`,
		[ids, now],
	);
}

/** Removes ended waits; answers how many. */
export async function cleanWaits(db: Db, before: number, most: number): Promise<number> {
	const rows = await db.rows(
		`SELECT id FROM ${WAITS} WHERE state IN ('resumed', 'given-up') AND updated_at < $1 LIMIT $2`,
		[before, most],
	);
	return remove(
		db,
		(rows as Array<{ id: string }>).map(({ id }) => id),
	);
}

async function takeNews(db: Db, wait: WaitRow, now: number): Promise<void> {
	const { id } = wait;
	const found = await db.rows(
		`UPDATE ${MESSAGES} SET has_news = false WHERE wait_id = $1 AND has_news RETURNING *`,
		[id],
	);
	const messages = found.rows as WaitMessageRow[];
	const rows = await db.rows(
		`SELECT sequence, event FROM ${SCHEMA}.events WHERE message_id = ANY($1)`,
		[messages.map(({ message_id }) => message_id)],
	);
	const events = Map.groupBy((rows as EventRow[]).map(toEvent), ({ messageId }) => messageId);
	const known = messages.map((row) => ({
		position: row.position,
		...withNews(row, events.get(row.message_id) ?? [], wait.tracked_mail_goal),
	}));
	await db.rows(
		`UPDATE ${MESSAGES} AS m SET progress = news.progress, is_final = news.is_final
		FROM unnest($2::int[], $3::text[], $4::boolean[]) AS news (position, progress, is_final)
		WHERE m.wait_id = $1 AND m.position = news.position`,
		[
			id,
			known.map(({ position }) => position),
			known.map(({ progress }) => progress),
			known.map(({ isFinal }) => isFinal),
		],
	);
	const open = await db.rows(
		`SELECT 1 FROM ${MESSAGES} WHERE wait_id = $1 AND NOT is_final LIMIT 1`,
		[id],
	);
	const { state, reason, due_at } = afterNews(wait, open.rows.length === 0, now);
	await db.rows(
		`UPDATE ${WAITS} SET state = $2, reason = $3, due_at = $4, updated_at = $5 WHERE id = $1`,
		[id, state, reason, due_at, now],
	);
}

async function read(db: Db, id: string): Promise<StoredWait | null> {
	const rows = await db.rows(`SELECT * FROM ${WAITS} WHERE id = $1`, [id]);
	const row = rows[0] as WaitRow | undefined;
	return row ? toStoredWait(row, await messagesOf(db, id)) : null;
}

async function messagesOf(db: Db, id: string): Promise<WaitMessageRow[]> {
	const rows = await db.rows(
		`SELECT * FROM ${MESSAGES} WHERE wait_id = $1 ORDER BY position`,
		[id],
	);
	return rows as WaitMessageRow[];
}

async function remove(db: Db, ids: readonly string[]): Promise<number> {
	if (ids.length === 0) return 0;
	const rows = await db.rows(`DELETE FROM ${WAITS} WHERE id = ANY($1) RETURNING id`, [
		ids,
	]);
	await db.rows(`DELETE FROM ${MESSAGES} WHERE wait_id = ANY($1)`, [ids]);
	return rows.length;
}
