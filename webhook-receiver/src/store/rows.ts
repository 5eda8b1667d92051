import type { DeliveryEvent } from '../contract.ts';
import type { LoggedEvent } from '../pull/plan-batches.ts';
import type { Activity } from './store.ts';

// What both stores keep, and how it is read.

export interface EventRow {
	sequence: number;
	/** The event as JSON, but for its sequence. */
	event: string;
}

export interface ActivityRow {
	at: number;
	kind: 'events' | 'done' | 'dead';
	count: number;
}

export function toEvent(row: EventRow): DeliveryEvent {
	const event = JSON.parse(row.event) as Omit<DeliveryEvent, 'sequence'>;
	return { ...event, sequence: row.sequence };
}

export function toLoggedEvent(row: EventRow): LoggedEvent {
	return { event: toEvent(row), size: row.event.length };
}

export function toActivity(rows: readonly ActivityRow[]): Activity[] {
	const all = new Map<number, Activity>();
	for (const { at, kind, count } of rows) {
		const one = all.get(at) ?? { at, events: 0, done: 0, dead: 0 };
		all.set(at, { ...one, [kind]: count });
	}
	return [...all.values()].sort((left, right) => left.at - right.at);
}
