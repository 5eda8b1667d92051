import fc from 'fast-check';
import { DateTime } from 'luxon';

import {
	choiceField,
	field,
	FieldReader,
	parametersOf,
	readField,
	readFields,
	readOptions,
	rowsOf,
	readFlag,
	readText,
	readTexts,
	type Field,
} from '../../../nodes/shared/fields/field.ts';
import { wholeNumberField } from '../../../nodes/shared/fields/numberField.ts';
import { numberOnTheEdge } from '../../support/characters.ts';

/** An item of a node with these parameters, and what they come out as. */
const contextOf = (raws: Record<string, unknown>, values = raws) =>
	({
		getNodeParameter: (name: string, item: number, byDefault: unknown, options?: object) => {
			if (item !== 3 || !Object.hasOwn(raws, name)) return byDefault;
			if (values[name] instanceof Error) throw values[name];
			return options === undefined ? values[name] : raws[name];
		},
		getTimezone: () => 'Europe/Paris',
	}) as never;

const readerOf = (raws: Record<string, unknown>, values = raws) => {
	const context = contextOf(raws, values);
	return new FieldReader(context, parametersOf(context, 3));
};

// Only what n8n evaluates is an expression: text in braces that stays in a field would go out as it stands.
const one = field(
	{ displayName: 'One', name: 'one', type: 'string', default: '' },
	(value: unknown) => ({ value }),
);
const problemWith = (raw: unknown, value: unknown) => {
	const item = readerOf({ one: raw }, { one: value });
	item.fields({ one });
	return item.problems[0]?.message ?? null;
};

it.each<[string, unknown, string]>([
	['a text', 'Dear {{ $json.firstname }}', '{{ $json.firstname }}'],
	['the first of several', '{{ a }} and {{ b }}', '{{ a }}'],
	['over several lines', 'Dear {{\n$json.firstname\n}}', '{{\n$json.firstname\n}}'],
	['a text with "=" further on', ' ={{ a }}', '{{ a }}'],
	['nothing in braces', '{{}}', '{{}}'],
	['a picker', { __rl: true, mode: 'id', value: '{{ $json.id }}' }, '{{ $json.id }}'],
	['a list', ['a', '{{ b }}'], '{{ b }}'],
	['an object', { a: { b: '{{ c }}' } }, '{{ c }}'],
	['an object with a value', { value: 'a', b: '{{ c }}' }, '{{ c }}'],
	['a long one', `{{ ${'x'.repeat(100)} }}`, `{{ ${'x'.repeat(57)}…`],
])('text in braces that n8n takes as it stands is a problem: %s', (_, raw, shown) => {
	expect(problemWith(raw, raw)).toBe(
		`It has ${shown} in it as plain text, which n8n did not evaluate. Switch the field from Fixed to Expression. For braces that are meant as text, write {{ '{'.repeat(2) }} there.`,
	);
});

it.each<[string, unknown, unknown]>([
	['an expression, whatever comes of it', '={{ $json.template }}', 'Dear {{ name }}'],
	['an expression in a picker', { __rl: true, mode: 'id', value: '={{ a }}' }, '{{ b }}'],
	['the name of what was picked', { __rl: true, value: 'a', cachedResultName: '{{ b }}' }, 'a'],
	['single braces', 'p { color: red } {a} { {b} }', 'p'],
	['braces that do not close', 'a {{ b', 'a {{ b'],
	['braces that do not open', '@media print { p { color: red }}', 'p'],
	['braces the wrong way round', '}} {{', '}} {{'],
	['no text', 7, 7],
	['nothing', null, null],
	['what is hidden', '{{ a }}', undefined],
])('and nothing else is: %s', (_, raw, value) => {
	expect(problemWith(raw, value)).toBeNull();
});

const text = (name: string, displayName: string) =>
	field({ displayName, name, type: 'string', default: 'none' }, readText);
const body = text('body', 'Body');
const about = text('about', 'About');

it('a field is read for its item, by default too', () => {
	const context = contextOf({ body: '={{ b }}' }, { body: ' a ' });
	expect(readField(context, 3, body)).toBe('a');
	expect(readField(context, 4, body)).toBe('none');
});

it('what is wrong with several is told together, each by the name the editor has for it', () => {
	const raws = { body: '{{ a }}', about: '={{ $json.b }}', more: '={{ nope( }}' };
	const values = { body: '{{ a }}', about: {}, more: new Error('invalid syntax') };
	const fields = { body, about, more: text('more', 'More') };
	expect(() => readFields(contextOf(raws, values), 3, fields)).toThrow(
		/^Body: It has \{\{ a \}\} in it.*\nAbout: It is an object.*\nMore: invalid syntax$/,
	);
	const item = readerOf(raws, { ...values, about: ' b ' });
	expect(item.fields(fields)).toEqual({ body: null, about: 'b', more: null });
	expect(item.problems.map(({ parameter }) => parameter)).toEqual(['Body', 'More']);
	expect(() => item.assertValid()).toThrow(/^Body: /);
});

it('what a field accepts stays with its copies, and n8n sees nothing of it', () => {
	const copy: Field<string> = { ...body, required: true };
	expect(readField(contextOf({ body: ' a ' }), 3, copy)).toBe('a');
	expect(structuredClone(body)).toEqual({
		displayName: 'Body',
		name: 'body',
		type: 'string',
		default: 'none',
	});
});

describe('options', () => {
	const key = text('key', 'Key');
	const read = <T>(values: object, option: Field<T>) => {
		const item = readerOf({ options: values });
		const { option: value } = item.options({ option });
		const complaints = item.problems.map(({ parameter, message }) => `${parameter}: ${message}`);
		return { value, complaints };
	};

	it('one that is not there has no value, and that is no mistake', () => {
		expect(read({}, key)).toEqual({ value: undefined, complaints: [] });
	});

	it.each([
		['undefined', undefined],
		['null', null],
		['an empty text', ''],
		['spaces', '  '],
		['a picker without a choice', { __rl: true, mode: 'list', value: '' }],
		['a picker whose expression came out undefined', { __rl: true, mode: 'id', value: undefined }],
	])('one that is there must have a value: %s', (_, given) => {
		expect(read({ key: given }, key)).toEqual({
			value: undefined,
			complaints: ['Key: It is empty for this item. Give it a value, or remove the option.'],
		});
	});

	it('a choice is one of those there are, and any other is told all of them', () => {
		const options = [
			{ name: 'One', value: 'one' },
			{ name: 'Two', value: 'two' },
		] as const;
		const names = { displayName: 'Key', name: 'key', default: 'one' };
		const choice = choiceField({ ...names, options: [...options] });
		expect(read({ key: 'two' }, choice)).toEqual({ value: 'two', complaints: [] });
		expect(read({ key: 'three' }, choice)).toEqual({
			value: undefined,
			complaints: ['Key: It is "three". Choose one of one, two.'],
		});
	});

	it('those of an item are read together, and all that are wrong are told', () => {
		const most = wholeNumberField({ displayName: 'Most', name: 'most', default: 1 }, 1, 5);
		const optionsOf = (options: object, item = 3) =>
			readOptions(contextOf({ options }), item, { key, most });
		expect(optionsOf({ key: ' a ', most: '5' })).toEqual({ key: 'a', most: 5 });
		expect(optionsOf({ key: '' }, 4)).toEqual({});
		expect(() => optionsOf({ key: '', most: 6 })).toThrow(
			/^Key: It is empty.*\nMost: It is 6; the maximum is 5\.$/,
		);
		const broken = contextOf({ options: {} }, { options: new Error('invalid syntax') });
		expect(() => readOptions(broken, 3, { key })).toThrow(/^Options: invalid syntax$/);
	});
});

it('rows keep what the node has', () => {
	const a = text('a', 'A');
	const rows = (value: unknown, raw: unknown) => {
		const context = contextOf({ form: raw, a: ' own ' }, { form: value, a: ' own ' });
		return rowsOf(context, 3, 'form', 'row').map((source) => {
			if (source === null) return null;
			const row = new FieldReader(context, source);
			return row.fields({ a }).a ?? row.problems[0].message.slice(0, 15);
		});
	};
	const braces = { a: '{{ b }}' };
	expect(rows({ row: [braces, braces] }, { row: [{ a: '=1' }, braces] })).toEqual([
		'{{ b }}',
		'It has {{ b }} ',
	]);
	expect(rows({ row: { a: ' 1 ' } }, { row: { a: '=1' } })).toEqual(['1']);
	expect(rows({ row: ['a'] }, '={{ {} }}')).toEqual([null]);
	expect(rows({}, '={{ {} }}')).toEqual([]);
	expect(rows(null, undefined)).toEqual(['own']);
});

const date = DateTime.fromISO('2030-01-02T10:00:00Z', { zone: 'utc' });
const circular: Record<string, unknown> = {};
circular.self = circular;

describe('a text', () => {
	it.each<[unknown, string]>([
		[' a ', 'a'],
		[0, '0'],
		[undefined, ''],
		[null, ''],
		[-0, '0'],
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

describe('a flag', () => {
	it.each<[unknown, boolean]>([
		[true, true],
		[false, false],
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
	[' ', { problem: expect.stringContaining('whole number') }],
	[1.5, { problem: 'It is 1.5; a whole number of 1 or more is required.' }],
	['', { problem: 'It is empty; a whole number of 1 or more is required.' }],
	[null, { problem: 'It is null; a whole number of 1 or more is required.' }],
	[undefined, { problem: 'It is undefined; a whole number of 1 or more is required.' }],
	[true, { problem: 'It is true; a whole number of 1 or more is required.' }],
	[[5], { problem: 'It is a list, [5]; a whole number of 1 or more is required.' }],
	[1e300, { problem: expect.stringContaining('whole number') }],
])('the whole number %p', (value, expected) => {
	const property = { displayName: 'One', name: 'one', default: 1 };
	const item = readerOf({ one: value });
	const { one } = item.fields({ one: wholeNumberField(property, 1) });
	const [found] = item.problems;
	expect(found ? { problem: found.message } : { value: one }).toEqual(expected);
});

it.each<[unknown, object]>([
	[['a', 'b'], { value: ['a', 'b'] }],
	['a', { problem: 'It is "a"; a list of texts is required.' }],
	[[null], { problem: 'It is a list, [null]; a list of texts is required.' }],
	[[['a']], { problem: 'It is a list, [["a"]]; a list of texts is required.' }],
])('%j read as a list is %j', (value, reading) => {
	expect(readTexts(value)).toEqual(reading);
});
