import type { NewEvent } from '../../core/changes.ts';
import type { Db, Engine, Value } from '../../sql/engine.ts';
import type { Loss } from '../../queue/consumers.ts';
import type { Slice } from '../../sql/log.ts';
import { newEventId } from '../../sql/new-id.ts';
import {
	CLEAN_AT_ONCE,
	removeSome,
	createTable,
	insertInto,
	numbered,
	updateOf,
} from '../../sql/statements.ts';
import type { Cleaning, RowOf } from '../../sql/statements.ts';
import { attentionEvent } from './texts.ts';
import { decide } from './decide.ts';
import type { Alert, AlertRecord, Decision, OnRecord, Snapshot } from './decide.ts';

/** Losses of one workflow are reported together, this long after the first. */
const TOGETHER_MS = 3_600_000;

const COLUMNS = {
	kind: 'text',
	subject: 'text',
	/** {@link Facts} as JSON. */
	facts: 'text',
	began_at: 'bigint',
	ended_at: 'bigint?',
	/** Whether its event is in the log. */
	is_told: 'boolean',
} as const;

export const ATTENTION_TABLE = `
	${createTable('attention', numbered('id'), COLUMNS)}
	CREATE UNIQUE INDEX attention_open ON attention (kind, subject) WHERE ended_at IS NULL;
	CREATE INDEX attention_untold ON attention (id) WHERE NOT is_told;
	CREATE INDEX attention_ended ON attention (ended_at) WHERE ended_at IS NOT NULL;
`;

type Facts = Omit<Alert, 'kind' | 'subject'>;

const insert = insertInto('attention', COLUMNS);
const update = updateOf('attention', { id: 'bigint' }, { facts: 'text', ended_at: 'bigint' });

type Row = RowOf<typeof COLUMNS> & { id: number; kind: Alert['kind'] };

export type Alerts = ReturnType<typeof attentionIn>;

/** What needs an operator. */
export function attentionIn(database: Engine) {
	return {
		/**
		 * Decides what begins and ends, and puts its events into the log, together: with several
		 * receivers on one database each is told once. Returns what was told.
		 */
		tell: (snapshot: Snapshot, now: number): Promise<NewEvent[]> =>
			database.inTurn(async (tx) => {
				const decision = decide(await knownBy(tx), snapshot);
				const lost = await untold(tx, now);
				await write(tx, decision, snapshot.at);
				await tx.rows('UPDATE attention SET is_told = true WHERE id = ANY($1)', [
					lost.map(({ id }) => id),
				]);
				const events = [
					...decision.over.map((one) => attentionEvent(one, 'resolved', now)),
					...[...decision.begun, ...lost].map((one) => attentionEvent(one, 'begun', now)),
				].map((event) => ({ id: newEventId(now), ...event }));
				await tx.append(events);
				return events;
			}),

		/** Those that last. */
		open: () => recordsOf(database, 'ended_at IS NULL ORDER BY id'),

		/** What is over, and what was lost, newest first. */
		over: ({ before, limit }: Slice) =>
			recordsOf(database, 'ended_at IS NOT NULL AND id < $1 ORDER BY id DESC LIMIT $2', [
				before ?? Number.MAX_SAFE_INTEGER,
				limit,
			]),
	};
}

/** Records that a workflow misses events; several losses for the same reason count as one. */
export async function noteLoss(db: Db, loss: Loss, now: number): Promise<void> {
	if (loss.count + loss.events === 0) return;
	const untold = await recordsOf(
		db,
		`NOT is_told AND kind = 'events-lost' AND subject = $1 ORDER BY id FOR UPDATE`,
		[loss.subject],
	);
	const same = untold.find(({ reason }) => reason === loss.reason);
	if (same === undefined) {
		const alert = { ...loss, kind: 'events-lost' as const, since: now };
		await insert(db, [{ ...toRow(alert, now), ended_at: now, is_told: false }]);
		return;
	}
	const sum = { ...same, count: same.count + loss.count, events: same.events + loss.events };
	await update(db, [toUpdate(sum)]);
}

async function knownBy(db: Db): Promise<OnRecord> {
	const [{ at }] = (await db.rows(
		`SELECT greatest(
			coalesce((SELECT max(began_at) FROM attention WHERE kind <> 'events-lost'), 0),
			coalesce((SELECT max(ended_at) FROM attention WHERE kind <> 'events-lost'), 0)
		) AS at`,
	)) as [{ at: number }];
	return { open: await recordsOf(db, 'ended_at IS NULL ORDER BY id'), changedAt: at };
}

function untold(db: Db, now: number): Promise<AlertRecord[]> {
	return recordsOf(db, 'NOT is_told AND began_at <= $1 ORDER BY id LIMIT 100', [now - TOGETHER_MS]);
}

async function recordsOf(db: Db, where: string, values?: readonly Value[]): Promise<AlertRecord[]> {
	const rows = await db.rows<Row>(`SELECT * FROM attention WHERE ${where}`, values);
	return rows.map(toRecord);
}

async function write(db: Db, { begun, changed, over }: Decision, at: number): Promise<void> {
	const ended = over.map((one) => ({ ...one, endedAt: at }));
	await update(db, [...changed, ...ended].map(toUpdate));
	await insert(
		db,
		begun.map((one) => ({ ...toRow(one, at), ended_at: null, is_told: true })),
	);
}

function toRow(alert: Alert, at: number) {
	return { kind: alert.kind, subject: alert.subject, facts: factsOf(alert), began_at: at };
}

function toUpdate({ id, endedAt, ...alert }: AlertRecord) {
	return { id, facts: factsOf(alert), ended_at: endedAt };
}

function factsOf({ since, workflow, reason, count, events }: Alert): string {
	return JSON.stringify({ since, workflow, reason, count, events } satisfies Facts);
}

function toRecord({ id, kind, subject, facts, ended_at: endedAt }: Row): AlertRecord {
	return { id, kind, subject, endedAt, ...(JSON.parse(facts) as Facts) };
}

/** What was over long ago; returns whether there may be more. */
export async function cleanAttention(db: Db, { before }: Cleaning): Promise<boolean> {
	const over = { table: 'attention', key: 'id', where: 'is_told AND ended_at < $1' };
	return (await removeSome(db, over, before)).length === CLEAN_AT_ONCE;
}
