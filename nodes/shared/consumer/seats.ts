import type { Consumer } from './consumer';
import { Hand } from './hand';
import { Outage } from './outage';

/**
 * A consumer's place in this process. An edited trigger is closed and opened again while its executions
 * run: what it has in hand stays, and whoever was opened last speaks for it.
 */
export interface Seat {
	readonly hand: Hand;
	/** Opened last; it may have been closed since. */
	consumer: Consumer | null;
	/** What the receiver has done wrong since its last answer. */
	outage: Outage;
	/** The receiver's time of its last answer. */
	since: string | null;
}

const seats = new Map<string, Seat>();

export function seatOf(consumerKey: string): Seat {
	const seat = seats.get(consumerKey) ?? emptySeat();
	seats.set(consumerKey, seat);
	return seat;
}

function emptySeat(): Seat {
	return { hand: new Hand(), consumer: null, outage: new Outage(), since: null };
}
