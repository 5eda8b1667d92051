import { v7 } from 'uuid';

/**
 * UUID version 7 begins with the time, so each new id goes to the end of the database's index. Random ones
 * would make every event write another page of it.
 */
export function newEventId(): string {
	return `evt_${v7()}`;
}
