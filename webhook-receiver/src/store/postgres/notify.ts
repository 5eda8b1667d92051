import type { Db } from '../engine.ts';
import type { News } from '../news.ts';

/** Channel on which receivers tell each other what they have committed. */
export const CHANNEL = 'registered_delivery';

/** Beside the notices of {@link News}: there are new events. */
export const NEW_EVENTS = 'events';

/** Sent at commit. PostgreSQL serialises commits that notify, so use it only where it matters. */
export async function notify(db: Db, { notices }: News): Promise<void> {
	if (notices.size === 0) return;
	await db.rows(`SELECT pg_notify('${CHANNEL}', notice) FROM unnest($1::text[]) AS notice`, [
		[...notices],
	]);
}
