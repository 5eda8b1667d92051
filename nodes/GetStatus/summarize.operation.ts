import { optionsField, type NodeOperation } from '../shared/items/operation';
import { perItem } from '../shared/items/perItem';
import { askBook, letterFilters, readLetterFilters } from './book';

/** Counts letters of the receiver's book by what became of them (GET /letters/summary). */
export const summarize: NodeOperation = {
	name: 'Summarize Letters',
	value: 'summarize',
	description:
		'Count letters by what became of them, from the webhook receiver. It knows the letters that were sent with it in the credential.',
	action: 'Summarize letters',
	fields: [optionsField(letterFilters)],
	execute: perItem({
		prepare: readLetterFilters,
		perform: async (context, filter) => await askBook(context, '/letters/summary', filter),
	}),
};
