import type { DeliveryEvent } from '../core/event-contract.ts';
import type { LoggedEvent } from '../pull/plan-batches.ts';

// Events as stored, and how to read them.

export interface EventRow {
	sequence: number;
	/** The event as JSON, without its sequence. */
	event: string;
}

export function toEvent(row: EventRow): DeliveryEvent {
	const event = JSON.parse(row.event) as Omit<DeliveryEvent, 'sequence'>;
	// Older receivers stored none.
	return { ...event, traceparent: event.traceparent ?? null, sequence: row.sequence };
}

/** How many characters of parsed events to cache. */
const RECENT_SIZE = 4_000_000;

/**
 * A cache of parsed events: a thousand consumers may want the same one. Each attempt to store an
 * event gives it a new id, so a rolled-back one is never served.
 */
export class RecentEvents {
	private readonly recent = new Map<string, LoggedEvent>();
	private size = 0;

	read(row: EventRow & { id: string }): LoggedEvent {
		const known = this.recent.get(row.id);
		if (known !== undefined) return known;
		const logged = { event: toEvent(row), size: row.event.length };
		this.recent.set(row.id, logged);
		this.size += logged.size;
		for (const [id, { size }] of this.recent) {
			if (this.size <= RECENT_SIZE) break;
			this.recent.delete(id);
			this.size -= size;
		}
		return logged;
	}
}
