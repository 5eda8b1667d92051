import { ANY_EVENT, RECEIVER_ATTENTION } from '../core/event-contract.ts';
import type { ConsumerView, WakeUp } from '../core/pull-contract.ts';
import type { Db, Engine, Transaction } from '../sql/engine.ts';
import { fitting } from '../sql/log.ts';
import type { Texts } from '../sql/log.ts';
import { IS_OPEN, settleBatches } from './batch-rows.ts';
import type { Settling } from './batch-rows.ts';
import { lockConsumer, putConsumers, releasedRow, toConsumerView } from './consumer-rows.ts';
import type { ConsumerFigures, ConsumerRow } from './consumer-rows.ts';

/** Part of all consumers, in the order of their keys. */
interface ConsumerSlice {
	limit: number;
	/** Only consumers with later keys. */
	after: string;
}

/** Where wake-ups come from. */
export interface WakeUpSource {
	/** Whether an execution of this n8n sleeps, and when its next wake-up falls due, or null. */
	waiting(instance: string, now: number): Promise<{ any: boolean; nextAt: number | null }>;
	/** Up to `most` that are due. Nobody else gets them until they are settled or their ack wait ends. */
	lease(puller: { instance: string; holder: string; most: number }, now: number): Promise<WakeUp[]>;
	/** The executions of these waits are awake. */
	ended(tx: Transaction, waits: readonly string[]): Promise<void>;
}

/** A workflow as n8n named it at its last pull. */
export type WorkflowName = Pick<ConsumerView, 'name' | 'node' | 'url'>;

/** What a workflow misses for good. */
export interface Loss {
	/** The key of its consumer. */
	subject: string;
	workflow: WorkflowName | null;
	reason: string;
	/** Batches. */
	count: number;
	/** Events that were not even in a batch, wanted or not. */
	events: number;
}

/** Puts a loss on record, in the transaction that removes what is lost. */
export type NoteLoss = (tx: Transaction, loss: Loss, now: number) => Promise<void>;

export type Consumers = ReturnType<typeof consumersIn>;

/**
 * What is done to consumers beside handing out to them. Every change to a consumer locks its row first, so that
 * several receivers can serve its pulls at once, and is committed when the call resolves. Times are milliseconds
 * since the epoch.
 */
export function consumersIn(
	database: Engine,
	noteLoss: NoteLoss,
	wakeUps: () => WakeUpSource | undefined,
) {
	return {
		/** Settlements without a look: of a consumer that is no longer pulled, or of wake-ups. */
		settle: (request: Settling, now: number): Promise<void> =>
			database.transaction(async (tx) => {
				await lockConsumer(tx, request.key);
				const settled = await settleBatches(tx, request, now);
				const done = settled.filter(({ state }) => state === 'done');
				const awake = done.flatMap(({ wait }) => wait ?? []);
				if (awake.length > 0) await wakeUps()?.ended(tx, awake);
				if (settled.length > 0) tx.notices.add(`queue ${request.key}`);
			}),

		/** Releases the consumer if this holder has it: others may pull, and batches in hand are due. */
		release: (key: string, holder: string, now: number): Promise<void> =>
			database.transaction(async (tx) => {
				const row = await lockConsumer(tx, key);
				if (row === null || row.holder !== holder) return;
				await putConsumers(tx, [releasedRow(row, now)]);
				await tx.rows(
					`UPDATE batches SET due_at = $2, updated_at = $2
					WHERE consumer = $1 AND ${IS_OPEN} AND state = 'in-hand' AND holder = $3`,
					[key, now, holder],
				);
				tx.notices.add(`queue ${key}`);
			}),

		/** All, or part of them: up to the limit, but fewer if they are large. */
		list: (now: number, slice?: ConsumerSlice) => listConsumers(database, now, slice),

		/** Removes it with its batches and records what it will miss. */
		remove: (key: string, now: number): Promise<void> =>
			database.transaction(async (tx) => {
				const row = await lockConsumer(tx, key);
				if (row === null) return;
				const reason = 'an operator told the receiver to forget it';
				await noteForgotten(tx, noteLoss, [row], reason, now);
				await forget(tx, [key]);
				tx.notices.add(`queue ${key}`);
			}),
	};
}

/** Before consumers and what is queued for them are removed. */
export async function noteForgotten(
	db: Transaction,
	noteLoss: NoteLoss,
	consumers: readonly ConsumerRow[],
	reason: string,
	now: number,
): Promise<void> {
	for (const { key, name, node, url, position } of consumers) {
		const [{ count, events }] = (await db.rows(
			`SELECT (SELECT count(*) FROM batches WHERE consumer = $1 AND ${IS_OPEN})
					+ (SELECT count(*) FROM batches WHERE consumer = $1 AND state = 'dead') AS count,
				greatest(coalesce((SELECT max(sequence) FROM events), 0) - $2::bigint, 0) AS events`,
			[key, position],
		)) as [{ count: number; events: number }];
		await noteLoss(db, { subject: key, workflow: { name, node, url }, reason, count, events }, now);
	}
}

/** Removes consumers with their open and dead batches; done ones stay on record. */
export async function forget(db: Db, keys: readonly string[]): Promise<void> {
	await db.rows('DELETE FROM consumers WHERE key = ANY($1)', [keys]);
	await db.rows(`DELETE FROM batches WHERE consumer = ANY($1) AND ${IS_OPEN}`, [keys]);
	await db.rows(`DELETE FROM batches WHERE consumer = ANY($1) AND state = 'dead'`, [keys]);
}

/** How many events past a consumer's position to search for one of a wanted type. */
const SEARCHED = 100;

const CONSUMERS: Texts = { table: 'consumers', key: 'key', text: 'wants' };

type Listed = ConsumerRow & Omit<ConsumerFigures, 'oldestAt'> & Record<Arrival, number | null>;
type Arrival = 'open_at' | 'near_at' | 'far_at';

async function listConsumers(
	database: Engine,
	now: number,
	slice?: ConsumerSlice,
): Promise<ConsumerView[]> {
	const inSlice = `WHERE c.key IN ${fitting('WHERE key > $1 ORDER BY key LIMIT $2', CONSUMERS)}`;
	const beyond = `SELECT type, received_at FROM events WHERE sequence > c.position ORDER BY sequence`;
	const wanted =
		"SELECT value FROM json_array_elements_text(c.wants::json -> 'events') AS kind (value)";
	const rows = await database.rows<Listed>(
		`SELECT c.*, coalesce(queued, 0) AS queued, coalesce(in_hand, 0) AS "inHand",
			coalesce(dead, 0) AS dead,
			-- As good as counting, which takes seconds where there is much to count.
			greatest(coalesce((SELECT max(sequence) FROM events), 0) - position, 0) AS behind,
			(SELECT received_at FROM events WHERE sequence = open.first) AS open_at,
			(
				SELECT received_at FROM (${beyond} LIMIT ${SEARCHED}) AS near
				WHERE type IN (${wanted})
					OR ('${ANY_EVENT}' IN (${wanted}) AND type <> '${RECEIVER_ATTENTION}') LIMIT 1
			) AS near_at,
			-- Not checked whether any of the others is wanted.
			(SELECT received_at FROM (${beyond} LIMIT 1 OFFSET ${SEARCHED}) AS far) AS far_at
		FROM consumers AS c
		LEFT JOIN (
			SELECT consumer, count(*) FILTER (WHERE state = 'queued') AS queued,
				count(*) FILTER (WHERE state = 'in-hand') AS in_hand,
				min((sequences::json ->> 0)::bigint) AS first
			FROM batches WHERE ${IS_OPEN} GROUP BY consumer
		) AS open ON open.consumer = c.key
		LEFT JOIN (
			SELECT consumer, count(*) AS dead FROM batches WHERE state = 'dead' GROUP BY consumer
		) AS dead ON dead.consumer = c.key
		${slice === undefined ? '' : inSlice} ORDER BY c.key`,
		slice === undefined ? [] : [slice.after, slice.limit],
	);
	return rows.map((row) => {
		const { behind, queued, inHand, dead } = row;
		const arrivals = [row.open_at, row.near_at, row.far_at].filter((at) => at !== null);
		const oldestAt = arrivals.length === 0 ? null : Math.min(...arrivals);
		return toConsumerView(row, { behind, queued, inHand, dead, oldestAt }, now);
	});
}
