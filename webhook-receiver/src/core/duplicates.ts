import { sha256Hex } from './fingerprint.ts';
import type { Normalised } from './normalise.ts';
import { isDayOnly } from './read-time.ts';

/** Recognises a second arrival of the same event (rule EVNT-05). */
export interface DuplicateKey {
	key: string;
	/**
	 * Digest of the service's own id where message, kind and time identify the event as well, else
	 * null. Two ids make two events of one key; none is the same event as any.
	 */
	id: string | null;
	/** How long an equal key means the same event. */
	windowMs: number;
	/**
	 * A second delivery after a bounce may look exactly like the first, so a bounce renews the key
	 * (rule STAT-05).
	 */
	renewedByBounce: boolean;
	/** Only the content identifies the event: it has neither an id nor a time. */
	byContent: boolean;
}

export interface DedupConfig {
	/** For bodies without id or time. */
	bodyWindowMs: number;
	/** For event ids and provider times. */
	keyRetentionMs: number;
}

/**
 * Message, kind and time, and the provider's event id if there is one: an id alone proves nothing,
 * since it may number a request, a message or a kind. The content too where message or time is
 * missing.
 */
export function duplicateKey(
	{ event, providerEventId, leftOut }: Normalised,
	config: DedupConfig,
): DuplicateKey {
	const { messageId, occurredAt, raw } = event;
	const kind = event.type === 'unknown' ? event.sourceType : event.type;
	const isIdentified = messageId !== null && occurredAt !== null;
	const content = isIdentified ? [] : [providerEventId, raw, leftOut];
	const byContent = !isIdentified && providerEventId === null;
	return {
		// Begins with the message, so that what arrives together lies together in the database's index.
		key: `${messageId ?? ''}:${digest(kind, occurredAt, ...content).slice(0, 32)}`,
		id: isIdentified && providerEventId !== null ? digest(providerEventId).slice(0, 16) : null,
		windowMs: byContent ? config.bodyWindowMs : config.keyRetentionMs,
		renewedByBounce: event.type === 'tracked_mail.received' || event.type === 'tracked_mail.opened',
		byContent,
	};
}

export interface Bounce {
	sequence: number;
	occurredAt: string | null;
}

/**
 * The key as stored, given the message's bounces in order. A bounce renews it, unless their times
 * differ: then these are the times of the changes, and tell one delivery from another.
 */
export function storedKey(
	{ key, renewedByBounce }: DuplicateKey,
	occurredAt: string | null,
	bounces: readonly Bounce[],
): string {
	const renews = (bounce: Bounce) => {
		if (occurredAt === null) return true;
		// Polling saw the bounce, and would see another delivery as well.
		if (bounce.occurredAt === null) return isDayOnly(occurredAt);
		return bounce.occurredAt === occurredAt;
	};
	const last = renewedByBounce ? bounces.findLast(renews) : undefined;
	return last === undefined ? key : `${key}~${last.sequence}`;
}

/**
 * Of which the first 128 bits never collide by chance, and 64 not among the events of one key; more
 * would only cost space, since every event stores them.
 */
function digest(...parts: unknown[]): string {
	return sha256Hex(JSON.stringify(parts));
}
