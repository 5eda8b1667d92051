import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { problemsError } from '../shared/findings';
import { readIsolate } from '../shared/isolateField';
import { outputItem, prepareAll, type Outcome } from '../shared/perItem';
import { sendAll, type KeyedLetter } from './mailing';
import { mailingHint } from './progress';
import { watchLetters } from './watchLetters';
import { readMailingSettings } from './mailingOptions';
import { readLetter } from './readLetter';

/**
 * Sends one letter to each recipient of every item (interface, POST /messages/bulk_send).
 *
 * All items are checked before the first letter leaves. Each input item has its own output item.
 */
export async function send(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const prepared = await prepareAll(context, (index) => checkedLetter(context, index));
	const letters = prepared.flatMap((outcome) => ('value' in outcome ? [outcome.value] : []));
	const settings = { ...readMailingSettings(context), isIsolating: readIsolate(context) };
	const sent = await watchLetters(context, letters, await sendAll(context, letters, settings));
	const hint = mailingHint(sent);
	if (hint !== null) context.addExecutionHints(hint);
	return prepared.map((outcome, index) =>
		outputItem('error' in outcome ? outcome : (sent.get(index) as Outcome<IDataObject>), index),
	);
}

async function checkedLetter(context: IExecuteFunctions, itemIndex: number): Promise<KeyedLetter> {
	const { letter, problems } = await readLetter(context, itemIndex);
	if (letter === null) throw problemsError(context, itemIndex, problems);
	return letter;
}
