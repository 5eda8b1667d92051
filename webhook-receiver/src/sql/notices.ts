import type { DeliveryEvent } from '../core/event-contract.ts';

/**
 * A reason to look, as one text, since receivers tell each other too. `due`: a loop may have something to do.
 * `wants`: somebody wants other lists than before. A queue is that of a consumer's batches, or of an n8n's
 * wake-ups.
 */
export type Notice = 'due' | 'wants' | `queue ${string}`;

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
	if (kind === 'due') listener.onDue();
	if (kind === 'wants') listener.onWants();
	if (kind === 'queue') listener.onQueue(name);
}

/**
 * What a database tells its receivers, whichever receiver caused it: at commit, or just before, so that a
 * look right away joins the same commit. A notification is only a reason to look: if the commit fails, the
 * look finds nothing.
 */
export interface StoreListener {
	/** New events, in log order. */
	onEvents(events: readonly DeliveryEvent[]): void;
	/** Something may be due in a queue: a batch was added, or there is room for one. */
	onQueue(key: string): void;
	onDue(): void;
	onWants(): void;
	/** Notices of other receivers may have been missed. Only those of events can't be. */
	onMissed(): void;
	/** Whether anything waits for notices, so that they must not be late. */
	isWaiting(): boolean;
}

/** What one receiver at a time does on a database. */
export interface Leader {
	/** From now on this receiver does it. */
	begin(): void;
	/** Another one may do it: its connection broke. */
	end(): void;
}
