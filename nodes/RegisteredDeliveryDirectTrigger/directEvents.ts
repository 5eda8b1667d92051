import {
	type Bounce,
	type DedupConfig,
	duplicateKey,
	storedKey,
} from '../../webhook-receiver/src/core/duplicates';
import { sha256Hex } from '../../webhook-receiver/src/core/fingerprint';
import { isWanted } from '../../webhook-receiver/src/core/match';
import type { Headers } from '../../webhook-receiver/src/core/normalise';
import type { RawEvent } from '../../webhook-receiver/src/core/parse-body';
import { readEvents } from '../../webhook-receiver/src/core/read-events';
import type { DeliveryEvent } from '../../webhook-receiver/src/core/event-contract';
import type { Selection } from '../shared/events/eventSettings';
import { type EventMemory, KEPT_MS } from './eventMemory';

/** The receiver's defaults (DEDUP_WINDOW, RETENTION). */
const DEDUP: DedupConfig = { bodyWindowMs: 10 * 60 * 1000, keyRetentionMs: KEPT_MS };

/** The result for one request's events. */
export interface Taken {
	/** To start the workflow with, one item each. */
	events: DeliveryEvent[];
	/** Keys added to the memory for this request. */
	noted: string[];
	duplicates: number;
}

/**
 * Does what a receiver would with one request's raw events, as far as a node can: parses them,
 * drops duplicates, keeps the selected ones (rules EVNT-01 to EVNT-03, EVNT-05).
 *
 * @param now milliseconds since 1970
 */
export function takeDirectEvents(
	raws: readonly RawEvent[],
	headers: Headers,
	selection: Selection,
	memory: EventMemory,
	now: number,
): Taken {
	const taken: Taken = { events: [], noted: [], duplicates: 0 };
	const note = (key: string, until: number) => {
		memory.remember(key, until);
		taken.noted.push(key);
	};
	for (const normalised of readEvents(raws, headers)) {
		const { event } = normalised;
		const isBounce = event.type === 'tracked_mail.undelivered';
		const isSelected = isWanted(selection, event);
		// A bounce is remembered even if not selected: what follows it is new (rule STAT-05).
		if (!isSelected && !isBounce) continue;

		const duplicate = duplicateKey(normalised, DEDUP);
		const bounces = bounceOf(event.messageId, memory, now);
		const base = storedKey(duplicate, event.occurredAt, bounces);
		const [bare, withAnyId] = [shortHash(base), shortHash(`${base}#`)];
		const hasId = duplicate.id !== null;
		const key = hasId ? shortHash(`${base}#${duplicate.id}`) : bare;
		if ([key, hasId ? bare : withAnyId].some((one) => memory.has(one, now))) {
			if (isSelected) taken.duplicates++;
			continue;
		}
		if (hasId) note(withAnyId, now + duplicate.windowMs);
		note(key, now + duplicate.windowMs);
		const sequence = nextSequence(now);
		if (isBounce && event.messageId !== null) {
			note(bounceKey(event.messageId), sequence + KEPT_MS);
			const { occurredAt } = event;
			if (occurredAt !== null)
				note(bounceTimeKey(event.messageId), Date.parse(occurredAt) + KEPT_MS);
		}
		if (!isSelected) continue;
		const receivedAt = new Date(now).toISOString();
		// After its window an identical body counts again, as another event.
		const isRepeatable = duplicate.windowMs < KEPT_MS;
		const id = `evt_${isRepeatable ? shortHash(`${key} ${receivedAt}`) : key}`;
		taken.events.push({ id, ...event, receivedAt, sequence });
	}
	return taken;
}

const bounceKey = (messageId: string) => `bounce-${messageId}`;
const bounceTimeKey = (messageId: string) => `bounce-time-${messageId}`;

/** The message's last bounce; the memory holds its sequence and time as times to forget them. */
function bounceOf(messageId: string | null, memory: EventMemory, now: number): Bounce[] {
	if (messageId === null) return [];
	const sequence = memory.until(bounceKey(messageId), now);
	const time = memory.until(bounceTimeKey(messageId), now);
	const occurredAt = time === null ? null : new Date(time - KEPT_MS).toISOString();
	return sequence === null ? [] : [{ sequence, occurredAt }];
}

/** 128 bits: enough never to collide by chance, and short where n8n stores hundreds of them. */
function shortHash(text: string): string {
	return sha256Hex(text).slice(0, 32);
}

let lastSequence = 0;

/** Increases with every event, across restarts too, without stored state: it follows the clock. */
function nextSequence(now: number): number {
	lastSequence = Math.max(lastSequence + 1, now);
	return lastSequence;
}
