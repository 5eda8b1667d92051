import type { DeliveryEvent } from '../contract.ts';
import type { Activity, Backlog, Delivery, DeliveryState, RetriedStep } from './store.ts';

// What both stores keep, and how it is read.

export interface EventRow {
	sequence: number;
	/** The event as JSON, but for its sequence. */
	event: string;
}

export interface DeliveryRow {
	id: number;
	subscription: string;
	event_id: string;
	state: DeliveryState;
	attempts: number;
	next_attempt_at: number;
	last_result: string | null;
	created_at: number;
	updated_at: number;
}

export interface BacklogRow {
	subscription: string;
	state: DeliveryState;
	count: number;
	oldest: number;
}

export interface ActivityRow {
	at: number;
	kind: 'events' | DeliveryState;
	count: number;
}

export function toEvent(row: EventRow): DeliveryEvent {
	const event = JSON.parse(row.event) as Omit<DeliveryEvent, 'sequence'>;
	return { ...event, sequence: row.sequence };
}

export function toDelivery(row: DeliveryRow): Delivery {
	const isPending = row.state === 'pending';
	return {
		id: row.id,
		subscription: row.subscription,
		eventId: row.event_id,
		state: row.state,
		attempts: row.attempts,
		nextAttemptAt: isPending ? new Date(row.next_attempt_at).toISOString() : null,
		lastResult: row.last_result,
		createdAt: new Date(row.created_at).toISOString(),
		updatedAt: new Date(row.updated_at).toISOString(),
	};
}

export function toBacklog(rows: readonly BacklogRow[]): Backlog[] {
	const all = new Map<string, Backlog>();
	for (const { subscription, state, count, oldest } of rows) {
		const empty = { subscription, pending: 0, oldestPendingAt: null, dead: 0 };
		const one = all.get(subscription) ?? empty;
		const more = state === 'dead' ? { dead: count } : { pending: count, oldestPendingAt: oldest };
		all.set(subscription, { ...one, ...more });
	}
	return [...all.values()];
}

export function toActivity(rows: readonly ActivityRow[]): Activity[] {
	const all = new Map<number, Activity>();
	for (const { at, kind, count } of rows) {
		if (kind === 'pending') continue;
		const one = all.get(at) ?? { at, events: 0, delivered: 0, dead: 0 };
		all.set(at, { ...one, [kind]: count });
	}
	return [...all.values()].sort((left, right) => left.at - right.at);
}

/** `dead` came in the order of their ids, at most `limit` of them. */
export function retriedStep(
	dead: ReadonlyArray<{ id: number; subscription: string }>,
	limit: number,
): RetriedStep {
	return {
		retried: dead.length,
		subscriptions: [...new Set(dead.map((delivery) => delivery.subscription))],
		next: dead.length < limit ? null : (dead.at(-1)?.id ?? null),
	};
}
