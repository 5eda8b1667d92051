import type { Kernel } from '../../capability.ts';
import { HttpError } from '../../core/http-error.ts';
import type { Wait, WaitView } from '../../core/wait-contract.ts';
import type { Learned } from '../../log/learn.ts';
import { erasedOf, isErased, messageErased } from '../../log/record-rows.ts';
import { IS_OPEN, insertBatches, queuedRow, wakeUpQueue } from '../../queue/batch-rows.ts';
import { Batcher } from '../../sql/batcher.ts';
import type { Db, Transaction, Turn } from '../../sql/engine.ts';
import { CLEAN_AT_ONCE, columnOf, updateOf } from '../../sql/statements.ts';
import type { Cleaning } from '../../sql/statements.ts';
import { keepRecords } from './keep-records.ts';
import { openOf, outcomesOf } from './outcomes.ts';
import {
	awaitedRows,
	dropErased,
	insertAwaited,
	insertWaits,
	removeWaits,
	waitRow,
} from './wait-rows.ts';
import type { Seals } from './seals.ts';
import type { Access, NewWait, WaitRow } from './wait-rows.ts';
import { NOT_WOKEN, toWaitView } from './wait-views.ts';
import { PATIENCE_MS } from './wake-ups.ts';

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
 * What executions are waiting for. Events count from the moment they are stored, including those from
 * before the wait. One that is over puts a batch into the queue of its n8n, which wakes the execution.
 */
export function waitsIn(kernel: Kernel, seals: Seals) {
	const { database, config } = kernel;

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
		const fresh = [...new Map(accepted.map((one) => [one.row.id, one])).values()];
		const rows = fresh.map(({ row }) => row);
		await removeWaits(
			tx,
			rows.map(({ id }) => id),
		);
		await insertWaits(tx, rows);
		await insertAwaited(
			tx,
			fresh.flatMap(({ awaited }) => awaited),
		);
		await keepRecords(tx, kernel.watches, fresh, PATIENCE_MS + config.RETENTION);
		// For the other receivers, one of which may outlive this one.
		if (fresh.length > 0) tx.notices.add('due');
		if (rows.some(({ awaits }) => awaits === 'consents')) tx.notices.add('wants');
		const outcomes = await outcomesOf(tx, rows);
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
			// One that is dead may be handed out again: its node wants to hear of all that it waits for.
			const awake = await columnOf<string>(
				tx,
				`SELECT wait FROM batches WHERE state = 'done'
					AND wait IN (SELECT wait_id FROM awaited WHERE subject = ANY($1))`,
				[erased],
			);
			await dropErased(tx, awake);
		},

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
				await database.transaction((tx) => reseal(tx, resealed));
				unreadable += rows.length - resealed.length;
				const last = rows.at(-1);
				if (last === undefined) return unreadable;
				after = last.id;
			}
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
