import type { Transaction } from '../sql/engine.ts';
import { putRecords } from './record-rows.ts';
import type { RecordRow } from './record-rows.ts';

/** A record that changes, in the transaction that has locked it. */
export interface RecordChange {
	/** Null for one that is new. */
	before: RecordRow | null;
	row: RecordRow;
}

/** Or one that goes. */
export type Learned = RecordChange | { before: RecordRow; row: null };

/** What capabilities do with each change, whatever brought it. */
export interface LearnHooks {
	/** The row with what the capability keeps in it. */
	amend?(change: RecordChange, now: number): RecordRow;
	/** In the same transaction. */
	changed?(tx: Transaction, learned: readonly Learned[]): Promise<void>;
}

/** Stores records that have changed, and removes those that go. */
export type Learn = (tx: Transaction, learned: readonly Learned[], now: number) => Promise<void>;

/** @param capabilities complete when the first change comes */
export function learning(capabilities: readonly LearnHooks[]): Learn {
	return async (tx, learned, now) => {
		if (learned.length === 0) return;
		// Of one that changes twice, the last row is stored.
		const last = new Map(learned.map((one) => [(one.row ?? one.before).subject, one]));
		const amended = [...last.values()].map((change) => {
			if (change.row === null) return change;
			const { before } = change;
			const row = capabilities.reduce(
				(next, { amend }) => amend?.({ before, row: next }, now) ?? next,
				change.row,
			);
			return { before, row };
		});
		const gone = amended.flatMap(({ before, row }) => (row === null ? [before.subject] : []));
		await Promise.all([
			putRecords(
				tx,
				amended.flatMap(({ row }) => row ?? []),
			),
			gone.length > 0 && tx.rows('DELETE FROM records WHERE subject = ANY($1)', [gone]),
			...capabilities.map(({ changed }) => changed?.(tx, amended)),
		]);
	};
}
