import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readField } from '../shared/fields/field';
import { listFields, readLimit } from '../shared/fields/listFields';
import { simplifyFieldWith } from '../shared/fields/simplify';
import { optionsField, type NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';
import { urlAt } from '../shared/transport/ownServer';
import { readReceiver } from '../shared/transport/receiver';
import { askBook, letterFilters, readLetterFilters, type LetterQuery } from './book';

const simplifyField = simplifyFieldWith(
	'Turn off to get sender, workflow, execution and key of the letter as well',
);

/** What most workflows need of a letter. */
const SIMPLIFIED = [
	'messageId',
	'outcome',
	'status',
	'type',
	'recipient',
	'fileReference',
	'customerReference',
	'sentAt',
	'changedAt',
	'link',
];

/** The most letters that a receiver gives at once. */
const PER_PAGE = 500;

/** Lists letters of the receiver's book, newest first (GET /letters). */
export const getMany: NodeOperation = {
	name: 'Get Many Letters',
	value: 'getMany',
	description:
		'List letters and what became of them, from the webhook receiver. It knows the letters that were sent with it in the credential.',
	action: 'Get many letters',
	fields: [...listFields, simplifyField, optionsField(letterFilters)],
	execute: perItem({
		prepare: (context, itemIndex) => ({
			limit: readLimit(context, itemIndex) ?? Infinity,
			simplify: readField(context, itemIndex, simplifyField),
			filter: readLetterFilters(context, itemIndex),
		}),

		async perform(context, { limit, simplify, filter }) {
			const letters: IDataObject[] = [];
			for (let before: string | null = null; letters.length < limit; ) {
				const room = Math.min(limit - letters.length, PER_PAGE);
				const query: LetterQuery = { ...filter, limit: room, ...(before && { before }) };
				const { data, next } = await askBook(context, '/letters', query);
				letters.push(...(data as IDataObject[]));
				if (typeof next !== 'string') break;
				if (next === before) throw repeats(context);
				before = next;
			}
			const { receiverUrl } = await readReceiver(context);
			return letters.map(({ beganAt: sentAt, ...letter }) => {
				const json: IDataObject = { ...letter, sentAt, link: linkTo(receiverUrl, letter) };
				if (!simplify) return { json };
				return { json: Object.fromEntries(SIMPLIFIED.map((name) => [name, json[name]])) };
			});
		},
	}),
};

/** Where the receiver's page tells its story; one without an ID is in the list of its outcome, to be settled there. */
function linkTo(receiverUrl: string, { messageId, outcome }: IDataObject): string {
	const place = typeof messageId === 'string' ? `/${messageId}` : `?outcome=${String(outcome)}`;
	return urlAt(receiverUrl, `/#/letters${place}`);
}

function repeats(context: IExecuteFunctions) {
	return new NodeOperationError(
		context.getNode(),
		'The webhook receiver gives the same page of letters again',
		{
			description:
				'The list would never end, and a part of it is not the whole. Check any proxy or cache between n8n and the receiver.',
		},
	);
}
