import { sha256Hex } from './fingerprint.ts';
import type { Normalised } from './normalise.ts';

/** Recognises a second arrival of the same event (rule EVNT-05, design § 6). */
export interface DuplicateKey {
	key: string;
	/** How long an equal key means the same event. */
	windowMs: number;
	/**
	 * Nothing in the payload tells a second delivery after a bounce from a repeat of the first: a
	 * bounce renews the key (rule STAT-05).
	 */
	renewedByBounce: boolean;
	/** The content is all there is: neither an id nor a time identifies the event. */
	byContent: boolean;
}

export interface DedupConfig {
	/** For bodies without id or time. */
	bodyWindowMs: number;
	/** For event ids and provider times. */
	keyRetentionMs: number;
}

/** The provider's event id; otherwise message, event and time; otherwise the identical content. */
export function duplicateKey(
	{ event, providerEventId }: Normalised,
	config: DedupConfig,
): DuplicateKey {
	const kind = event.type === 'unknown' ? event.sourceType : event.type;
	const afterBounce =
		event.type === 'tracked_mail.received' || event.type === 'tracked_mail.opened';
	if (providerEventId !== null) {
		// Includes the kind, since in some services `id` numbers messages, not events.
		const key = digest('id', providerEventId, kind);
		const { keyRetentionMs: windowMs } = config;
		return { key, windowMs, renewedByBounce: false, byContent: false };
	}
	if (event.messageId !== null && event.occurredAt !== null) {
		const key = digest('time', event.messageId, kind, event.occurredAt);
		const renewedByBounce = afterBounce && isDayOnly(event.occurredAt);
		return { key, windowMs: config.keyRetentionMs, renewedByBounce, byContent: false };
	}
	const key = digest('body', kind, event.raw);
	const windowMs = config.bodyWindowMs;
	return { key, windowMs, renewedByBounce: afterBounce, byContent: true };
}

/** The key as stored; `lastBounce` is the sequence of the message's latest bounce, or null. */
export function storedKey(key: DuplicateKey, lastBounce: number | null): string {
	return key.renewedByBounce && lastBounce !== null ? `${key.key}~${lastBounce}` : key.key;
}

/** 128 bits never collide by chance; more would only cost space, since every event stores one. */
function digest(...parts: unknown[]): string {
	return sha256Hex(JSON.stringify(parts)).slice(0, 32);
}

function isDayOnly(time: string): boolean {
	return time.endsWith('T00:00:00.000Z');
}
