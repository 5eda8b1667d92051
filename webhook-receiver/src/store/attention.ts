import type { DeliveryEvent } from '../core/event-contract.ts';
import { attentionEvent } from '../attention/attention-event.ts';
import type { AttentionStore, TroubleRecord } from '../attention/attention-store.ts';
import { decide } from '../attention/attention.ts';
import type { Decision, Known, Reading, Trouble } from '../attention/attention.ts';
import { appendEvents } from './append-events.ts';
import type { Db, Engine } from './engine.ts';
import type { Page } from '../core/page.ts';
import { insertInto } from './statements.ts';

/** Losses of one workflow are reported together, this long after the first. */
const TOGETHER_MS = 3_600_000;

const INSERT = insertInto('attention', {
	...{ kind: 'text', subject: 'text', facts: 'text' },
	...{ began_at: 'bigint', ended_at: 'bigint', is_told: 'boolean' },
});

interface Row {
	id: number;
	kind: Trouble['kind'];
	subject: string;
	/** The rest of a {@link Trouble} as JSON. */
	facts: string;
	began_at: number;
	ended_at: number | null;
}

export class SqlAttention implements AttentionStore {
	private readonly database: Engine;

	constructor(database: Engine) {
		this.database = database;
	}

	async tell(reading: Reading, now: number) {
		// Usually nothing has changed, so there is nothing to commit.
		const { begun, over } = decide(await knownBy(this.database), reading);
		const isQuiet = begun.length + over.length === 0;
		if (isQuiet && (await untold(this.database, now)).length === 0) return [];
		return this.database.inTurn(async (tx) => {
			const decision = decide(await knownBy(tx), reading);
			const lost = await untold(tx, now);
			await write(tx, decision, reading.at);
			await tx.rows('UPDATE attention SET is_told = true WHERE id = ANY($1)', [
				lost.map(({ id }) => id),
			]);
			const events = [
				...decision.over.map((one) => attentionEvent(one, 'resolved', now)),
				...[...decision.begun, ...lost].map((one) => attentionEvent(one, 'begun', now)),
			];
			await appendEvents(
				tx,
				this.database,
				events.map((event) => ({ event, now })),
			);
			return events satisfies Array<Omit<DeliveryEvent, 'id' | 'sequence'>>;
		});
	}

	async open(): Promise<TroubleRecord[]> {
		return openOnes(this.database);
	}

	async over({ before, limit }: Page): Promise<TroubleRecord[]> {
		const rows = await this.database.rows<Row>(
			'SELECT * FROM attention WHERE ended_at IS NOT NULL AND id < $1 ORDER BY id DESC LIMIT $2',
			[before ?? Number.MAX_SAFE_INTEGER, limit],
		);
		return rows.map(toRecord);
	}
}

/** Records that a workflow misses events; several losses for the same reason count as one. */
export async function noteLoss(
	db: Db,
	loss: Pick<Trouble, 'subject' | 'workflow' | 'reason' | 'count' | 'events'>,
	now: number,
): Promise<void> {
	if (loss.count + loss.events === 0) return;
	const rows = await db.rows<Row>(
		`SELECT * FROM attention WHERE NOT is_told AND kind = 'events-lost' AND subject = $1
		ORDER BY id FOR UPDATE`,
		[loss.subject],
	);
	const same = rows.map(toRecord).find(({ reason }) => reason === loss.reason);
	if (same === undefined) {
		const trouble = { ...loss, kind: 'events-lost' as const, since: now };
		await db.rows(INSERT, [[{ ...toRow(trouble, now), ended_at: now, is_told: false }]]);
		return;
	}
	const sum = { ...same, count: same.count + loss.count, events: same.events + loss.events };
	await db.rows('UPDATE attention SET facts = $2 WHERE id = $1', [same.id, toRow(sum, now).facts]);
}

async function knownBy(db: Db): Promise<Known> {
	const [{ at }] = (await db.rows(
		`SELECT greatest(
			coalesce((SELECT max(began_at) FROM attention WHERE kind <> 'events-lost'), 0),
			coalesce((SELECT max(ended_at) FROM attention WHERE kind <> 'events-lost'), 0)
		) AS at`,
	)) as [{ at: number }];
	return { open: await openOnes(db), changedAt: at };
}

async function openOnes(db: Db): Promise<TroubleRecord[]> {
	const rows = await db.rows<Row>('SELECT * FROM attention WHERE ended_at IS NULL ORDER BY id');
	return rows.map(toRecord);
}

async function untold(db: Db, now: number): Promise<TroubleRecord[]> {
	const rows = await db.rows<Row>(
		'SELECT * FROM attention WHERE NOT is_told AND began_at <= $1 ORDER BY id LIMIT 100',
		[now - TOGETHER_MS],
	);
	return rows.map(toRecord);
}

async function write(db: Db, { begun, over }: Decision, at: number): Promise<void> {
	for (const { kind, subject } of over) {
		await db.rows(
			'UPDATE attention SET ended_at = $3 WHERE ended_at IS NULL AND kind = $1 AND subject = $2',
			[kind, subject, at],
		);
	}
	const rows = begun.map((one) => ({ ...toRow(one, at), ended_at: null, is_told: true }));
	if (rows.length > 0) await db.rows(INSERT, [rows]);
}

function toRow({ kind, subject, ...facts }: Trouble, at: number) {
	const { since, workflow, reason, count, events } = facts;
	const kept = JSON.stringify({ since, workflow, reason, count, events });
	return { kind, subject, facts: kept, began_at: at };
}

function toRecord({ id, kind, subject, facts, ended_at: endedAt }: Row): TroubleRecord {
	const { since, workflow, reason, count, events } = JSON.parse(facts) as Trouble;
	return { id, kind, subject, since, workflow, reason, count, events, endedAt };
}
