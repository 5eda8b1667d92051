import type { IDataObject } from 'n8n-workflow';

import { concurrencyField, readConcurrency } from '../shared/items/concurrency';
import { readFields } from '../shared/fields/field';
import { messageIdField } from '../shared/fields/messageId';
import { simplifyFieldWith } from '../shared/fields/simplify';
import { optionsField, type NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';
import { requestMessage, type ServiceMessage } from '../shared/transport/readMessage';

const simplifyField = simplifyFieldWith('Turn off to get the signed links to the evidence as well');

/**
 * Reads a letter's status and evidence, simplified or as the service returns them. Unknown statuses pass
 * through (interface, GET /messages/{id}; rules READ-01 to READ-06).
 */
export const get: NodeOperation = {
	name: 'Get Status',
	value: 'get',
	description: 'Get the status of a letter and the links to its evidence',
	action: 'Get status of letter',
	fields: [messageIdField, simplifyField, optionsField({ concurrencyField })],
	execute: perItem(
		{
			prepare: (context, itemIndex) =>
				readFields(context, itemIndex, { id: messageIdField, simplify: simplifyField }),

			async perform(context, { id, simplify }) {
				const message = await requestMessage(context, id);
				return simplify ? summary(message) : { messageId: id, ...message };
			},
		},
		readConcurrency,
	),
};

/** Statuses after which nothing more happens, whatever the type (interface, Message status). */
const FINAL = ['ACCEPTED', 'REFUSED', 'EXPIRED', 'OPENED'];

/** Statuses that may still change; UNDELIVERED is reversible. */
const NOT_FINAL = ['SCHEDULED', 'SENT', 'UNDELIVERED'];

/**
 * What most workflows need from a message (rules READ-02, READ-06). An unknown status passes through, with
 * `final` null.
 */
function summary(message: ServiceMessage): IDataObject {
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
