import type { BatchRow, NewBatchRow } from '../consumer-rows.ts';
import type { Db } from './connect.ts';
import { SCHEMA } from './schema.ts';

/** Stores new batches, numbered in this order; answers the numbers. */
export async function insertBatches(db: Db, rows: readonly NewBatchRow[]): Promise<number[]> {
	if (rows.length === 0) return [];
	const column = <Name extends keyof NewBatchRow>(name: Name) => rows.map((row) => row[name]);
	const inserted = await db.rows(
		`INSERT INTO ${SCHEMA}.batches (id, consumer, sequences, messages, size, state, attempts,
			failures, holder, due_at, reason, created_at, updated_at)
		SELECT id, consumer, sequences, messages, size, state, attempts, failures, holder, due_at,
			reason, created_at, updated_at
		FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::int[],
			$8::int[], $9::text[], $10::bigint[], $11::text[], $12::bigint[], $13::bigint[])
			WITH ORDINALITY AS fresh (id, consumer, sequences, messages, size, state, attempts, failures,
				holder, due_at, reason, created_at, updated_at, place)
		ORDER BY place RETURNING number`,
		[
			...[column('id'), column('consumer'), column('sequences'), column('messages')],
			...[column('size'), column('state'), column('attempts'), column('failures')],
			...[column('holder'), column('due_at'), column('reason')],
			...[column('created_at'), column('updated_at')],
		],
	);
	return (inserted as Array<{ number: number }>).map(({ number }) => number);
}

/** Writes what changes of batches: their events never do. */
export async function updateBatches(db: Db, rows: readonly BatchRow[]): Promise<void> {
	if (rows.length === 0) return;
	const column = <Name extends keyof BatchRow>(name: Name) => rows.map((row) => row[name]);
	await db.rows(
		`UPDATE ${SCHEMA}.batches AS present SET state = next.state, attempts = next.attempts,
			failures = next.failures, holder = next.holder, due_at = next.due_at, reason = next.reason,
			updated_at = next.updated_at
		FROM unnest($1::bigint[], $2::text[], $3::int[], $4::int[], $5::text[], $6::bigint[],
			$7::text[], $8::bigint[])
			AS next (number, state, attempts, failures, holder, due_at, reason, updated_at)
		WHERE present.number = next.number`,
		[
			...[column('number'), column('state'), column('attempts'), column('failures')],
			...[column('holder'), column('due_at'), column('reason'), column('updated_at')],
		],
	);
}
