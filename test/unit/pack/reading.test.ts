// Values that expressions give, and what they are read as.
import fc from 'fast-check';
import { DateTime } from 'luxon';

import { describeValue } from '../../../nodes/shared/fields/describeValue.ts';
import { readFlag, readText, readTexts, wholeNumber } from '../../../nodes/shared/fields/field.ts';
import { invalidItemError } from '../../../nodes/shared/items/invalidItem.ts';
import { readMessage } from '../../../nodes/shared/transport/message.ts';
import { numberOnTheEdge } from '../../support/characters.ts';
import { waitInWords } from '../../../nodes/shared/transport/retryAfter.ts';

const date = DateTime.fromISO('2030-01-02T10:00:00Z', { zone: 'utc' });
const circular: Record<string, unknown> = {};
circular.self = circular;

describe('a text', () => {
	it.each<[unknown, string]>([
		[' a ', 'a'],
		['', ''],
		[7, '7'],
		[0, '0'],
		[undefined, ''],
		[null, ''],
		[12.5, '12.5'],
		[-0, '0'],
		[0.001, '0.001'],
		[19.99, '19.99'],
		[Number.MAX_SAFE_INTEGER, '9007199254740991'],
		['\ufeffa\u00a0', 'a'],
		['Zo\u200be', 'Zo\u200be'],
	])('%p is read as %p', (value, text) => {
		expect(readText(value)).toEqual({ value: text });
	});

	it.each<[unknown, string]>([
		[{ a: 1 }, 'It is an object, {"a":1}; text is required.'],
		[{ a: 'x'.repeat(100) }, `It is an object, {"a":"${'x'.repeat(54)}…; text is required.`],
		[['a'], 'It is a list, ["a"]; text is required.'],
		[true, 'It is true; text is required.'],
		[NaN, 'It is NaN; text is required.'],
		[date, 'It is the date 2030-01-02T10:00:00.000Z; text is required.'],
		[new Date(0), 'It is the date 1970-01-01T00:00:00.000Z; text is required.'],
		[circular, 'It is an object, …; text is required.'],
		['\u200b', 'It is "\u200b", which shows nothing.'],
	])('%p is none', (value, problem) => {
		expect(readText(value)).toEqual({ problem });
	});

	it.each([
		'9007199254740992',
		'20260042000000001',
		'1e21',
		'-1e21',
		'1e-7',
		'0.30000000000000004',
	])('%s as a number is none: it may have been another', (digits) => {
		const { problem } = readText(Number(digits)) as { problem: string };
		expect(problem).toMatch(/^It is the number \S+, and .* Format the column as text/);
	});

	it('no two numbers that are written in two ways are one text', () => {
		const written = fc.stringMatching(/^[1-9]\d{14,17}$|^[1-9]\d{0,6}\.\d{0,6}[1-9]$/);
		fc.assert(
			fc.property(fc.oneof(written, numberOnTheEdge.map(String)), (text) => {
				const reading = readText(Number(text));
				if ('value' in reading) expect(reading.value.replace(/^-0$/, '0')).toBe(text);
			}),
			{ numRuns: 2000 },
		);
	});
});

it.each<[unknown]>([[10n], [Symbol('x')], [() => 1], [new Date(NaN)], [DateTime.invalid('x')]])(
	'%p can be described',
	(value) => {
		expect(describeValue(value)).not.toBe('');
	},
);

describe('a flag', () => {
	it.each<[unknown, boolean]>([
		[true, true],
		[false, false],
		['true', true],
		['false', false],
		[' FALSE ', false],
		['no', false],
		['Yes', true],
		[1, true],
		[0, false],
	])('%p is read as %p', (value, flag) => {
		expect(readFlag(value)).toEqual({ value: flag });
	});

	it.each<[unknown, string]>([
		['', 'It is empty; true or false is required.'],
		[undefined, 'It is undefined; true or false is required.'],
		[null, 'It is null; true or false is required.'],
		['maybe', 'It is "maybe"; true or false is required.'],
		[2, 'It is 2; true or false is required.'],
		[{}, 'It is an object, {}; true or false is required.'],
		[['true'], 'It is a list, ["true"]; true or false is required.'],
	])('%p is none', (value, problem) => {
		expect(readFlag(value)).toEqual({ problem });
	});
});

it.each<[unknown, object]>([
	[5, { value: 5 }],
	['7', { value: 7 }],
	[0, { problem: 'It is 0; a whole number of 1 or more is required.' }],
	[1.5, { problem: 'It is 1.5; a whole number of 1 or more is required.' }],
	['', { problem: 'It is empty; a whole number of 1 or more is required.' }],
	[null, { problem: 'It is null; a whole number of 1 or more is required.' }],
	[undefined, { problem: 'It is undefined; a whole number of 1 or more is required.' }],
	[true, { problem: 'It is true; a whole number of 1 or more is required.' }],
	[[5], { problem: 'It is a list, [5]; a whole number of 1 or more is required.' }],
	[1e300, { problem: expect.stringContaining('whole number') }],
])('the whole number %p', (value, expected) => {
	expect(wholeNumber(1)(value)).toEqual(expected);
});

describe('Retry-After in words', () => {
	const now = Date.UTC(2030, 0, 1);
	it.each<[string | null | undefined, string | null]>([
		['1', '1 second'],
		['30', '30 seconds'],
		['90', '90 seconds'],
		['300', '5 minutes'],
		['7200', '2 hours'],
		['172800', '2 days'],
		['0', null],
		['soon', null],
		['', null],
		[null, null],
		[undefined, null],
	])('%p is %p', (retryAfter, words) => {
		expect(waitInWords(retryAfter, now)).toBe(words);
	});
});

describe('[READ-02][READ-06][N] a message', () => {
	const id = '000000000123';
	const evidences = [{ eventType: 'NEW_ONE', url: 'https://x.example/1', more: 1 }];
	it.each([
		['as the interface has it', { id, status: 'SENT', evidences: [] }],
		['with more, and values nobody knows', { id, status: 'NEW', evidences, type: 'LS' }],
	])('%s passes through', (_title, body) => {
		expect(readMessage(body, id)).toEqual(body);
	});

	it('with a number for an id gets its leading zeros back', () => {
		expect(readMessage({ id: 123, status: 'SENT', evidences: [] }, id)).toMatchObject({ id });
	});

	it.each<[string, unknown]>([
		['a page', '<html>Sign in</html>'],
		['nothing', ''],
		['null', null],
		['a list', []],
		['another message', { id: '000000000124', status: 'SENT', evidences: [] }],
		['no id', { status: 'SENT', evidences: [] }],
		['a short id', { id: '123', status: 'SENT', evidences: [] }],
		['no status', { id, evidences: [] }],
		['an empty status', { id, status: '', evidences: [] }],
		['no evidences', { id, status: 'SENT' }],
		['evidences of another shape', { id, status: 'SENT', evidences: {} }],
		['evidence without a link', { id, status: 'SENT', evidences: [{ eventType: 'SENT' }] }],
		['evidence without a type', { id, status: 'SENT', evidences: [{ url: 'https://x' }] }],
		['no evidence at all in it', { id, status: 'SENT', evidences: [null] }],
	])('%s is none', (_title, body) => {
		expect(readMessage(body, id)).toBeNull();
	});
});

describe('what an error says was not done', () => {
	const problem = { parameter: 'Message ID', message: 'It is empty.' };
	const said = (operation?: string) => {
		const node = { name: 'N', type: 'x', parameters: { operation } };
		return invalidItemError({ getNode: () => node as never }, 3, [problem]).description;
	};

	it.each(['get', 'getMany', 'download', 'getLink', 'check', 'constructor', undefined])(
		'nothing, of %s, which does nothing but read',
		(operation) => {
			expect(said(operation)).toBe('Correct the parameter "Message ID" of row 4.');
		},
	);

	it.each([
		['send', 'Nothing was sent'],
		['create', 'Nothing was created'],
		['cancel', 'Nothing was cancelled'],
		['setLogo', 'logo was not changed'],
	])('of %s: %s', (operation, words) => {
		expect(said(operation)).toContain(words);
	});
});

it.each(['', '  '])('%j is no whole number, not even 0', (value) => {
	expect(wholeNumber(0)(value)).toHaveProperty('problem');
});

it.each<[unknown, object]>([
	[['a', 'b'], { value: ['a', 'b'] }],
	['a', { problem: 'It is "a"; a list of texts is required.' }],
	[[null], { problem: 'It is a list, [null]; a list of texts is required.' }],
	[[['a']], { problem: 'It is a list, [["a"]]; a list of texts is required.' }],
])('%j read as a list is %j', (value, reading) => {
	expect(readTexts(value)).toEqual(reading);
});
