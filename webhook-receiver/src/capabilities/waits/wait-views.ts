import type { WaitView } from '../../core/wait-contract.ts';
import type { BatchRow } from '../../queue/batch-rows.ts';
import type { Db, Engine } from '../../sql/engine.ts';
import { iso } from '../../time/iso.ts';
import { outcomesOf, toOutcome } from './outcomes.ts';
import type { Awaited } from './outcomes.ts';
import type { WaitRow } from './wait-rows.ts';

/** Part of the waits, newest first. */
interface WaitSlice {
	/** Only those for this letter or consent, as in records; null for all. */
	subject: string | null;
	limit: number;
	/** Only those older than the wait of this id. */
	before: string | null;
}

/** Newest first, without outcomes. */
export async function listWaits(
	db: Db,
	{ subject, limit, before }: WaitSlice,
): Promise<WaitView[]> {
	const rows = await db.rows<ShownWaitRow>(
		`${SHOWN_WAITS} WHERE
			($1::text IS NULL
				OR waits.id IN (SELECT wait_id FROM awaited WHERE subject = $1))
			AND ($2::text IS NULL OR (waits.created_at, waits.id) <
				(SELECT w.created_at, w.id FROM waits AS w WHERE w.id = $2))
		ORDER BY waits.created_at DESC, waits.id DESC LIMIT $3`,
		[subject, before, limit],
	);
	return rows.map((row) => toWaitView(row, []));
}

export function findWait(database: Engine, id: string): Promise<WaitView | null> {
	return database.transaction(async (tx) => {
		const [row] = await tx.rows<ShownWaitRow>(`${SHOWN_WAITS} WHERE waits.id = $1`, [id]);
		return row ? toWaitView(row, (await outcomesOf(tx, [row])).get(id) ?? []) : null;
	});
}

type WakeUpColumns = Pick<BatchRow, 'state' | 'attempts' | 'reason' | 'updated_at'>;

/** A wait with the batch that wakes its execution, if there is one. */
type ShownWaitRow = WaitRow & { batch: string | null } & {
	[Name in keyof WakeUpColumns]: WakeUpColumns[Name] | null;
};

export const NOT_WOKEN = {
	batch: null,
	state: null,
	attempts: null,
	reason: null,
	updated_at: null,
};

const SHOWN_WAITS = `
	SELECT waits.*, batches.id AS batch, state, attempts, reason, updated_at
	FROM waits LEFT JOIN batches ON batches.wait = waits.id`;

export function toWaitView(row: ShownWaitRow, outcomes: readonly Awaited[]): WaitView {
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
