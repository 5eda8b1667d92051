import { DEFAULT_MAPPING, headersOf, normalise } from './normalise.ts';
import type { Headers, Normalised } from './normalise.ts';
import type { RawEvent } from './parse-body.ts';
import { isDayOnly } from './read-time.ts';

/** What the events of one request say, in the order in which they happened. */
export function readEvents(
	raws: readonly RawEvent[],
	headers: Headers,
	mapping = DEFAULT_MAPPING,
): Normalised[] {
	const events = raws.map(({ raw, own, around, leftOut }, index) => {
		const read = normalise(own, headersOf(headers, index, mapping), mapping, around);
		return { ...read, event: { ...read.event, raw }, leftOut };
	});
	return chronological(events);
}

/**
 * Those of a message in the order of the service's times. What has no time of its own stays in its
 * place: no time, a date alone, or one that another kind of event has too, since then it is the
 * message's.
 */
function chronological(events: readonly Normalised[]): Normalised[] {
	const kinds = new Map<string, Set<string>>();
	for (const one of events) {
		const present = kinds.get(momentOf(one)) ?? new Set();
		kinds.set(momentOf(one), present.add(one.event.type));
	}
	const ofMessages = new Map<string, number[]>();
	for (const [index, one] of events.entries()) {
		const { messageId, occurredAt } = one.event;
		const isExact = occurredAt !== null && !isDayOnly(occurredAt);
		if (messageId === null || !isExact || kinds.get(momentOf(one))?.size !== 1) continue;
		const places = ofMessages.get(messageId);
		if (places === undefined) ofMessages.set(messageId, [index]);
		else places.push(index);
	}
	const ordered = [...events];
	for (const places of ofMessages.values()) {
		const byTime = places.map((index) => events[index] as Normalised).sort(compareTimes);
		for (const [n, index] of places.entries()) ordered[index] = byTime[n] as Normalised;
	}
	return ordered;
}

function momentOf({ event }: Normalised): string {
	return `${event.messageId} ${event.occurredAt}`;
}

function compareTimes({ event: left }: Normalised, { event: right }: Normalised): number {
	return Date.parse(left.occurredAt ?? '') - Date.parse(right.occurredAt ?? '');
}
