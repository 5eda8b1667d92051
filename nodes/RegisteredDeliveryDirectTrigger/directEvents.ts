import type { NewEvent } from '../../webhook-receiver/src/core/changes';
import type { DeliveryEvent } from '../../webhook-receiver/src/core/event-contract';
import { sha256Hex } from '../../webhook-receiver/src/core/fingerprint';
import { isWanted } from '../../webhook-receiver/src/core/match';
import { CONTENT_COUNTS_MS, type Mark, markOf } from '../../webhook-receiver/src/core/mark';
import type { Headers } from '../../webhook-receiver/src/core/normalise';
import type { RawEvent } from '../../webhook-receiver/src/core/parse-body';
import { observe } from '../../webhook-receiver/src/core/records';
import { readEvents } from '../../webhook-receiver/src/core/read-events';
import type { Selection } from '../shared/events/eventSettings';
import { type EventMemory, KEPT_MS, type Remembered } from './eventMemory';

/** The result for one request's events. */
export interface Taken {
	/** To start the workflow with, one item each. */
	events: DeliveryEvent[];
	/** What this request added to the memory. */
	noted: Noted[];
	duplicates: number;
}

/** An event in the memory: under its letter, or alone. */
export interface Noted {
	key: string;
	mark: string;
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
	const receivedAt = new Date(now).toISOString();
	for (const normalised of readEvents(raws, headers)) {
		const event = { ...normalised.event, receivedAt };
		const isSelected = isWanted(selection, event);
		// A bounce is remembered even if not selected: what follows it is new (rule STAT-05).
		if (!isSelected && event.type !== 'tracked_mail.undelivered') continue;

		const { mark, byContent } = markOf(normalised);
		const key = event.messageId ?? mark;
		const present = memory.get(key, now);
		const next = after(present, event, { mark, byContent }, now);
		if (next === null) {
			if (isSelected) taken.duplicates++;
			continue;
		}
		memory.remember(key, next);
		taken.noted.push({ key, mark });
		if (!isSelected) continue;
		const sequence = nextSequence(now);
		// What may count again later is another event then.
		const before = present?.record?.changes ?? [];
		const isOnly = !byContent && !before.some(({ type }) => type === event.type);
		const id = `evt_${shortHash(`${key} ${event.type} ${mark} ${isOnly ? '' : receivedAt}`)}`;
		taken.events.push({ id, ...event, sequence });
	}
	return taken;
}

/** What is remembered after an event; null if it is known. */
function after(
	present: Remembered | null,
	event: Omit<NewEvent, 'id'>,
	mark: Mark,
	now: number,
): Remembered | null {
	if (event.messageId === null) {
		const until = now + (mark.byContent ? CONTENT_COUNTS_MS : KEPT_MS);
		return present === null ? { until, record: null } : null;
	}
	const webhook = { kind: 'webhook' as const, event, mark };
	const { record, events } = observe(present?.record ?? null, webhook, now, () => '');
	return events.length === 0 ? null : { until: now + KEPT_MS, record };
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
