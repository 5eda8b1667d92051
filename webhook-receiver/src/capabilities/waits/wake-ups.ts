import type { BatchSettlement, WakeUp } from '../../core/pull-contract.ts';
import type { Resume } from '../../core/wait-contract.ts';
import {
	IS_OPEN,
	handedOut,
	settleBatches,
	updateBatches,
	wakeUpQueue,
} from '../../queue/batch-rows.ts';
import type { BatchRow } from '../../queue/batch-rows.ts';
import type { WakeUpSource } from '../../queue/consumers.ts';
import type { Db, Engine } from '../../sql/engine.ts';
import { columnOf } from '../../sql/statements.ts';
import { futureFrom } from '../../time/set-back.ts';
import { outcomesOf, toOutcome } from './outcomes.ts';
import type { Awaited } from './outcomes.ts';
import type { Seals } from './seals.ts';
import { dropErased } from './wait-rows.ts';
import type { Access, WaitRow } from './wait-rows.ts';

// The batches that wake executions, one for each wait that is over.

type WakeUpRow = BatchRow & { wait: string };

/**
 * How long after its deadline, or after it was queued if that is later, a wake-up is given up. By
 * then n8n has woken the execution itself, at its own timeout.
 */
export const PATIENCE_MS = 24 * 3_600_000;

/** How many one transaction gives up, so that it never holds up ingest. */
const GIVEN_UP_AT_ONCE = 20;

/** Not one that n8n has in hand: it is held there until there is capacity. */
const IS_HOPELESS = `wait IS NOT NULL AND ${IS_OPEN} AND created_at <= $1
	AND (state = 'queued' OR due_at <= $2)
	AND EXISTS (SELECT 1 FROM waits WHERE waits.id = wait AND deadline <= $1)`;

const NOBODY_ASKED = 'No n8n asked for it.';
const UNREADABLE =
	'This receiver does not have the encryption key that the wait was stored with: see ENCRYPTION_KEY.';

/** What pulls fetch of them. */
export function wakeUpsIn(database: Engine, seals: Seals): WakeUpSource {
	return {
		ended: dropErased,

		/** Each pull asks: there may be hundreds of thousands, so nothing is counted. */
		async waiting(instance, now) {
			const queued = `FROM batches WHERE consumer = $2 AND wait IS NOT NULL AND ${IS_OPEN}`;
			const [{ next, isAhead, sleeps }] = (await database.rows(
				`SELECT (SELECT min(due_at) ${queued}) AS next,
					EXISTS (SELECT 1 ${queued} AND updated_at > $3) AS "isAhead",
					EXISTS (SELECT 1 FROM waits WHERE instance = $1 AND due_at IS NOT NULL) AS sleeps`,
				[instance, wakeUpQueue(instance), futureFrom(now)],
			)) as [{ next: number | null; isAhead: boolean; sleeps: boolean }];
			return { any: Boolean(sleeps) || next !== null, nextAt: isAhead ? 0 : next };
		},

		/** One that no key decrypts has failed. */
		async lease({ instance, holder, most }, now) {
			const key = wakeUpQueue(instance);
			const leased = await database.transaction(async (tx) => {
				const due = await tx.rows<WakeUpRow>(
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
			const settle: BatchSettlement[] = [];
			for (const { id, resume, sealed } of leased) {
				const access = sealed === null ? null : ((await seals.open(sealed)) as Access | null);
				if (access !== null) wakeUps.push({ id, ...access, resume });
				else if (sealed !== null) settle.push({ batch: id, outcome: 'nak', reason: UNREADABLE });
				// Withdrawn while a person handed its wake-up out again.
				else settle.push({ batch: id, outcome: 'ack' });
			}
			if (settle.length > 0) {
				await database.transaction((tx) => settleBatches(tx, { key, holder, settle }, now));
			}
			return wakeUps;
		},
	};
}

/** Gives up those that nobody needs any more; returns them, a bounded number. */
export function giveUp(database: Engine, now: number): Promise<WakeUpRow[]> {
	return database.transaction(async (tx) => {
		const hopeless = await tx.rows<WakeUpRow>(
			`SELECT * FROM batches WHERE ${IS_HOPELESS} LIMIT ${GIVEN_UP_AT_ONCE} FOR UPDATE SKIP LOCKED`,
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
		return dead;
	});
}

/** Whether there is one that may have to be given up. */
export async function anyQueued(db: Db): Promise<boolean> {
	const text = `SELECT 1 FROM batches WHERE wait IS NOT NULL AND ${IS_OPEN} LIMIT 1`;
	return (await db.rows(text)).length > 0;
}

/** How many were given up, and wait for a person. */
export async function countDead(db: Db): Promise<number> {
	const text = `SELECT count(*) FROM batches WHERE state = 'dead' AND wait IS NOT NULL`;
	return (await columnOf<number>(db, text))[0] ?? 0;
}

/** How many have been due since before then, and since when the first. */
export async function findLate(
	db: Db,
	before: number,
): Promise<{ count: number; since: number | null }> {
	const [late] = (await db.rows(
		`SELECT count(*) AS count, min(created_at) AS since FROM batches
		WHERE wait IS NOT NULL AND ${IS_OPEN} AND created_at <= $1`,
		[before],
	)) as [{ count: number; since: number | null }];
	return late;
}

function toResume(waitId: string, outcomes: readonly Awaited[]): Resume {
	const isComplete = outcomes.every(({ isFinal }) => isFinal);
	const reason = isComplete ? 'complete' : 'deadline';
	return { waitId, reason, outcomes: outcomes.map(toOutcome) };
}
