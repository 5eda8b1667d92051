import type { Transaction } from '../sql/engine.ts';
import { putRecords } from './record-rows.ts';
import type { RecordRow } from './record-rows.ts';

/** A record that changes, in the transaction that has locked it. */
export interface RecordChange {
	/** Null for one that is new. */
	before: RecordRow | null;
	row: RecordRow;
}

/** What capabilities do with each change, whatever brought it. */
export interface LearnHooks {
	/** The row with what the capability keeps in it. */
	amend?(change: RecordChange, now: number): RecordRow;
	/** In the same transaction. */
	changed?(tx: Transaction, rows: readonly RecordRow[]): Promise<void>;
}

/** Stores records that have changed. */
export type Learn = (
	tx: Transaction,
	changes: readonly RecordChange[],
	now: number,
) => Promise<void>;

/** @param capabilities complete when the first change comes */
export function learning(capabilities: readonly LearnHooks[]): Learn {
	return async (tx, changes, now) => {
		if (changes.length === 0) return;
		const rows = changes.map(({ before, row }) =>
			capabilities.reduce((next, { amend }) => amend?.({ before, row: next }, now) ?? next, row),
		);
		const told = capabilities.map(({ changed }) => changed?.(tx, rows));
		await Promise.all([putRecords(tx, rows), ...told]);
	};
}
