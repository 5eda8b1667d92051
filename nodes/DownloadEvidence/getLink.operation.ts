import { readConcurrency } from '../shared/items/concurrency';
import { readFields } from '../shared/fields/field';
import type { NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';
import { evidenceOptions, onePiece } from './evidenceFields';
import { readLink } from './links';

/** Gets the signed link to a piece of evidence, which expires (rules EVID-01, EVID-02, AES-07). */
export const getLink: NodeOperation = {
	name: 'Get Link to Evidence',
	value: 'getLink',
	description:
		'Get the link to evidence instead of the PDF file. Anyone with the link can open it until it expires.',
	action: 'Get link to evidence',
	fields: [onePiece.id, onePiece.eventType, evidenceOptions],
	execute: perItem(
		{
			prepare: (context, itemIndex) => readFields(context, itemIndex, onePiece),

			async perform(context, { id, eventType }) {
				return { messageId: id, eventType, url: await readLink(context, id, eventType) };
			},
		},
		readConcurrency,
	),
};
