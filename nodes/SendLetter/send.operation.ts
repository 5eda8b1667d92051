import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { problemsError } from '../shared/findings';
import { toItems } from '../shared/sending/output';
import { sendAll, type SendingOperation } from '../shared/sending/sendAll';
import { readMailingSettings } from './mailingOptions';
import { mailingHint } from './progress';
import { readLetter } from './readLetter';
import { sendPosting, type LetterEntry } from './sendPosting';
import { watchLetters } from './watchLetters';

const sending: SendingOperation<LetterEntry> = {
	posting: sendPosting,
	settings: readMailingSettings,
	async prepare(context, itemIndex) {
		const { entry, problems } = await readLetter(context, itemIndex);
		if (entry === null) throw problemsError(context, itemIndex, problems);
		return [entry];
	},
};

/**
 * Sends one letter to each recipient of every item (interface, POST /messages/bulk_send).
 *
 * All items are checked before the first letter leaves. Each input item has its own output item.
 */
export async function send(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const results = await sendAll(context, sending);
	await watchLetters(context, results);
	const hint = mailingHint(results);
	if (hint !== null) context.addExecutionHints(hint);
	return toItems(results);
}
