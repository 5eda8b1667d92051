import type { WakeUp, WakeUpResult } from '../../core/pull-contract.ts';
import type { StoredWait, Wait } from '../../wait/wait-contract.ts';
import type { WaitStore } from '../../wait/wait-store.ts';
import { WAKE_UP_LEASE_MS, pauseAfterFailure } from '../../wait/wake-up-policy.ts';
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
import { claimDue } from './claim-due.ts';
import type { Database, Db } from './connect.ts';
import { notify } from './notify.ts';
import { SCHEMA } from './schema.ts';

const WAITS = `${SCHEMA}.waits`;
const MESSAGES = `${SCHEMA}.wait_messages`;

const WAKE_UPS = {
	...{ table: 'waits', key: 'id', at: 'due_at', where: `state = 'ready' AND instance = $4` },
};

/** The waits of the scale-out store. */
export class PostgresWaits implements WaitStore {
	private readonly database: Database;

	constructor(database: Database) {
		this.database = database;
	}

	put(id: string, wait: Wait, now: number): Promise<StoredWait> {
		return this.database.transaction(async (db) => {
			// Against `noteEvents`: an event that is being stored either sees this wait, or is committed
			// before it, so that the wait finds it at its first look.
			await db.rows(`LOCK TABLE ${WAITS} IN SHARE ROW EXCLUSIVE MODE`);
			await remove(db, [id]);
			await db.rows(
				`INSERT INTO ${WAITS}
				VALUES ($1, $2, $3, $4, $5, $6, 'open', NULL, $7, NULL, 0, NULL, $7, $7)`,
				[
					...[id, wait.instance, wait.resumeUrl, wait.secret, wait.trackedMailGoal],
					...[Date.parse(wait.deadline), now],
				],
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

	startAnew(id: string, now: number): Promise<StoredWait | null> {
		return this.database.transaction(async (db) => {
			const rows = await db.rows(`SELECT * FROM ${WAITS} WHERE id = $1 FOR UPDATE`, [id]);
			const wait = rows[0] as WaitRow | undefined;
			if (wait === undefined) return null;
			const isComplete = await takeNews(db, wait);
			await db.rows(`UPDATE ${WAITS} SET attempts = 0, last_result = NULL WHERE id = $1`, [id]);
			await goOn(db, wait, readyNow(wait, isComplete, now), now);
			await notify(db, 'wake-ups', [wait.instance]);
			return read(db, id);
		});
	}

	gather(now: number): Promise<boolean> {
		return this.database.transaction(async (db) => {
			const rows = (await db.rows(
				`SELECT * FROM ${WAITS} WHERE state = 'open' AND due_at <= $1
				ORDER BY due_at LIMIT ${GATHER_STEP} FOR UPDATE SKIP LOCKED`,
				[now],
			)) as WaitRow[];
			const ready = new Set<string>();
			for (const wait of rows) {
				const next = afterNews(wait, await takeNews(db, wait), now);
				await goOn(db, wait, next, now);
				if (next.state === 'ready') ready.add(wait.instance);
			}
			await notify(db, 'wake-ups', ready);
			const givenUp = await db.rows(
				`UPDATE ${WAITS} SET state = 'given-up', updated_at = $1 WHERE id IN (
					SELECT id FROM ${WAITS} WHERE state = 'ready' AND gives_up_at <= $1
					LIMIT ${GATHER_STEP} FOR UPDATE SKIP LOCKED
				) RETURNING 1`,
				[now],
			);
			return rows.length === GATHER_STEP || givenUp.length === GATHER_STEP;
		});
	}

	async nextGather(): Promise<number | null> {
		const rows = await this.database.rows(
			`SELECT least(
				(SELECT min(due_at) FROM ${WAITS} WHERE state = 'open'),
				(SELECT min(gives_up_at) FROM ${WAITS} WHERE state = 'ready')
			) AS at`,
		);
		return (rows[0] as { at: number | null }).at;
	}

	async claim(instance: string, most: number, now: number): Promise<WakeUp[]> {
		// Nearly always there is nothing, which is nothing to commit.
		const { nextAt } = await this.waiting(instance);
		if (nextAt === null || nextAt > now) return [];
		return this.database.transaction(async (db) => {
			const lease = { now, most, leaseMs: WAKE_UP_LEASE_MS, only: instance };
			const wakeUps: WakeUp[] = [];
			for (const row of await claimDue<WaitRow>(db, WAKE_UPS, lease)) {
				wakeUps.push(toWakeUp(row, await messagesOf(db, row.id)));
			}
			return wakeUps;
		});
	}

	async settle(results: readonly WakeUpResult[], now: number): Promise<void> {
		if (results.length === 0) return;
		const byId = new Map(results.map((result) => [result.waitId, result]));
		await this.database.transaction(async (db) => {
			// Always in the same order, so that two requests never wait for each other.
			const rows = (await db.rows(
				`SELECT * FROM ${WAITS} WHERE id = ANY($1) AND state IN ('ready', 'given-up')
				ORDER BY id FOR UPDATE`,
				[[...byId.keys()]],
			)) as WaitRow[];
			for (const { id, state, due_at, attempts } of rows) {
				const { outcome, result } = byId.get(id) as WakeUpResult;
				const isOver = outcome !== 'failed';
				const next = isOver ? due_at : now + pauseAfterFailure(attempts + 1);
				await db.rows(
					`UPDATE ${WAITS} SET state = $2, attempts = attempts + 1, due_at = $3, last_result = $4,
						updated_at = $5
					WHERE id = $1`,
					[id, isOver ? outcome : state, next, result, now],
				);
			}
			// When the next is due has changed.
			await notify(
				db,
				'wake-ups',
				rows.map(({ instance }) => instance),
			);
		});
	}

	async waiting(instance: string): Promise<{ count: number; nextAt: number | null }> {
		const rows = await this.database.rows(
			`SELECT count(*) AS count, min(due_at) FILTER (WHERE state = 'ready') AS "nextAt"
			FROM ${WAITS} WHERE instance = $1 AND state IN ('open', 'ready')`,
			[instance],
		);
		return rows[0] as { count: number; nextAt: number | null };
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
		`SELECT id FROM ${WAITS} WHERE state IN ('resumed', 'over', 'given-up') AND updated_at < $1 LIMIT $2`,
		[before, most],
	);
	return remove(
		db,
		(rows as Array<{ id: string }>).map(({ id }) => id),
	);
}

/** Takes in what is new of the wait's messages; answers whether all have their outcome. */
async function takeNews(db: Db, { id, tracked_mail_goal }: WaitRow): Promise<boolean> {
	const messages = (await db.rows(
		`UPDATE ${MESSAGES} SET has_news = false WHERE wait_id = $1 AND has_news RETURNING *`,
		[id],
	)) as WaitMessageRow[];
	const rows = (await db.rows(
		`SELECT sequence, event FROM ${SCHEMA}.events WHERE message_id = ANY($1)`,
		[messages.map(({ message_id }) => message_id)],
	)) as EventRow[];
	const events = Map.groupBy(rows.map(toEvent), ({ messageId }) => messageId);
	const known = messages.map((row) => ({
		position: row.position,
		...withNews(row, events.get(row.message_id) ?? [], tracked_mail_goal),
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
	return open.length === 0;
}

async function goOn(db: Db, { id }: WaitRow, next: WaitProgress, now: number): Promise<void> {
	await db.rows(
		`UPDATE ${WAITS} SET state = $2, reason = $3, due_at = $4, gives_up_at = $5, updated_at = $6
		WHERE id = $1`,
		[id, next.state, next.reason, next.due_at, next.gives_up_at, now],
	);
}

async function read(db: Db, id: string): Promise<StoredWait | null> {
	const rows = await db.rows(`SELECT * FROM ${WAITS} WHERE id = $1`, [id]);
	const row = rows[0] as WaitRow | undefined;
	return row ? toStoredWait(row, await messagesOf(db, id)) : null;
}

async function messagesOf(db: Db, id: string): Promise<WaitMessageRow[]> {
	const rows = await db.rows(`SELECT * FROM ${MESSAGES} WHERE wait_id = $1 ORDER BY position`, [
		id,
	]);
	return rows as WaitMessageRow[];
}

async function remove(db: Db, ids: readonly string[]): Promise<number> {
	if (ids.length === 0) return 0;
	const rows = await db.rows(`DELETE FROM ${WAITS} WHERE id = ANY($1) RETURNING id`, [ids]);
	await db.rows(`DELETE FROM ${MESSAGES} WHERE wait_id = ANY($1)`, [ids]);
	return rows.length;
}
