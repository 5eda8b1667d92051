import type { Learned } from '../../log/learn.ts';
import type { RecordRow } from '../../log/record-rows.ts';
import type { Db, Transaction } from '../../sql/engine.ts';
import { createTable, insertInto } from '../../sql/statements.ts';
import type { RowOf } from '../../sql/statements.ts';

// How many letters of a kind began in a week: to count a million letters one by one takes too long, and so would
// the days of years.
const COUNTED = { kind: 'text', week: 'bigint' } as const;
const COUNT = { count: 'bigint' } as const;

export const WEEK_MS = 7 * 24 * 3_600_000;

export const COUNTS_TABLE = `
	${createTable('letter_counts', 'PRIMARY KEY (kind, week)', { ...COUNTED, ...COUNT })}
	INSERT INTO letter_counts (kind, week, count)
		SELECT kind, began_at / ${WEEK_MS}, count(*) FROM records
		WHERE kind IS NOT NULL GROUP BY kind, began_at / ${WEEK_MS};
`;

const addCounts = insertInto(
	'letter_counts',
	{ ...COUNTED, ...COUNT },
	'ON CONFLICT (kind, week) DO UPDATE SET count = letter_counts.count + excluded.count',
);

/** Counts a letter anew with each change of its row, in the same transaction. */
export async function countLetters(tx: Transaction, learned: readonly Learned[]): Promise<void> {
	const counts = new Map<string, RowOf<typeof COUNTED & typeof COUNT>>();
	const add = (row: RecordRow | null, by: number) => {
		if (row === null || row.kind === null || row.began_at === null) return;
		const { kind } = row;
		const week = Math.floor(row.began_at / WEEK_MS);
		const place = `${week} ${kind}`;
		counts.set(place, { kind, week, count: (counts.get(place)?.count ?? 0) + by });
	};
	for (const { before, row } of learned) {
		add(before, -1);
		add(row, 1);
	}
	await addCounts(
		tx,
		[...counts.values()].filter(({ count }) => count !== 0),
	);
}

/** Kinds of which no letter is left. */
export async function cleanCounts(db: Db): Promise<boolean> {
	await db.rows('DELETE FROM letter_counts WHERE count = 0');
	return false;
}
