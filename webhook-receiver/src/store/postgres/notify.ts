import type { Db } from './connect.ts';

/** Receivers tell each other here what they have committed. */
export const CHANNEL = 'registered_delivery';

export const NEW_EVENTS = 'events';

/** What happened, and to what. */
export type Notice =
	| { kind: 'events' }
	| { kind: 'consumer'; name: string }
	| { kind: 'wake-ups'; name: string };

/** When the transaction commits. PostgreSQL commits one of those at a time, so only where it matters. */
export async function notify(
	db: Db,
	kind: 'consumer' | 'wake-ups',
	names: Iterable<string>,
): Promise<void> {
	const all = [...new Set(names)].map((name) => `${kind} ${name}`);
	if (all.length === 0) return;
	await db.rows(`SELECT pg_notify('${CHANNEL}', notice) FROM unnest($1::text[]) AS notice`, [all]);
}

/** Null for what a newer receiver may say. */
export function readNotice(payload: string): Notice | null {
	if (payload === NEW_EVENTS) return { kind: NEW_EVENTS };
	const [kind, name] = payload.split(' ');
	if (name === undefined || (kind !== 'consumer' && kind !== 'wake-ups')) return null;
	return { kind, name };
}
