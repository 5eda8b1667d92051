import type { BatchSettlement, WakeUp } from '../core/pull-contract.ts';
import type { WaitView, Wait } from '../core/wait-contract.ts';
import {
	IS_OPEN,
	handedOut,
	insertBatches,
	queuedRow,
	settleBatches,
	toBatchView,
	updateBatches,
	wakeUpQueue,
} from '../queue/batch-rows.ts';
import type { BatchView, BatchRow } from '../queue/batch-rows.ts';
import { HttpError } from '../core/http-error.ts';
import type { Db, Engine } from '../store/engine.ts';
import type { Seals } from './seals.ts';
import { columnOf, updateOf } from '../store/statements.ts';
import { futureFrom } from '../time/set-back.ts';
import { dropErased, removeWaits } from './erase.ts';
import { putsInto } from './put-waits.ts';
import { takeNews } from './news.ts';
import { SHOWN_WAITS, awaitedRows, newRow, toResume, toWaitView } from './wait-rows.ts';
import type { Access, ShownWaitRow, AwaitedRow, WaitRow } from './wait-rows.ts';

/** Part of the waits, newest first. */
export interface WaitSlice {
	/** Null for all. */
	messageId: string | null;
	limit: number;
	/** Only those older than the wait of this id. */
	before: string | null;
}

export type Waits = ReturnType<typeof waitsIn>;

const update = updateOf('waits', { id: 'text' }, { due_at: 'bigint' });
// A wait that is registered again meanwhile has another created_at.
const reseal = updateOf('waits', { id: 'text', created_at: 'bigint' }, { sealed: 'text' });

/** How many waits one transaction looks at, so that it never holds up ingest. */
const GATHER_STEP = 20;
const RESEAL_STEP = 200;

/**
 * How long after its deadline, or after it was queued if that is later, a wake-up is given up. By
 * then n8n has woken the execution itself, at its own timeout.
 */
const PATIENCE_MS = 24 * 3_600_000;

/** Not one that n8n has in hand: it is held there until there is capacity. */
const IS_HOPELESS = `wait IS NOT NULL AND ${IS_OPEN} AND created_at <= $1
	AND (state = 'queued' OR due_at <= $2)
	AND EXISTS (SELECT 1 FROM waits WHERE waits.id = wait AND deadline <= $1)`;

const NOBODY_ASKED = 'No n8n asked for it.';
const UNREADABLE =
	'This receiver does not have the encryption key that the wait was stored with: see ENCRYPTION_KEY.';

/**
 * What executions are waiting for. Events count from the moment they are stored, including those from
 * before the wait. One that is over puts a batch into the queue of its n8n, which wakes the execution.
 */
export function waitsIn(database: Engine, seals: Seals) {
	const puts = putsInto(database);
	return {
		/** Replaces an existing wait of this name. Throws `HttpError` 410 if a letter was erased. */
		async put(id: string, wait: Wait, now: number): Promise<WaitView> {
			const { resumeUrl, secret } = wait;
			const sealed = await seals.seal({ resumeUrl, secret } satisfies Access);
			const row = newRow(id, wait, sealed, now);
			const put = await puts.add({ row, awaited: awaitedRows(id, wait) });
			if (put instanceof HttpError) throw put;
			return put;
		},

		get: (id: string) => database.transaction((tx) => read(tx, id)),

		/** Newest first, without outcomes. */
		async list({ messageId, limit, before }: WaitSlice): Promise<WaitView[]> {
			const rows = await database.rows<ShownWaitRow>(
				`${SHOWN_WAITS} WHERE
					($1::text IS NULL
						OR waits.id IN (SELECT wait_id FROM awaited WHERE subject = $1))
					AND ($2::text IS NULL OR (waits.created_at, waits.id) <
						(SELECT w.created_at, w.id FROM waits AS w WHERE w.id = $2))
				ORDER BY waits.created_at DESC, waits.id DESC LIMIT $3`,
				[messageId, before, limit],
			);
			return rows.map((row) => toWaitView(row, []));
		},

		remove: (id: string) => database.transaction((tx) => removeWaits(tx, [id])),

		/**
		 * Merges news into a bounded number of waits, and queues wake-ups for those complete or past
		 * their deadline. Returns whether there may be more.
		 */
		gather(now: number): Promise<boolean> {
			return database.transaction(async (tx) => {
				const due = await tx.rows<WaitRow>(
					`SELECT * FROM waits WHERE due_at <= $1
					ORDER BY due_at LIMIT ${GATHER_STEP} FOR UPDATE SKIP LOCKED`,
					[now],
				);
				const ready: WaitRow[] = [];
				for (const wait of due) {
					if ((await takeNews(tx, wait)) || wait.deadline <= now) ready.push(wait);
				}
				await update(
					tx,
					due.map((wait) => ({
						id: wait.id,
						due_at: ready.includes(wait) ? null : wait.deadline,
					})),
				);
				await insertBatches(
					tx,
					ready.map(({ id, instance }) =>
						queuedRow({ consumer: wakeUpQueue(instance), wait: id }, now),
					),
				);
				for (const { instance } of ready) tx.notices.add(`queue ${wakeUpQueue(instance)}`);
				return due.length === GATHER_STEP;
			});
		},

		/** When `gather` next has something to do, or null. */
		async nextGather(): Promise<number | null> {
			const text = 'SELECT min(due_at) FROM waits WHERE due_at IS NOT NULL';
			return (await columnOf<number | null>(database, text))[0] ?? null;
		},

		/** Whether there is a wake-up that may have to be given up. */
		async anyQueued(): Promise<boolean> {
			const text = `SELECT 1 FROM batches WHERE wait IS NOT NULL AND ${IS_OPEN} LIMIT 1`;
			return (await database.rows(text)).length > 0;
		},

		/** Gives up wake-ups that nobody needs any more; returns them, a bounded number. */
		giveUp(now: number): Promise<BatchView[]> {
			return database.transaction(async (tx) => {
				const hopeless = await tx.rows<BatchRow & { wait: string }>(
					`SELECT * FROM batches WHERE ${IS_HOPELESS} LIMIT ${GATHER_STEP} FOR UPDATE SKIP LOCKED`,
					[now - PATIENCE_MS, now],
				);
				const dead = hopeless.map((row) => ({
					...row,
					state: 'dead' as const,
					holder: null,
					reason: row.reason ?? NOBODY_ASKED,
					updated_at: now,
				}));
				await updateBatches(tx, dead);
				await dropErased(
					tx,
					dead.map(({ wait }) => wait),
				);
				return dead.map(toBatchView);
			});
		},

		/**
		 * Up to `most` wake-ups of an n8n that are due. Nobody else gets them until they are settled or
		 * their ack wait ends. One that no key decrypts has failed.
		 */
		async lease(
			{ instance, holder, most }: { instance: string; holder: string; most: number },
			now: number,
		): Promise<WakeUp[]> {
			const key = wakeUpQueue(instance);
			const leased = await database.transaction(async (tx) => {
				const due = await tx.rows<BatchRow & { wait: string }>(
					`SELECT * FROM batches WHERE consumer = $1 AND ${IS_OPEN} AND (due_at <= $2 OR updated_at > $4)
					ORDER BY number LIMIT $3 FOR UPDATE SKIP LOCKED`,
					[key, now, most, futureFrom(now)],
				);
				await updateBatches(
					tx,
					due.map((row) => handedOut(row, holder, now)),
				);
				const waits = await tx.rows<WaitRow>('SELECT * FROM waits WHERE id = ANY($1)', [
					due.map(({ wait }) => wait),
				]);
				const byId = new Map(waits.map((wait) => [wait.id, wait]));
				const filled: Array<Pick<WakeUp, 'id' | 'resume'> & { sealed: string }> = [];
				for (const { id, wait } of due) {
					const row = byId.get(wait) as WaitRow;
					await takeNews(tx, row);
					const resume = toResume(wait, await awaitedOf(tx, wait));
					filled.push({ id, resume, sealed: row.sealed });
				}
				return filled;
			});
			const wakeUps: WakeUp[] = [];
			const unreadable: BatchSettlement[] = [];
			for (const { id, resume, sealed } of leased) {
				const access = (await seals.open(sealed)) as Access | null;
				if (access !== null) wakeUps.push({ id, ...access, resume });
				else unreadable.push({ batch: id, outcome: 'nak', reason: UNREADABLE });
			}
			if (unreadable.length > 0) {
				const settling = { key, holder, settle: unreadable };
				await database.transaction((tx) => settleBatches(tx, settling, now));
			}
			return wakeUps;
		},

		/** How many were given up, and wait for a person. */
		async dead(): Promise<number> {
			const text = `SELECT count(*) FROM batches WHERE state = 'dead' AND wait IS NOT NULL`;
			return (await columnOf<number>(database, text))[0] ?? 0;
		},

		/** How many have been due since before then, and since when the first. */
		async late(before: number): Promise<{ count: number; since: number | null }> {
			const text = `SELECT count(*) AS count, min(created_at) AS since FROM batches
				WHERE wait IS NOT NULL AND ${IS_OPEN} AND created_at <= $1`;
			interface Late {
				count: number;
				since: number | null;
			}
			const [late] = (await database.rows(text, [before])) as [Late];
			return late;
		},

		/**
		 * Re-encrypts with the current key what an earlier one encrypted, so that the earlier one can be
		 * removed. Returns how many waits no key decrypts: those executions can't be woken.
		 */
		async reseal(): Promise<number> {
			let unreadable = 0;
			let after = '';
			for (;;) {
				const rows = await database.rows<WaitRow>(
					`SELECT * FROM waits WHERE id > $1 AND substr(sealed, 1, ${seals.prefix.length}) <> $2
					ORDER BY id LIMIT ${RESEAL_STEP}`,
					[after, seals.prefix],
				);
				const resealed: WaitRow[] = [];
				for (const row of rows) {
					const access = (await seals.open(row.sealed)) as Access | null;
					if (access !== null) resealed.push({ ...row, sealed: await seals.seal(access) });
				}
				if (resealed.length > 0) await database.transaction((tx) => reseal(tx, resealed));
				unreadable += rows.length - resealed.length;
				const last = rows.at(-1);
				if (last === undefined) return unreadable;
				after = last.id;
			}
		},

		/**
		 * Whether an execution of this n8n sleeps, and when its next wake-up falls due, or null. Each pull
		 * asks: there may be hundreds of thousands, so nothing is counted.
		 */
		async waiting(instance: string, now: number): Promise<{ any: boolean; nextAt: number | null }> {
			const queued = `FROM batches WHERE consumer = $2 AND wait IS NOT NULL AND ${IS_OPEN}`;
			const [{ next, isAhead, sleeps }] = (await database.rows(
				`SELECT (SELECT min(due_at) ${queued}) AS next,
					EXISTS (SELECT 1 ${queued} AND updated_at > $3) AS "isAhead",
					EXISTS (SELECT 1 FROM waits WHERE instance = $1 AND due_at IS NOT NULL) AS sleeps`,
				[instance, wakeUpQueue(instance), futureFrom(now)],
			)) as [{ next: number | null; isAhead: boolean; sleeps: boolean }];
			return { any: Boolean(sleeps) || next !== null, nextAt: isAhead ? 0 : next };
		},
	};
}

async function read(db: Db, id: string): Promise<WaitView | null> {
	const [row] = await db.rows<ShownWaitRow>(`${SHOWN_WAITS} WHERE waits.id = $1`, [id]);
	return row === undefined ? null : toWaitView(row, await awaitedOf(db, id));
}

function awaitedOf(db: Db, id: string): Promise<AwaitedRow[]> {
	return db.rows('SELECT * FROM awaited WHERE wait_id = $1 ORDER BY position', [id]);
}
