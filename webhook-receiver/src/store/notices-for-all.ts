import type { Db } from './engine.ts';
import type { Notice } from './news.ts';
import { columnOf } from './statements.ts';

/** For every consumer, and every n8n that has wake-ups. */
export function noticesForAll(db: Db): Promise<Notice[]> {
	return columnOf(
		db,
		`SELECT 'consumer ' || key FROM consumers
		UNION ALL
		SELECT DISTINCT 'wake-ups ' || rtrim(consumer, '~') FROM batches
		WHERE wait IS NOT NULL AND state IN ('queued', 'in-hand')`,
	);
}
