import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { byName } from '../shared/fields/byName';
import { concurrencyField } from '../shared/fields/concurrencyField';
import { messageIdField, readMessageId } from '../shared/fields/messageId';
import { readParameter } from '../shared/fields/parameter';
import { oneOf } from '../shared/fields/reading';
import { optionsField } from '../shared/items/operation';

/** Selects all evidence of a letter. */
export const ALL = 'all';

/** Evidence event types (rule EVID-01). */
const eventTypes: INodePropertyOptions[] = [
	{ name: 'Accepted', value: 'ACCEPTED', description: 'The recipient accepted; LRE only' },
	{ name: 'Expired', value: 'EXPIRED', description: 'The recipient did not act in time' },
	{ name: 'Received', value: 'RECEIVED', description: 'The recipient opened it; LS only' },
	{ name: 'Refused', value: 'REFUSED', description: 'The recipient refused; LRE only' },
	{ name: 'Sent', value: 'SENT', description: 'The letter was sent' },
	{ name: 'Undelivered', value: 'UNDELIVERED', description: 'The email could not be delivered' },
];

/** Event types that only one kind of letter has. */
export const ONLY_FOR: Record<string, string> = {
	ACCEPTED: 'ACCEPTED exists for registered letters (LRE) only.',
	REFUSED: 'REFUSED exists for registered letters (LRE) only.',
	RECEIVED: 'RECEIVED exists for simple letters (LS) only.',
};

const eventTypeField: INodeProperties = {
	displayName: 'Event Type',
	name: 'eventType',
	type: 'options',
	options: eventTypes,
	default: 'SENT',
	description: 'What the evidence proves. Tracked mail never has evidence.',
};

const eventTypeOrAllField: INodeProperties = {
	...eventTypeField,
	options: [
		...eventTypes,
		{ name: 'All', value: ALL, description: 'All evidence that the letter has so far' },
	].sort(byName),
	default: ALL,
};

const optionsCollection = optionsField([concurrencyField]);

/** The fields that choose the evidence; `All` is a choice if the operation can return several pieces. */
export function evidenceFields(canGetAll: boolean): INodeProperties[] {
	return [messageIdField, canGetAll ? eventTypeOrAllField : eventTypeField, optionsCollection];
}

/** @throws InvalidItem (rules READ-01, EVID-01) */
export function readEvidenceFields(
	context: IExecuteFunctions,
	itemIndex: number,
	canGetAll: boolean,
): { id: string; eventType: string } {
	const known = eventTypes.map(({ value }) => String(value));
	const reader = oneOf(canGetAll ? [ALL, ...known] : known);
	return {
		id: readParameter(context, itemIndex, messageIdField, readMessageId),
		eventType: readParameter(context, itemIndex, eventTypeField, reader),
	};
}
