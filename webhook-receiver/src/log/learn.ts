import type { Transaction } from '../sql/engine.ts';
import { storeRecords } from './record-rows.ts';
import type { RecordChange, RecordRow } from './record-rows.ts';

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
		const amended = changes.map(({ before, row: given }) => {
			const row = capabilities.reduce(
				(next, { amend }) => amend?.({ before, row: next }, now) ?? next,
				given,
			);
			return { before, row };
		});
		const rows = amended.map(({ row }) => row);
		const told = capabilities.map(({ changed }) => changed?.(tx, rows));
		await Promise.all([storeRecords(tx, amended), ...told]);
	};
}
