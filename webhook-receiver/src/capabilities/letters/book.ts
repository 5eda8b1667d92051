import type { Letter, LetterOutcome } from '../../core/letter-contract.ts';
import { recordIn } from '../../log/record-rows.ts';
import type { RecordRow } from '../../log/record-rows.ts';
import type { Db, Value } from '../../sql/engine.ts';
import type { Slice } from '../../sql/log.ts';
import { columnOf } from '../../sql/statements.ts';
import { CLOCK_MARGIN_MS } from '../../time/set-back.ts';
import { iso } from '../../time/iso.ts';
import { LONGEST_LEASE_MS, SILENT } from '../../core/claim-contract.ts';
import { addressKey } from '../../core/address.ts';

/** Which letters; null for all. Times in milliseconds. */
export interface LetterFilter {
	recipient: string | null;
	/** Of the sender's, whichever of the two. */
	reference: string | null;
	fileReference: string | null;
	customerReference: string | null;
	status: string | null;
	outcome: LetterOutcome | null;
	workflow: string | null;
	since: number | null;
	until: number | null;
}

export type Letters = ReturnType<typeof lettersIn>;

/** The book of letters, as people and workflows search it. */
export function lettersIn(db: Db) {
	return {
		/** Newest first; `id` is for paging. */
		async list(
			{ before, limit, ...filter }: LetterFilter & Slice,
			now: number,
		): Promise<Array<{ id: number; letter: Letter }>> {
			const { where, values } = conditions(filter);
			const rows = await db.rows<ListedRow>(
				`SELECT *, ${IS_SILENT} AS is_silent FROM records
				WHERE outcome IS NOT NULL AND id < $2 AND ${where}
				ORDER BY id DESC LIMIT $3`,
				[now, before ?? Number.MAX_SAFE_INTEGER, limit, ...values],
			);
			return rows.flatMap((row) => {
				const letter = viewOf(row);
				return letter === null ? [] : [{ id: row.id, letter }];
			});
		},

		/** One by its id; null if it is in no book. */
		async get(messageId: string, now: number): Promise<Letter | null> {
			const text = `SELECT *, ${IS_SILENT} AS is_silent FROM records
				WHERE outcome IS NOT NULL AND subject = $2`;
			const [row] = await db.rows<ListedRow>(text, [now, messageId]);
			return row === undefined ? null : viewOf(row);
		},

		/** How many, by what became of them. */
		async summary(filter: LetterFilter, now: number) {
			const { where, values } = conditions(filter);
			// Each by the index that has all it takes: to look up the rows would cost a hundred times as much.
			const isByTime = filter.since !== null || filter.until !== null;
			const [isListed, outcomeOf] = isByTime
				? ['began_at IS NOT NULL', "coalesce(outcome, 'open')"]
				: ['outcome IS NOT NULL', 'outcome'];
			const rest = `FROM records WHERE ${isListed} AND $1::bigint IS NOT NULL
				AND $2::bigint IS NOT NULL AND $3::bigint IS NOT NULL AND ${where}`;
			const all = [now, 0, 0, ...values];
			const rows = await db.rows<{ outcome: string; count: number }>(
				`SELECT ${outcomeOf} AS outcome, count(*) AS count ${rest} GROUP BY ${outcomeOf}`,
				all,
			);
			const [silent = 0] = await columnOf<number>(
				db,
				`SELECT count(*) ${rest} AND ${IS_UNSETTLED} AND ${IS_SILENT}`,
				all,
			);
			const counts = new Map(rows.map(({ outcome, count }) => [outcome, count]));
			const add = (outcome: string, more: number) =>
				counts.set(outcome, (counts.get(outcome) ?? 0) + more);
			if (silent > 0) {
				add('leaving', -silent);
				add('unknown', silent);
			}
			const outcomes = Object.fromEntries([...counts].filter(([, count]) => count > 0));
			return { total: rows.reduce((sum, { count }) => sum + count, 0), outcomes };
		},
	};
}

type ListedRow = RecordRow & { id: number; is_silent: boolean };

/** Few, and found by an index of their own. */
const IS_UNSETTLED = "outcome IN ('leaving', 'unknown')";

/** It began to leave, and its sender has been silent for longer than its lease. */
const IS_SILENT = `(outcome = 'leaving' AND (
	coalesce(lease_until, 0) <= $1 OR lease_until > $1::bigint + ${LONGEST_LEASE_MS + CLOCK_MARGIN_MS}
))`;

/** $1 to $3 are the time and the slice. */
function conditions(filter: LetterFilter) {
	const { recipient, reference, outcome, since, until } = filter;
	const parts: string[] = [];
	const values: Value[] = [];
	const add = (value: Value, condition: (place: string) => string) => {
		if (value === null) return;
		values.push(value);
		parts.push(condition(`$${values.length + 3}`));
	};
	add(recipient && addressKey(recipient), (place) => `recipient = ${place}`);
	add(reference, (place) => `(file_reference = ${place} OR customer_reference = ${place})`);
	add(filter.fileReference, (place) => `file_reference = ${place}`);
	add(filter.customerReference, (place) => `customer_reference = ${place}`);
	add(filter.workflow, (place) => `workflow = ${place}`);
	add(filter.status, (place) => `status = ${place}`);
	add(since, (place) => `began_at >= ${place}`);
	add(until, (place) => `began_at < ${place}`);
	if (outcome === 'unknown') parts.push(IS_UNSETTLED, `(outcome = 'unknown' OR ${IS_SILENT})`);
	else if (outcome === 'leaving')
		parts.push(IS_UNSETTLED, `outcome = 'leaving' AND NOT ${IS_SILENT}`);
	else add(outcome, (place) => `outcome = ${place}`);
	return { where: parts.length > 0 ? parts.join(' AND ') : 'true', values };
}

function viewOf(row: ListedRow): Letter | null {
	const record = recordIn(row);
	if (record === null) return null;
	const { origin, changes } = record;
	return {
		messageId: /^\d{12}$/.test(row.subject) ? row.subject : null,
		outcome: row.is_silent ? 'unknown' : String(row.outcome),
		status: row.status,
		type: record.messageType,
		recipient: origin?.recipient ?? null,
		sender: origin?.sender ?? null,
		fileReference: record.fileReference,
		customerReference: record.customerReference,
		workflow: origin?.workflow ?? null,
		executionId: origin?.executionId ?? null,
		claim: origin?.claim ?? null,
		reason: row.is_silent ? SILENT : (origin?.reason ?? null),
		beganAt: iso(row.began_at ?? 0) as string,
		changedAt: iso(changes.at(-1)?.at ?? null),
	};
}
