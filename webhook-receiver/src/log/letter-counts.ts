import type { LetterOutcome } from '../core/letter-contract.ts';
import { letterOutcomeOf, statusOf } from '../core/records.ts';
import type { LetterRecord } from '../core/records.ts';
import type { Db } from '../sql/engine.ts';
import { createTable, insertInto } from '../sql/statements.ts';
import type { RowOf } from '../sql/statements.ts';

// How many letters of a kind began in a week: to count a million letters one by one takes too long, and so would
// the days of years.
const COUNTED = { kind: 'text', week: 'bigint' } as const;
const COUNT = { count: 'bigint' } as const;

export const WEEK_MS = 7 * 24 * 3_600_000;

export const LETTER_COUNTS_TABLE = createTable('letter_counts', 'PRIMARY KEY (kind, week)', {
	...COUNTED,
	...COUNT,
});

/** What people count letters by. */
export type Kind = [outcome: LetterOutcome, status: string | null, workflow: string | null];

export function kindOf(record: LetterRecord): string {
	const workflow = record.origin?.workflow.id ?? null;
	return JSON.stringify([letterOutcomeOf(record), statusOf(record), workflow] satisfies Kind);
}

/** The part of a letter's row that is counted; nulls for what is in no book. */
interface Counted {
	kind: string | null;
	began_at: number | null;
}

const addCounts = insertInto(
	'letter_counts',
	{ ...COUNTED, ...COUNT },
	'ON CONFLICT (kind, week) DO UPDATE SET count = letter_counts.count + excluded.count',
);

/** Counts a letter anew with each change of its row, in the same transaction. */
export async function countLetters(
	db: Db,
	changes: ReadonlyArray<{ before: Counted | null; row: Counted | null }>,
): Promise<void> {
	const counts = new Map<string, RowOf<typeof COUNTED & typeof COUNT>>();
	const add = (one: Counted | null, by: number) => {
		if (one === null || one.kind === null || one.began_at === null) return;
		const { kind } = one;
		const week = Math.floor(one.began_at / WEEK_MS);
		const place = `${week} ${kind}`;
		counts.set(place, { kind, week, count: (counts.get(place)?.count ?? 0) + by });
	};
	for (const { before, row } of changes) {
		add(before, -1);
		add(row, 1);
	}
	await addCounts(
		db,
		[...counts.values()].filter(({ count }) => count !== 0),
	);
}
