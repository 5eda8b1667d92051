import { v7 } from 'uuid';

/**
 * A new event's id. It begins with the time (UUID version 7), so that each one goes to the end of the
 * database's index: with random ids, every event has another page of it written.
 */
export function newEventId(): string {
	return `evt_${v7()}`;
}
