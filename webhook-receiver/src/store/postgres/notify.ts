import type { Db } from '../engine.ts';
import type { News } from '../news.ts';

/** Channel on which receivers tell each other what they have committed. */
export const CHANNEL = 'registered_delivery';

export const NEW_EVENTS = 'events';
const NEWS_OF_WAITS = 'waits';
const NEW_POLLS = 'polls';

/** What happened, and to what. */
export type Notice =
	| { kind: 'events' }
	| { kind: 'waits' }
	| { kind: 'polls' }
	| { kind: 'consumer'; name: string }
	| { kind: 'wake-ups'; name: string };

/** Sent at commit. PostgreSQL serialises commits that notify, so use it only where it matters. */
export async function notify(db: Db, { consumers, instances, waits, polls }: News): Promise<void> {
	const notices = [
		...(waits ? [NEWS_OF_WAITS] : []),
		...(polls ? [NEW_POLLS] : []),
		...[...consumers].map((key) => `consumer ${key}`),
		...[...instances].map((instance) => `wake-ups ${instance}`),
	];
	if (notices.length === 0) return;
	await db.rows(`SELECT pg_notify('${CHANNEL}', notice) FROM unnest($1::text[]) AS notice`, [
		notices,
	]);
}

/** Null for notices that only a newer receiver understands. */
export function readNotice(payload: string): Notice | null {
	if (payload === NEW_EVENTS || payload === NEWS_OF_WAITS || payload === NEW_POLLS) {
		return { kind: payload };
	}
	const [kind, name] = payload.split(' ');
	if (name === undefined || (kind !== 'consumer' && kind !== 'wake-ups')) return null;
	return { kind, name };
}
