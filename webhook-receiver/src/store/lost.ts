import { IS_OPEN } from './batch-rows.ts';
import { noteLoss } from './attention.ts';
import type { ConsumerRow } from './consumer-rows.ts';
import type { Db } from './engine.ts';

// Records of what workflows will not get: nothing is lost silently.

/** Before consumers and what is queued for them are removed. */
export async function noteForgotten(
	db: Db,
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

/** After dead batches were removed for their age; one entry in `consumers` for each. */
export async function noteExpired(
	db: Db,
	consumers: readonly string[],
	now: number,
): Promise<void> {
	const reason = 'they were dead for longer than RETENTION';
	const byKey = Map.groupBy(consumers, (key) => key);
	for (const [subject, { length: count }] of byKey) {
		const [workflow = null] = await db.rows<Pick<ConsumerRow, 'name' | 'node' | 'url'>>(
			'SELECT name, node, url FROM consumers WHERE key = $1',
			[subject],
		);
		await noteLoss(db, { subject, workflow, reason, count, events: 0 }, now);
	}
}
