import { addressKey } from '../../core/address.ts';
import { LONGEST_LEASE_MS, SILENT } from '../../core/claim-contract.ts';
import type { Letter, LetterOutcome } from '../../core/letter-contract.ts';
import type { LetterRecord } from '../../core/records.ts';
import { recordIn } from '../../log/record-rows.ts';
import type { Kind, RecordRow } from '../../log/record-rows.ts';
import type { Db, Value } from '../../sql/engine.ts';
import { iso } from '../../time/iso.ts';
import { CLOCK_MARGIN_MS } from '../../time/set-back.ts';
import { WEEK_MS } from './counts.ts';

/** With the kind, letters are chosen and counted by the index alone. The book is in the order of `began_at`. */
export const BOOK_INDEXES = `
	CREATE INDEX records_by_kind ON records (kind, began_at, id) WHERE kind IS NOT NULL;
	CREATE INDEX records_by_recipient ON records (recipient, began_at, id, kind)
		WHERE recipient IS NOT NULL;
	CREATE INDEX records_by_file ON records (file_reference, began_at, id, kind)
		WHERE file_reference IS NOT NULL;
	CREATE INDEX records_by_customer ON records (customer_reference, began_at, id, kind)
		WHERE customer_reference IS NOT NULL;
`;

/** Which letters; null for all. Times in milliseconds. */
interface LetterFilter {
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

/** Where a letter stands in the book, which is in the order in which letters began. */
export interface Place {
	beganAt: number;
	id: number;
}

/**
 * The book of letters, as people and workflows search it. Among a million letters as fast as among a few: each
 * statement reads the part of one index that has what it asks for, such as the letters of one kind.
 */
export function lettersIn(db: Db) {
	return {
		/** Newest first; `next` is where the next page begins, or null. */
		async list(
			{ before, limit, ...filter }: LetterFilter & { before: Place | null; limit: number },
			now: number,
		): Promise<{ letters: Letter[]; next: Place | null }> {
			const { outcome } = filter;
			const kinds = isOfKind(filter) ? [...(await countsIn(db, filter, NO_WEEKS)).keys()] : null;
			const byKind = kinds?.map((kind): Piece[] => [['kind = ?', kind]]) ?? [[]];
			const { beganAt, id } = before ?? { beganAt: FOR_EVER, id: 0 };
			const rest: Piece[] = [beganIn(filter), ['(began_at, id) < (?, ?)', beganAt, id]];
			if (outcome === 'leaving') rest.push([`NOT ${IS_SILENT}`, ...bySilence(now)]);
			if (outcome === 'unknown') {
				rest.push([`(outcome = 'unknown' OR ${IS_SILENT})`, ...bySilence(now)]);
			}
			const found = await Promise.all(
				(waysByName(filter, kinds) ?? byKind).map((way) =>
					read<Placed>(
						db,
						['SELECT id, began_at FROM records WHERE'],
						[...way, ...rest],
						['ORDER BY began_at DESC, id DESC LIMIT ?', limit + 1],
					),
				),
			);
			const all = found.flat().sort(newestFirst);
			const page = all.slice(0, limit);
			const ids = page.map((one) => one.id);
			// Meanwhile one may have been erased.
			const rows = await read<ListedRow>(db, listed(now), [IS_LISTED, ['id = ANY(?)', ids]]);
			const last = all.length > limit ? page.at(-1) : undefined;
			const next = last === undefined ? null : { beganAt: last.began_at, id: last.id };
			return { letters: rows.sort(newestFirst).map(viewOf), next };
		},

		/** One by its id; null if it is in no book. */
		async get(messageId: string, now: number): Promise<Letter | null> {
			const isIt: Piece[] = [IS_LISTED, ['subject = ?', messageId]];
			const [row] = await read<ListedRow>(db, listed(now), isIt);
			return row === undefined ? null : viewOf(row);
		},

		/** How many, by what became of them. */
		async summary(filter: LetterFilter, now: number) {
			const since = filter.since ?? 0;
			const until = filter.until ?? FOR_EVER;
			const weeks = { from: Math.ceil(since / WEEK_MS), to: Math.floor(until / WEEK_MS) };
			const known = await countsIn(db, filter, weeks);
			const kinds = [...known.keys()];
			const named = waysByName(filter, isOfKind(filter) ? kinds : null);
			const byWeeks = named === null && weeks.from < weeks.to;
			const spans = byWeeks
				? [
						{ since, until: weeks.from * WEEK_MS },
						{ since: weeks.to * WEEK_MS, until },
					]
				: [{ since, until }];
			const counted = async (ways: Piece[][], ...more: Piece[]) => {
				const rows = ways.map((way) =>
					read<{ kind: string; count: number }>(
						db,
						['SELECT kind, count(*) AS count FROM records WHERE'],
						[...way, ...more],
						['GROUP BY kind'],
					),
				);
				return (await Promise.all(rows)).flat();
			};
			const ways = named ?? [[ofKinds(kinds)]];
			const leaving = kinds.filter((kind) => outcomeIn(kind) === 'leaving');
			const silent = await counted(
				leaving.length === 0 ? [] : ways,
				ofKinds(leaving),
				beganIn(filter),
				[IS_SILENT, ...bySilence(now)],
			);
			const parts = await Promise.all(spans.map((span) => counted(ways, beganIn(span))));
			const counts = new Map<LetterOutcome, number>();
			const add = (outcome: LetterOutcome, count: number) =>
				counts.set(outcome, (counts.get(outcome) ?? 0) + count);
			if (byWeeks) for (const [kind, count] of known) add(outcomeIn(kind), count);
			for (const { kind, count } of parts.flat()) add(outcomeIn(kind), count);
			for (const { count } of silent) {
				add('leaving', -count);
				add('unknown', count);
			}
			const asked = [...counts].filter(
				([outcome, count]) => count > 0 && (filter.outcome ?? outcome) === outcome,
			);
			const total = asked.reduce((sum, [, count]) => sum + count, 0);
			return { total, outcomes: Object.fromEntries(asked) };
		},
	};
}

type Placed = Pick<ListedRow, 'id' | 'began_at'>;
type ListedRow = RecordRow & { id: number; began_at: number; is_silent: boolean };

function newestFirst(one: Placed, other: Placed): number {
	return other.began_at - one.began_at || other.id - one.id;
}

const FOR_EVER = Number.MAX_SAFE_INTEGER;
const NO_WEEKS = { from: 0, to: 0 };

/** The kinds of letters that fit, and how many there are of each began in these weeks. */
async function countsIn(
	db: Db,
	filter: LetterFilter,
	{ from, to }: typeof NO_WEEKS,
): Promise<Map<string, number>> {
	const rows = await db.rows<{ kind: string; count: number }>(
		`SELECT kind, CAST(sum(CASE WHEN week >= $1 AND week < $2 THEN count ELSE 0 END) AS bigint) AS count
		FROM letter_counts GROUP BY kind HAVING sum(count) > 0`,
		[from, to],
	);
	// What leaves may have become silent, and so unknown.
	const outcomes = filter.outcome === 'unknown' ? ['unknown', 'leaving'] : [filter.outcome];
	const fits = (asked: string | null, one: string | null) => asked === null || asked === one;
	const fitting = rows.filter(({ kind }) => {
		const [outcome, status, workflow] = JSON.parse(kind) as Kind;
		const isAsked = outcomes.some((one) => fits(one, outcome));
		return isAsked && fits(filter.status, status) && fits(filter.workflow, workflow);
	});
	return new Map(fitting.map(({ kind, count }) => [kind, count]));
}

function isOfKind({ status, outcome, workflow }: LetterFilter): boolean {
	return status !== null || outcome !== null || workflow !== null;
}

function outcomeIn(kind: string): LetterOutcome {
	return (JSON.parse(kind) as Kind)[0];
}

/** A piece of SQL with `?` for each value. */
type Piece = readonly [text: string, ...values: Value[]];

const IS_LISTED: Piece = ['kind IS NOT NULL'];

/**
 * By recipient or reference; null if none is asked for. No letter is found in two ways.
 *
 * @param kinds null for all
 */
function waysByName(filter: LetterFilter, kinds: readonly string[] | null): Piece[][] | null {
	const { recipient, reference, fileReference, customerReference } = filter;
	const names: Piece[] = [];
	if (recipient !== null) names.push(['recipient = ?', addressKey(recipient)]);
	if (fileReference !== null) names.push(['file_reference = ?', fileReference]);
	if (customerReference !== null) names.push(['customer_reference = ?', customerReference]);
	const own = kinds === null ? names : [...names, ofKinds(kinds)];
	if (reference === null) return names.length > 0 ? [own] : null;
	const asCustomers = 'customer_reference = ? AND file_reference IS DISTINCT FROM ?';
	return [
		[...own, ['file_reference = ?', reference]],
		[...own, [asCustomers, reference, reference]],
	];
}

function ofKinds(kinds: readonly string[]): Piece {
	return ['kind = ANY(?)', kinds];
}

function beganIn({ since, until }: Pick<LetterFilter, 'since' | 'until'>): Piece {
	return ['began_at >= ? AND began_at < ?', since ?? 0, until ?? FOR_EVER];
}

/** It began to leave, and its sender has been silent for longer than its lease. */
const IS_SILENT = `(outcome = 'leaving' AND (coalesce(lease_until, 0) <= ? OR lease_until > ?))`;

function bySilence(now: number): [number, number] {
	return [now, now + LONGEST_LEASE_MS + CLOCK_MARGIN_MS];
}

function listed(now: number): Piece {
	return [`SELECT *, ${IS_SILENT} AS is_silent FROM records WHERE`, ...bySilence(now)];
}

async function read<R>(
	db: Db,
	begin: Piece,
	conditions: readonly Piece[],
	end: Piece = [''],
): Promise<R[]> {
	const where = conditions.map(([text]) => text).join(' AND ');
	let place = 0;
	const text = `${begin[0]} ${where} ${end[0]}`.replaceAll('?', () => `$${++place}`);
	const values = [begin, ...conditions, end].flatMap(([, ...own]) => own);
	return db.rows<R>(text, values);
}

function viewOf(row: ListedRow): Letter {
	const record = recordIn(row) as LetterRecord;
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
		beganAt: iso(row.began_at),
		changedAt: iso(changes.at(-1)?.at ?? null),
	};
}
