import { InvalidItem } from '../shared/items/invalidItem';
import type { NodeOperation } from '../shared/items/operation';
import { sendAll, toItems, type SendingOperation } from '../shared/sending/sendAll';
import { letterFields } from './letterFields';
import { mailingHint } from './mailingHint';
import { readMailingSettings } from './mailingSettings';
import { readLetter } from './readLetter';
import { sendPosting, type LetterEntry } from './sendPosting';
import { watchLetters } from './watchLetters';

/** Sends one letter to each recipient of every item (interface, POST /messages/bulk_send). */
export const send: NodeOperation = {
	name: 'Send Letter',
	value: 'send',
	description:
		'Send a letter to one or more recipients, now or later. Each recipient is charged as a letter; registered letters (LRE) have legal effect.',
	action: 'Send letter (charged)',
	fields: letterFields,
	async execute(context) {
		const results = await sendAll(context, sending);
		const hint = mailingHint(results);
		if (hint !== null) context.addExecutionHints(hint);
		return toItems(results);
	},
};

const sending: SendingOperation<LetterEntry> = {
	posting: sendPosting,
	settings: readMailingSettings,
	after: watchLetters,
	async prepare(context, itemIndex) {
		const { entry, problems } = await readLetter(context, itemIndex);
		if (entry === null) throw new InvalidItem(problems);
		return [entry];
	},
};
