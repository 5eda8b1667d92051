import { concurrencyField } from '../shared/items/concurrency';
import { choiceField } from '../shared/fields/field';
import { messageIdField } from '../shared/fields/messageId';
import { byName, optionsField } from '../shared/items/operation';

/** Selects all evidence of a letter. */
export const ALL = 'all';

/** Evidence event types (rule EVID-01). */
const eventTypes = [
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

const eventType = {
	displayName: 'Event Type',
	name: 'eventType',
	description: 'What the evidence proves. Tracked mail never has evidence.',
};

/** Which evidence of which letter. */
export const onePiece = {
	id: messageIdField,
	eventType: choiceField({ ...eventType, options: eventTypes, default: 'SENT' }),
};

/** The same, or all there is. */
export const onePieceOrAll = {
	id: messageIdField,
	eventType: choiceField({
		...eventType,
		options: [
			...eventTypes,
			{ name: 'All', value: ALL, description: 'All evidence that the letter has so far' },
		].sort(byName),
		default: ALL,
	}),
};

export const evidenceOptions = optionsField({ concurrencyField });
