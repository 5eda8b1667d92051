import { type DedupConfig, duplicateKey, storedKey } from '../../webhook-receiver/src/dedup';
import { sha256Hex } from '../../webhook-receiver/src/fingerprint';
import { isWanted } from '../../webhook-receiver/src/match';
import { type Headers, normalise } from '../../webhook-receiver/src/normalise';
import type { Asked } from '../shared/events/asked';
import { type EventMemory, KEPT_MS } from './eventMemory';
import type { Outcome } from './startWorkflow';

/** The receiver's defaults (DEDUP_WINDOW, RETENTION). */
const DEDUP: DedupConfig = { bodyWindowMs: 10 * 60 * 1000, keyRetentionMs: KEPT_MS };

/**
 * What a receiver would do with the raw events of one request, as far as a node can: understands them,
 * drops what came before, keeps what was asked for (design § 6; rules EVNT-01 to EVNT-03, EVNT-05).
 *
 * @param now milliseconds since 1970
 */
export function takeDirectEvents(
	raws: readonly unknown[],
	headers: Headers,
	asked: Asked,
	memory: EventMemory,
	now: number,
): Outcome {
	const outcome: Outcome = { events: [], noted: [], duplicates: 0 };
	const note = (key: string, until: number) => {
		memory.remember(key, until);
		outcome.noted.push(key);
	};
	for (const [index, raw] of raws.entries()) {
		const normalised = normalise(raw, headersOf(headers, index));
		const { event } = normalised;
		const isBounce = event.type === 'tracked_mail.undelivered';
		const isAsked = isWanted(asked, event);
		// A bounce is noted even if nobody asked for it: what follows it is new (rule STAT-05).
		if (!isAsked && !isBounce) continue;

		const bounceKey = `bounce-${event.messageId}`;
		const duplicate = duplicateKey(normalised, DEDUP);
		const key = shortHash(storedKey(duplicate, memory.until(bounceKey, now)));
		if (memory.has(key, now)) {
			if (isAsked) outcome.duplicates++;
			continue;
		}
		note(key, now + duplicate.windowMs);
		const sequence = nextSequence(now);
		if (isBounce && event.messageId !== null) note(bounceKey, sequence + KEPT_MS);
		if (!isAsked) continue;
		const receivedAt = new Date(now).toISOString();
		// An identical body counts anew after its window, and is then another event.
		const isAnew = duplicate.windowMs < KEPT_MS;
		const id = `evt_${isAnew ? shortHash(`${key} ${receivedAt}`) : key}`;
		outcome.events.push({ id, ...event, receivedAt, sequence });
	}
	return outcome;
}

/** An event id in the headers names the whole request: its later events are told apart by place. */
function headersOf(headers: Headers, index: number): Headers {
	if (index === 0) return headers;
	const numbered = (name: string) => headers[name] && `${headers[name].toString()}#${index}`;
	return {
		...headers,
		'webhook-id': numbered('webhook-id'),
		'x-event-id': numbered('x-event-id'),
	};
}

/** 128 bits: enough to never meet by chance, and short where n8n keeps hundreds of them. */
function shortHash(text: string): string {
	return sha256Hex(text).slice(0, 32);
}

let lastSequence = 0;

/** Rises with every event, over restarts too, without anything to be kept: it follows the clock. */
function nextSequence(now: number): number {
	lastSequence = Math.max(lastSequence + 1, now);
	return lastSequence;
}
