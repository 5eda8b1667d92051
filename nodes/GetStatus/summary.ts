import type { IDataObject } from 'n8n-workflow';

import type { ServiceMessage } from '../shared/message';

/** Statuses after which nothing more happens, whatever the type (interface, Message status). */
const FINAL = ['ACCEPTED', 'REFUSED', 'EXPIRED', 'OPENED'];

/** Statuses that others follow; UNDELIVERED is reversible. */
const UNDER_WAY = ['SCHEDULED', 'SENT', 'UNDELIVERED'];

/**
 * What most workflows need of a message (rules READ-02, READ-06). A status this pack does not know
 * passes through, and whether it is final is then null.
 */
export function summary(message: ServiceMessage): IDataObject {
	const { id, status } = message;
	const evidenceTypes = eventTypes(message);
	return { id, status, final: isFinal(status, evidenceTypes), evidenceTypes };
}

/** The event types a message has evidence of, each once. */
export function eventTypes({ evidences }: ServiceMessage): string[] {
	return [...new Set(evidences.map(({ eventType }) => eventType))];
}

// RECEIVED ends a simple letter, which then has evidence of it; tracked mail, which never has any, can
// still be opened.
function isFinal(status: string, evidenceTypes: string[]): boolean | null {
	if (status === 'RECEIVED') return evidenceTypes.includes('RECEIVED');
	if (FINAL.includes(status)) return true;
	return UNDER_WAY.includes(status) ? false : null;
}
