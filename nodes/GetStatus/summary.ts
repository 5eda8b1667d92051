import type { IDataObject } from 'n8n-workflow';

import type { ServiceMessage } from '../shared/transport/readMessage';

/** Statuses after which nothing more happens, whatever the type (interface, Message status). */
const FINAL = ['ACCEPTED', 'REFUSED', 'EXPIRED', 'OPENED'];

/** Statuses that may still change; UNDELIVERED is reversible. */
const NOT_FINAL = ['SCHEDULED', 'SENT', 'UNDELIVERED'];

/**
 * What most workflows need from a message (rules READ-02, READ-06). An unknown status passes through, with
 * `final` null.
 */
export function summary(message: ServiceMessage): IDataObject {
	const { id, status, evidences } = message;
	const evidenceTypes = [...new Set(evidences.map(({ eventType }) => eventType))];
	return { messageId: id, status, final: isFinal(status, evidenceTypes), evidenceTypes };
}

// RECEIVED is final for a simple letter, which then has evidence of it. Tracked mail never has evidence, and
// can still be opened.
function isFinal(status: string, evidenceTypes: string[]): boolean | null {
	if (status === 'RECEIVED') return evidenceTypes.includes('RECEIVED');
	if (FINAL.includes(status)) return true;
	return NOT_FINAL.includes(status) ? false : null;
}
