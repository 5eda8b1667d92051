import { HttpError } from '../../../webhook-receiver/src/core/http-error.ts';
import { readListPage } from '../../../webhook-receiver/src/core/list-page.ts';
import { isTypeOf, listOf, subjectOf } from '../../../webhook-receiver/src/core/lists.ts';
import { withoutQuery } from '../../../webhook-receiver/src/core/without-query.ts';

const META = { currentPage: 2, lastPage: 3, total: 5 };
const DATA = [{ id: 'a' }];
const NO_LIST = 'The service did not answer with a list of the form {data, meta}';
const NO_COUNTS = 'The service did not say how many pages and entries the list has';

it.each<[string, object, object]>([
	['as it is', {}, { data: DATA, total: 5, lastPage: 3 }],
	[
		'with its counts as text',
		{ meta: { currentPage: '2', lastPage: '3', total: '5' } },
		{ data: DATA, total: 5, lastPage: 3 },
	],
	[
		'empty, at its end',
		{ data: [], meta: { ...META, lastPage: 2 } },
		{ data: [], total: 5, lastPage: 2 },
	],
	[
		'empty, past its end',
		{ data: [], meta: { ...META, lastPage: 0, total: 0 } },
		{ data: [], total: 0, lastPage: 0 },
	],
])('[CONS-07][CUST-03] reads a page %s', (_, change, page) => {
	expect(readListPage({ data: DATA, meta: META, ...change }, 2)).toEqual({ page });
});

it.each<[string, unknown, string]>([
	['null', null, NO_LIST],
	['a list', DATA, NO_LIST],
	['a text', 'data', NO_LIST],
	['without data', { meta: META }, NO_LIST],
	['with an object for data', { data: { id: 'a' }, meta: META }, NO_LIST],
	['with an entry that is none', { data: [...DATA, null], meta: META }, NO_LIST],
	['with a list for an entry', { data: [[]], meta: META }, NO_LIST],
	['without meta', { data: DATA }, NO_LIST],
	['with a list for meta', { data: DATA, meta: [] }, NO_LIST],
	[
		'of another page',
		{ data: DATA, meta: { ...META, currentPage: 1 } },
		'The service returned page 1 of the list instead of page 2',
	],
	[
		'of no page',
		{ data: DATA, meta: { ...META, currentPage: undefined } },
		'The service returned page undefined of the list instead of page 2',
	],
	[
		'empty before its end',
		{ data: [], meta: META },
		'Page 2 of the list is empty, though it has 3 pages',
	],
	...['lastPage', 'total'].flatMap((name) =>
		[null, undefined, '', ' x', -1, 1.5, true, NaN, [5]].map((count): [string, unknown, string] => [
			`with ${String(count)} for ${name}`,
			{ data: DATA, meta: { ...META, [name]: count } },
			NO_COUNTS,
		]),
	),
])('[CONS-07][CUST-03] says what is wrong with an answer %s', (_, answer, problem) => {
	expect(readListPage(answer, 2)).toEqual({ problem });
});

it('an event is about its message, consent or customer, and belongs to a list by that alone', () => {
	const none = { messageId: null };
	expect([subjectOf({ ...none, messageId: 'm', consentId: 'c' }), subjectOf(none)]).toEqual([
		'm',
		null,
	]);
	expect(subjectOf({ ...none, consentId: 'c', customerId: 'k' })).toBe('c');
	expect(subjectOf({ ...none, customerId: 'k' })).toBe('k');
	expect([listOf({ consentId: '' }), listOf({ customerId: '' }), listOf({})]).toEqual([
		'consents',
		'customers',
		null,
	]);
	const types = ['consent.accepted', 'customer.accepted', 'consents.x', 'x.consent.y'];
	expect(types.map((type) => isTypeOf('consents', type))).toEqual([true, false, false, false]);
	expect(types.map((type) => isTypeOf('customers', type))).toEqual([false, true, false, false]);
});

it.each([
	['https://n8n.example/a?token=b', 'https://n8n.example/a'],
	['https://n8n.example/a#b?c', 'https://n8n.example/a'],
	['https://n8n.example/a?b\nc?d', 'https://n8n.example/a'],
	['https://n8n.example/a', 'https://n8n.example/a'],
])('%j is logged as %j', (url, logged) => {
	expect(withoutQuery(url)).toBe(logged);
});

it('an answer that is no success keeps what caused it', () => {
	const cause = new Error('why');
	const error = new HttpError(422, 'invalid-wait', 'The wait is not valid.', [1], { cause });
	expect(error).toMatchObject({ status: 422, code: 'invalid-wait', data: [1], cause });
	expect(`${error}`).toBe('HttpError: The wait is not valid.');
});
