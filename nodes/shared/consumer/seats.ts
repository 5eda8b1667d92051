import type { Consumer } from './consumer';
import { Hand } from './hand';

/**
 * A consumer's place in this process. An edited trigger is closed and opened again while its executions
 * run: what it has in hand stays, and whoever was opened last speaks for it.
 */
export interface Seat {
	readonly hand: Hand;
	/** Opened last; it may have been closed since. */
	consumer: Consumer | null;
	/** The last one was refused, and n8n is to open another for it. */
	isRecovering: boolean;
}

const seats = new Map<string, Seat>();

export function seatOf(consumerKey: string): Seat {
	const seat = seats.get(consumerKey) ?? { hand: new Hand(), consumer: null, isRecovering: false };
	seats.set(consumerKey, seat);
	return seat;
}
