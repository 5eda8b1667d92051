import { isRecord } from './isRecord';
import { readMessageId } from './messageId';

/** A piece of evidence, and the signed link to it, which expires. */
export interface Evidence {
	eventType: string;
	url: string;
}

/** A message as the service gives it; it may have members beyond these (interface, Message). */
export interface ServiceMessage {
	id: string;
	/** One that the pack does not know passes through. */
	status: string;
	evidences: Evidence[];
}

/** What an answer should have been, for the words of the error. */
export const MESSAGE_SHAPE = 'the message asked for, with its id, status and evidences';

/**
 * Reads the answer of `GET /messages/{id}`, and what it has beyond the interface with it. Null when it
 * has not the interface's shape, or is about another message (rules READ-02, READ-06).
 *
 * @param id the 12 digits that were asked for; a number in the answer gets its leading zeros back
 */
export function readMessage(body: unknown, id: string): ServiceMessage | null {
	if (!isRecord(body)) return null;
	const { status, evidences } = body;
	const given = readMessageId(body.id);
	if (!('id' in given) || given.id !== id) return null;
	if (typeof status !== 'string' || status === '') return null;
	if (!Array.isArray(evidences) || !evidences.every(isEvidence)) return null;
	return { ...body, id, status, evidences };
}

function isEvidence(entry: unknown): entry is Evidence {
	return isRecord(entry) && typeof entry.eventType === 'string' && typeof entry.url === 'string';
}
