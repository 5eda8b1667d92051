import type { DeliveryEvent } from '../core/event-contract.ts';

/**
 * A reason to look, as one text, since receivers tell each other too. A queue is that of a consumer's
 * batches, or of an n8n's wake-ups.
 */
export type Notice = 'waits' | 'polls' | `queue ${string}`;

/** What a transaction has to tell listeners. */
export class Notices extends Set<Notice> {
	/** In log order. */
	readonly events: DeliveryEvent[] = [];

	/** Returns whether there was any. */
	tell(listener: StoreListener): boolean {
		if (this.events.length > 0) listener.onEvents(this.events);
		for (const notice of this) pass(notice, listener);
		return this.events.length + this.size > 0;
	}
}

/** Does nothing with a notice that only a newer receiver understands. */
export function pass(notice: string, listener: StoreListener): void {
	const [kind, name = ''] = notice.split(' ');
	if (kind === 'waits') listener.onWaits();
	if (kind === 'polls') listener.onPolls();
	if (kind === 'queue') listener.onQueue(name);
}

/**
 * What a store tells the receivers that hold pulls, whichever receiver caused it: at commit, or
 * just before, so that a look right away joins the same commit. A notification is only a reason to
 * look: if the commit fails, the look finds nothing.
 */
export interface StoreListener {
	/** New events, in log order. */
	onEvents(events: readonly DeliveryEvent[]): void;
	/** Something may be due in a queue: a batch was added, or there is room for one. */
	onQueue(key: string): void;
	/** There is news for an open wait. */
	onWaits(): void;
	/** There is something new to poll. */
	onPolls(): void;
	/** Whatever other receivers told may have been missed, but for events. */
	onMissed(): void;
	/** Whether anybody waits for what it is told, and minds a late word. */
	isWaiting(): boolean;
}
