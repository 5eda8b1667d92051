import { ERASED, NO_OUTCOME, outcomeOf } from '../../core/outcome.ts';
import type { KnownOutcome } from '../../core/outcome.ts';
import type { AwaitedOutcome } from '../../core/wait-contract.ts';
import type { LetterRecord } from '../../core/records.ts';
import { idOf, isErased, recordIn } from '../../log/record-rows.ts';
import type { RecordRow } from '../../log/record-rows.ts';
import type { Db } from '../../sql/engine.ts';
import { columnOf } from '../../sql/statements.ts';
import type { AwaitedRow, WaitRow } from './wait-rows.ts';

/** What became of one letter or consent that is waited for. */
export interface Awaited extends KnownOutcome {
	subject: string;
	isFinal: boolean;
}

export function toOutcome({ subject, isFinal: _, ...outcome }: Awaited): AwaitedOutcome {
	return { id: idOf(subject), ...outcome };
}

type Known = Pick<LetterRecord, 'changes'> & Partial<Pick<LetterRecord, 'messageType'>>;
type AwaitedRecord = AwaitedRow & Pick<RecordRow, 'record' | 'contact'> & { is_known: boolean };

/** Of all that these wait for, in order, as their records say now. */
export async function outcomesOf(
	db: Db,
	waits: readonly WaitRow[],
): Promise<Map<string, Awaited[]>> {
	const ids = waits.map(({ id }) => id);
	const rows = await db.rows<AwaitedRecord>(
		`SELECT awaited.*, record, contact, records.id IS NOT NULL AS is_known
		FROM awaited LEFT JOIN records ON records.subject = awaited.subject
		WHERE wait_id = ANY($1) ORDER BY wait_id, position`,
		[ids],
	);
	const newer = await newerConsents(db, rows);
	const byWait = Map.groupBy(rows, ({ wait_id }) => wait_id);
	return new Map(
		waits.map((wait) => {
			const own = byWait.get(wait.id) ?? [];
			return [wait.id, own.map((row) => outcomeIn(row, newer.get(row.subject) ?? [], wait))];
		}),
	);
}

/**
 * Those that surely go on: one of their letters has done no more than leave. Told by columns alone, since a wait
 * of a thousand letters would else read all of them with each that changes.
 */
export async function openOf(
	db: Db,
	waits: readonly WaitRow[],
	over: number,
): Promise<Set<string>> {
	const open = await columnOf<string>(
		db,
		`SELECT id FROM waits WHERE id = ANY($1) AND deadline > $2 AND awaits = 'messages' AND EXISTS (
			SELECT 1 FROM awaited LEFT JOIN records ON records.subject = awaited.subject
			WHERE wait_id = waits.id AND (
				records.id IS NULL OR (outcome = 'open' AND coalesce(status, 'SENT') = 'SENT')
			)
		)`,
		[waits.map(({ id }) => id), over],
	);
	return new Set(open);
}

function outcomeIn(
	row: AwaitedRecord,
	newer: readonly Known[],
	{ awaits, tracked_mail_goal: trackedMailGoal }: WaitRow,
): Awaited {
	const { subject } = row;
	if (!row.is_known) return { subject, ...NO_OUTCOME, isFinal: false };
	if (isErased(row)) return { subject, ...ERASED, isFinal: true };
	const own = recordIn<Known>(row);
	const changes = [own, ...newer].flatMap((one) => one?.changes ?? []);
	const messageType = own?.messageType ?? row.message_type;
	const expected = awaits === 'consents' ? null : { messageType, trackedMailGoal };
	const { outcome, isFinal } = outcomeOf(changes, expected);
	return { subject, ...outcome, isFinal };
}

/**
 * By an older consent, the records of newer ones of the same contact. The contact's first answer counts,
 * whichever request it answers: the service lists only the newest, so an older one shows none any more
 * (rule CONS-07).
 */
async function newerConsents(
	db: Db,
	rows: readonly AwaitedRecord[],
): Promise<Map<string, Known[]>> {
	const subjects = rows.filter(({ contact }) => contact !== null).map(({ subject }) => subject);
	if (subjects.length === 0) return new Map();
	const newer = await db.rows<Pick<RecordRow, 'subject' | 'record'>>(
		`SELECT own.subject, newer.record FROM records AS own
		JOIN records AS newer ON newer.contact = own.contact AND newer.id > own.id
		WHERE own.subject = ANY($1) ORDER BY newer.id`,
		[subjects],
	);
	const known = newer.flatMap((row) => {
		const record = recordIn<Known>(row);
		return record === null ? [] : [{ subject: row.subject, ...record }];
	});
	return Map.groupBy(known, ({ subject }) => subject);
}
