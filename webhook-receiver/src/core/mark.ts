import { stepOf } from './event-kinds.ts';
import { sha256Hex } from './fingerprint.ts';
import type { Normalised } from './normalise.ts';

/** How long identical events count as one where nothing but their content identifies them. */
export const CONTENT_COUNTS_MS = 10 * 60_000;

/** What a webhook is recognised by when it comes again (rule EVNT-05). */
export interface Mark {
	/**
	 * The service's time where the webhook reports a step, else a digest; then `#` and a digest of the
	 * service's id, if there is one and message and time identify the event as well.
	 */
	mark: string;
	/** Only the content identifies it: it has neither an id nor a time. */
	byContent: boolean;
}

/**
 * Message, kind and time, and the service's id if there is one: an id alone proves nothing, since it
 * may number a request, a message or a kind. The content too where message or time is missing.
 */
export function markOf({ event, providerEventId }: Normalised): Mark {
	const { messageId, occurredAt, raw } = event;
	const kind = event.type === 'unknown' ? event.sourceType : event.type;
	if (messageId === null || occurredAt === null) {
		const content = digest(32, kind, occurredAt, providerEventId, raw);
		return { mark: content, byContent: providerEventId === null };
	}
	const base = stepOf(event) === null ? digest(32, kind, occurredAt) : occurredAt;
	const id = providerEventId === null ? '' : `#${digest(16, providerEventId)}`;
	return { mark: base + id, byContent: false };
}

/** Whether it is the same webhook: two ids make two of one time, and none is the same as any. */
export function isSameMark(left: string, right: string): boolean {
	const [leftBase, leftId] = left.split('#');
	const [rightBase, rightId] = right.split('#');
	return leftBase === rightBase && (leftId === rightId || !leftId || !rightId);
}

/** The service's time in a mark, ISO 8601; null in a digest, which has no hyphen. */
export function timeIn(mark: string): string | null {
	return mark[4] === '-' ? (mark.split('#')[0] ?? null) : null;
}

/** Of a letter's events, 128 bits never collide by chance, and 64 not among those of one time. */
function digest(length: number, ...parts: unknown[]): string {
	return sha256Hex(JSON.stringify(parts)).slice(0, length);
}
