// Every form in which an answer may say what was rejected. What is made of it per item is in
// sending/locateRejections.test.ts.
import { readRejections } from '../../../nodes/shared/transport/rejections.ts';

const one = (entry: unknown) => readRejections({ errors: [entry] })[0];

it.each<[string, unknown, object]>([
	['a list of texts is one text', ['No', 'way'], { message: 'No way' }],
	['a list of anything else is shown as it is', [1, 'way'], { message: '[1,"way"]' }],
	[
		'the reason stands in for a message that is no text',
		{ message: 5, reason: 'R' },
		{ message: 'R' },
	],
	['or for one that is empty', { message: '', reason: 'R' }, { message: 'R' }],
	['and so does the error', { error: 'E' }, { message: 'E' }],
	['a number as text is an index', { index: '12', message: 'No' }, { index: 12 }],
	['a text that only ends with one is none', { index: 'a12', message: 'No' }, { index: null }],
	['nor one that begins with it', { index: '12a', message: 'No' }, { index: null }],
	[
		'nor what is below 0, or no whole number',
		{ index: -1, position: 1.5, message: 'No' },
		{ index: null },
	],
])('[SEND-11][N] %s', (_, entry, expected) => {
	expect(one(entry)).toMatchObject(expected);
});

it.each([
	['Bad address x@y.example!!', 'x@y.example'],
	["'x@y.example' is bad", 'x@y.example'],
	["'tis@y.example is bad", "'tis@y.example"],
	['X@y.example, or x@y.example', 'X@y.example'],
	['a@y.example, or b@y.example', null],
])('[SEND-11][N] the address in %s', (message, email) => {
	expect(one(message).email).toBe(email);
});

it('[SEND-11][N] an address in the words about a field may be that of a bystander', () => {
	expect(one({ message: 'duplicate of x@y.example' }).email).toBe('x@y.example');
	expect(one({ field: 'email', message: 'duplicate of x@y.example' }).email).toBeNull();
	expect(one({ index: 1, message: 'duplicate of x@y.example' }).email).toBeNull();
});

it('[SEND-11][N] looks for the address three levels deep, and no deeper', () => {
	const contact = { email: 'x@y.example' };
	expect(one({ message: 'No', recipient: { contact } }).email).toBe('x@y.example');
	expect(one({ message: 'No', recipient: { of: { contact } } }).email).toBeNull();
});

it('[SEND-11][N] an object is one entry, or entries by name', () => {
	expect(readRejections({ errors: { message: 'No', rule: 'r' } })).toMatchObject([
		{ message: 'No', rule: 'r', index: null },
	]);
	expect(readRejections({ errors: { 3: 'No', 'customers.1.email': 'Bad' } })).toMatchObject([
		{ message: 'No', index: 3 },
		{ message: 'Bad', list: 'customers', position: 1, field: 'email' },
	]);
});

it('[SEND-11][N] of the data, only what is named like an entry is one', () => {
	const data = { 2: 'No', info: { message: 'all is well' }, 'x@y.example': 'Bad' };
	expect(readRejections({ data }).map(({ message }) => message)).toEqual(['No', 'Bad']);
});

it.each<[string, object]>([
	['recipients.3', { list: 'recipients', position: 3, field: null }],
	['recipients[12]', { list: 'recipients', position: 12, field: null }],
	['customers[12].email', { list: 'customers', position: 12, field: 'email' }],
	['of customers[3].email', { list: null, field: 'of customers[3].email' }],
	['customers[3]email', { list: null, field: 'customers[3]email' }],
])('[SEND-11][N] the field %s', (field, expected) => {
	expect(one({ field, message: 'No' })).toMatchObject(expected);
});
