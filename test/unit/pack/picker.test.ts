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

it.each<[string, unknown]>([
	['a list of nothing', []],
	['a list of an empty text', ['']],
	['a list of null', [null]],
	['a list with the id', [ID]],
	['an object', { id: ID }],
	['another id', 'lune'],
	['true', true],
])('[SEND-06][N] and not %s, in a picker neither', (_, value) => {
	expect(readPicked(value, 'customer')).toHaveProperty('problem');
	expect(readPicked(picked(value), 'customer')).toHaveProperty('problem');
	expect(readRequired(value, 'customer')).toHaveProperty('problem');
});

it('where there must be one, no choice is a problem', () => {
	expect(readRequired(picked(''), 'consent')).toEqual({ problem: 'Choose a consent.' });
});
