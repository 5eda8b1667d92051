import { DEFAULT_MAPPING, normalise } from './normalise.ts';
import type { Headers, Normalised } from './normalise.ts';
import { isDayOnly } from './read-time.ts';

/** What the events of one request say, in the order in which they happened. */
export function readEvents(
	raws: readonly unknown[],
	headers: Headers,
	mapping = DEFAULT_MAPPING,
): Normalised[] {
	return chronological(raws.map((raw) => normalise(raw, headers, mapping)));
}

/**
 * Those of a message in the order of the service's times. What has no time of its own stays in its
 * place: no time, a date alone, or one that another kind of event has too, since then it is the
 * message's.
 */
function chronological(events: readonly Normalised[]): Normalised[] {
	const kinds = new Map<string, string>();
	const shared = new Set<string>();
	for (const one of events) {
		const moment = momentOf(one);
		if ((kinds.get(moment) ?? one.event.type) !== one.event.type) shared.add(moment);
		kinds.set(moment, one.event.type);
	}
	const timed = events.filter((one) => {
		const { messageId, occurredAt } = one.event;
		const isExact = occurredAt !== null && !isDayOnly(occurredAt);
		return messageId !== null && isExact && !shared.has(momentOf(one));
	});
	const places = new Set(timed);
	const queues = new Map<string | null, Normalised[]>();
	for (const one of timed.sort(compareTimes)) {
		const { messageId } = one.event;
		const queue = queues.get(messageId) ?? [];
		queue.push(one);
		queues.set(messageId, queue);
	}
	return events.map((one) => (places.has(one) && queues.get(one.event.messageId)?.shift()) || one);
}

function momentOf({ event }: Normalised): string {
	return `${event.messageId} ${event.occurredAt}`;
}

function compareTimes({ event: left }: Normalised, { event: right }: Normalised): number {
	return Date.parse(left.occurredAt ?? '') - Date.parse(right.occurredAt ?? '');
}
