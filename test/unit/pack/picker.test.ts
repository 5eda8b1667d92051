import { readPicked, readRequired } from '../../../nodes/shared/fields/picker.ts';

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const picked = (value: unknown) => ({ __rl: true, mode: 'id', value });

it.each<[string, unknown, string]>([
	['an id', ID, ID],
	['one with spaces around', ` ${ID} `, ID],
	['a picker', picked(ID), ID],
	['a picker without a choice', picked(''), ''],
	['nothing', undefined, ''],
])('[SEND-06][N] what is picked may be %s', (_, value, id) => {
	expect(readPicked(value, 'customer')).toEqual({ value: id });
});

it.each<[string, unknown, RegExp]>([
	['a list of nothing', [], /text is required/],
	['a list of an empty text', [''], /text is required/],
	['a list of null', [null], /text is required/],
	['a list with the id', [ID], /text is required/],
	['an object', { id: ID }, /text is required/],
	['another id', 'lune', /^"lune" is not a customer ID/],
	['true', true, /text is required/],
])('[SEND-06][N] and not %s, in a picker neither', (_, value, words) => {
	const problem = { problem: expect.stringMatching(words) };
	expect(readPicked(value, 'customer')).toEqual(problem);
	expect(readPicked(picked(value), 'customer')).toEqual(problem);
	expect(readRequired(value, 'customer')).toEqual(problem);
});

it('where there must be one, no choice is a problem', () => {
	expect(readRequired(picked(ID), 'consent')).toEqual({ value: ID });
	expect(readRequired(picked(''), 'consent')).toEqual({ problem: 'Choose a consent.' });
});
