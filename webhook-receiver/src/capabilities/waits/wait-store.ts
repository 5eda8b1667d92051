import type { Watches } from '../../capability.ts';
import { HttpError } from '../../core/http-error.ts';
import type { BatchSettlement, WakeUp } from '../../core/pull-contract.ts';
import type { Resume, Wait, WaitView } from '../../core/wait-contract.ts';
import type { Learned } from '../../log/learn.ts';
import { erasedOf, idOf, isErased, messageErased } from '../../log/record-rows.ts';
import {
	IS_OPEN,
	handedOut,
	insertBatches,
	queuedRow,
	settleBatches,
	updateBatches,
	wakeUpQueue,
} from '../../queue/batch-rows.ts';
import type { BatchRow } from '../../queue/batch-rows.ts';
import { Batcher } from '../../sql/batcher.ts';
import type { Cleaning } from '../../sql/statements.ts';
import type { Db, Engine, Transaction, Turn } from '../../sql/engine.ts';
import { CLEAN_AT_ONCE, columnOf, updateOf } from '../../sql/statements.ts';
import { iso } from '../../time/iso.ts';
import { futureFrom } from '../../time/set-back.ts';
import { keepRecords } from './keep-records.ts';
import { openOf, outcomesOf } from './outcomes.ts';
import type { Awaited } from './outcomes.ts';
import type { Seals } from './seals.ts';
import { awaitedRows, insertAwaited, insertWaits, waitRow } from './wait-rows.ts';
import type { Access, NewWait, WaitRow } from './wait-rows.ts';

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

/** Of how many letters and consents new waits are stored in one transaction, unless a single one has more. */
const PUT_TOGETHER = 1_000;

/** How many waits one transaction looks at, so that it never holds up ingest. */
const GATHER_AT_ONCE = 20;
const RESEAL_AT_ONCE = 200;

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

/** What waits need of the receiver. */
export interface WaitParts {
	database: Engine;
	seals: Seals;
	watches: () => Watches | undefined;
	/** How long what has ended is kept, in milliseconds. */
	keepMs: number;
}

/**
 * What executions are waiting for. Events count from the moment they are stored, including those from
 * before the wait. One that is over puts a batch into the queue of its n8n, which wakes the execution.
 */
export function waitsIn({ database, seals, watches, keepMs }: WaitParts) {
	/**
	 * Registers waits; answers with an error for one that awaits an erased letter. In turn with the events: one
	 * being stored either sees a new wait, or is committed before it, so that the wait's first look finds it.
	 * Many together, since a turn that is over soon holds up no event.
	 */
	const puts = new Batcher(
		(all: NewWait[]) => database.inTurn((tx) => put(tx, all)),
		PUT_TOGETHER,
		({ awaited }) => awaited.length,
	);

	async function put(tx: Turn, all: readonly NewWait[]): Promise<Array<WaitView | HttpError>> {
		const subjects = all.flatMap(({ awaited }) => awaited.map(({ subject }) => subject));
		const erased = new Set(await erasedOf(tx, subjects));
		const errors = all.map(({ awaited }) => {
			const own = awaited.map(({ subject }) => subject).filter((subject) => erased.has(subject));
			return own.length > 0 ? messageErased(own) : null;
		});
		const accepted = all.filter((_, index) => errors[index] === null);
		// Of several under one name the last counts.
		const byId = new Map(accepted.map((one) => [one.row.id, one]));
		const fresh = [...byId.values()];
		await removeWaits(tx, [...byId.keys()]);
		await insertWaits(
			tx,
			fresh.map(({ row }) => row),
		);
		await insertAwaited(
			tx,
			fresh.flatMap(({ awaited }) => awaited),
		);
		await keepRecords(tx, watches(), fresh, PATIENCE_MS + keepMs);
		// For the other receivers, one of which may outlive this one.
		if (fresh.length > 0) tx.notices.add('due');
		if (fresh.some(({ row }) => row.awaits === 'consents')) tx.notices.add('wants');
		const outcomes = await outcomesOf(
			tx,
			fresh.map(({ row }) => row),
		);
		return all.map(({ row }, index) => {
			return errors[index] ?? toWaitView({ ...row, ...NOT_WOKEN }, outcomes.get(row.id) ?? []);
		});
	}

	return {
		/** Replaces an existing wait of this name. Throws `HttpError` 410 if a letter was erased. */
		async put(id: string, wait: Wait, now: number): Promise<WaitView> {
			const { resumeUrl, secret } = wait;
			const sealed = await seals.seal({ resumeUrl, secret } satisfies Access);
			const row = waitRow(id, wait, sealed, now);
			const stored = await puts.add({ wait, row, awaited: awaitedRows(id, wait) });
			if (stored instanceof HttpError) throw stored;
			return stored;
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

		/** Those that wait for one of these have something to look at. */
		async changed(tx: Transaction, learned: readonly Learned[]): Promise<void> {
			const rows = learned.flatMap(({ row }) => row ?? []);
			const subjects = rows.map(({ subject }) => subject);
			const contacts = rows.flatMap(({ contact }) => contact ?? []);
			const waits = await columnOf<string>(
				tx,
				// In a fixed order, so that two never block each other.
				`SELECT id FROM waits WHERE due_at IS NOT NULL AND id IN (
					SELECT wait_id FROM awaited WHERE subject = ANY($1)
						${contacts.length === 0 ? '' : `OR subject IN (SELECT subject FROM records WHERE contact IS NOT NULL AND contact = ANY($2))`}
				) ORDER BY id FOR UPDATE`,
				contacts.length === 0 ? [subjects] : [subjects, contacts],
			);
			if (waits.length > 0) {
				await tx.rows('UPDATE waits SET due_at = 0 WHERE id = ANY($1)', [waits]);
				tx.notices.add('due');
			}
			const erased = rows.filter(isErased).map(({ subject }) => subject);
			if (erased.length === 0) return;
			const over = await columnOf<string>(
				tx,
				`SELECT wait FROM batches WHERE state IN ('done', 'dead')
					AND wait IN (SELECT wait_id FROM awaited WHERE subject = ANY($1))`,
				[erased],
			);
			await dropErased(tx, over);
		},

		ended: dropErased,

		/**
		 * Looks at a bounded number of waits, and queues wake-ups for those complete or with a deadline up to
		 * `over`. Returns whether there may be more.
		 */
		gather(now: number, over: number): Promise<boolean> {
			return database.transaction(async (tx) => {
				const due = await tx.rows<WaitRow>(
					`SELECT * FROM waits WHERE due_at <= $1
					ORDER BY due_at LIMIT ${GATHER_AT_ONCE} FOR UPDATE SKIP LOCKED`,
					[over],
				);
				if (due.length === 0) return false;
				const open = await openOf(tx, due, over);
				const others = due.filter(({ id }) => !open.has(id));
				const outcomes = await outcomesOf(tx, others);
				const isReady = (wait: WaitRow) =>
					wait.deadline <= over || (outcomes.get(wait.id) ?? []).every(({ isFinal }) => isFinal);
				const ready = others.filter(isReady);
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
				return due.length === GATHER_AT_ONCE;
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
		giveUp(now: number): Promise<Array<BatchRow & { wait: string }>> {
			return database.transaction(async (tx) => {
				const hopeless = await tx.rows<BatchRow & { wait: string }>(
					`SELECT * FROM batches WHERE ${IS_HOPELESS} LIMIT ${GATHER_AT_ONCE} FOR UPDATE SKIP LOCKED`,
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
				return dead;
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
				const outcomes = await outcomesOf(tx, waits);
				return due.map(({ id, wait }) => {
					const sealed = waits.find((row) => row.id === wait)?.sealed ?? null;
					return { id, resume: toResume(wait, outcomes.get(wait) ?? []), sealed };
				});
			});
			const wakeUps: WakeUp[] = [];
			const unreadable: BatchSettlement[] = [];
			for (const { id, resume, sealed } of leased) {
				// Withdrawn while a person handed its wake-up out again.
				if (sealed === null) {
					unreadable.push({ batch: id, outcome: 'ack' });
					continue;
				}
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
					ORDER BY id LIMIT ${RESEAL_AT_ONCE}`,
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

/** Those that were woken, or given up, long ago; returns whether there may be more. */
export async function cleanWaits(db: Db, { before }: Cleaning): Promise<boolean> {
	const ids = await columnOf<string>(
		db,
		`SELECT wait FROM batches WHERE wait IS NOT NULL AND state IN ('done', 'dead')
			AND updated_at < $1 LIMIT ${CLEAN_AT_ONCE} FOR UPDATE SKIP LOCKED`,
		[before],
	);
	await removeWaits(db, ids);
	return ids.length === CLEAN_AT_ONCE;
}

/** Whether an execution waits for consents. */
export async function awaitsConsents(db: Db): Promise<boolean> {
	const waits = await db.rows(
		// One that is being woken may wait on, for an answer to its reminder.
		`SELECT 1 FROM waits WHERE awaits = 'consents' AND (
			due_at IS NOT NULL OR id IN (SELECT wait FROM batches WHERE wait IS NOT NULL AND ${IS_OPEN})
		) LIMIT 1`,
	);
	return waits.length > 0;
}

type WakeUpRow = Pick<BatchRow, 'state' | 'attempts' | 'reason' | 'updated_at'>;

/** A wait with the batch that wakes its execution, if there is one. */
type ShownWaitRow = WaitRow & { batch: string | null } & {
	[Name in keyof WakeUpRow]: WakeUpRow[Name] | null;
};

const NOT_WOKEN = { batch: null, state: null, attempts: null, reason: null, updated_at: null };

const SHOWN_WAITS = `
	SELECT waits.*, batches.id AS batch, state, attempts, reason, updated_at
	FROM waits LEFT JOIN batches ON batches.wait = waits.id`;

function toWaitView(row: ShownWaitRow, outcomes: readonly Awaited[]): WaitView {
	return {
		waitId: row.id,
		instance: row.instance,
		state: row.state ?? 'open',
		target: row.target,
		deadline: iso(row.deadline),
		trackedMailGoal: row.tracked_mail_goal,
		batch: row.batch,
		attempts: row.attempts ?? 0,
		lastResult: row.reason,
		createdAt: iso(row.created_at),
		updatedAt: iso(row.updated_at ?? row.created_at),
		outcomes: outcomes.map(toOutcome),
	};
}

function toResume(waitId: string, outcomes: readonly Awaited[]): Resume {
	const isComplete = outcomes.every(({ isFinal }) => isFinal);
	return {
		waitId,
		reason: isComplete ? 'complete' : 'deadline',
		outcomes: outcomes.map(toOutcome),
	};
}

function toOutcome({ subject, isFinal: _, ...outcome }: Awaited) {
	return { id: idOf(subject), ...outcome };
}

async function read(db: Db, id: string): Promise<WaitView | null> {
	const [row] = await db.rows<ShownWaitRow>(`${SHOWN_WAITS} WHERE waits.id = $1`, [id]);
	return row === undefined ? null : toWaitView(row, (await outcomesOf(db, [row])).get(id) ?? []);
}

/** Once nobody has to be told of it, nothing says any more that somebody waited for what was erased. */
async function dropErased(tx: Transaction, waits: readonly string[]): Promise<void> {
	if (waits.length === 0) return;
	await tx.rows(
		`DELETE FROM awaited WHERE wait_id = ANY($1)
			AND subject IN (SELECT subject FROM records WHERE record IS NULL)`,
		[waits],
	);
	const empty = await columnOf<string>(
		tx,
		`SELECT id FROM waits WHERE id = ANY($1)
			AND NOT EXISTS (SELECT 1 FROM awaited WHERE wait_id = waits.id)`,
		[waits],
	);
	await removeWaits(tx, empty);
}

/** Removes waits, with what would wake their executions. */
async function removeWaits(db: Db, ids: readonly string[]): Promise<void> {
	if (ids.length === 0) return;
	// The waits first: one that `gather` has locked is deleted after it, so that the batch it queues goes too.
	await db.rows('DELETE FROM waits WHERE id = ANY($1)', [ids]);
	await db.rows('DELETE FROM batches WHERE wait = ANY($1)', [ids]);
	await db.rows('DELETE FROM awaited WHERE wait_id = ANY($1)', [ids]);
}
