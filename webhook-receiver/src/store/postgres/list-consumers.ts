import { ANY_EVENT } from '../../contract.ts';
import type { StoredConsumer } from '../../core/pull-contract.ts';
import { toStoredConsumer } from '../consumer-rows.ts';
import type { ConsumerFigures } from '../consumer-rows.ts';
import type { PlacedConsumer } from './consumer-row.ts';
import type { Db } from './connect.ts';
import { SCHEMA } from './schema.ts';

/** Events that are looked at, beyond a consumer's position, for one of a type that it wants. */
const NEAR = 100;

const BEYOND = `
	SELECT type, received_at FROM ${SCHEMA}.events
	WHERE (xid, sequence) > (c.xid, c.position) AND NOT pg_visible_in_snapshot(xid, c.began)
	ORDER BY xid, sequence
`;

export async function listConsumers(db: Db, now: number): Promise<StoredConsumer[]> {
	const rows = await db.rows(
		`SELECT c.*, coalesce(queued, 0) AS queued, coalesce(in_hand, 0) AS "inHand",
			coalesce(dead, 0) AS dead,
			-- As good as counting, which takes seconds where there is much to count.
			CASE WHEN EXISTS (${BEYOND} LIMIT 1)
				THEN greatest((SELECT max(sequence) FROM ${SCHEMA}.events) - position, 1) ELSE 0
			END AS behind,
			least(
				(SELECT received_at FROM ${SCHEMA}.events WHERE sequence = open.first),
				(
					SELECT received_at FROM (${BEYOND} LIMIT ${NEAR}) AS near
					WHERE ARRAY[type, '${ANY_EVENT}'] && ARRAY(
						SELECT jsonb_array_elements_text(c.wants::jsonb -> 'events')
					) LIMIT 1
				),
				-- Whether one of the others is wanted is not looked at.
				(SELECT received_at FROM (${BEYOND} OFFSET ${NEAR} LIMIT 1) AS far)
			) AS "oldestAt"
		FROM ${SCHEMA}.consumers c
		LEFT JOIN (
			SELECT consumer, count(*) FILTER (WHERE state = 'queued') AS queued,
				count(*) FILTER (WHERE state = 'in-hand') AS in_hand,
				min((sequences::jsonb ->> 0)::bigint) AS first
			FROM ${SCHEMA}.batches WHERE state IN ('queued', 'in-hand') GROUP BY consumer
		) AS open ON open.consumer = c.key
		LEFT JOIN (
			SELECT consumer, count(*) AS dead FROM ${SCHEMA}.batches
			WHERE state = 'dead' GROUP BY consumer
		) AS dead ON dead.consumer = c.key
		ORDER BY c.key`,
	);
	return (rows as Array<PlacedConsumer & ConsumerFigures>).map((row) => {
		const { behind, queued, inHand, dead, oldestAt } = row;
		return toStoredConsumer(row, { behind, queued, inHand, dead, oldestAt }, now);
	});
}
