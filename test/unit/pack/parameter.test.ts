// Only what n8n evaluates is an expression: text in braces that stays in a field would go out as it stands.
import {
	entriesOf,
	memberOf,
	parameterOf,
	readEvaluated,
	readParameter,
} from '../../../nodes/shared/fields/parameter.ts';
import { readText } from '../../../nodes/shared/fields/reading.ts';

const anything = (value: unknown) => ({ value });
const problemWith = (raw: unknown, value: unknown) => {
	const reading = readEvaluated({ value, raw }, anything);
	return 'problem' in reading ? reading.problem : null;
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
	['a long one', `{{ ${'x'.repeat(100)} }}`, `{{ ${'x'.repeat(57)}…`],
])('text in braces that n8n takes as it stands is a problem: %s', (_, raw, shown) => {
	expect(problemWith(raw, raw)).toBe(
		`It has ${shown} in it as plain text, which n8n did not evaluate. Switch the field from Fixed to Expression.`,
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

const contextOf = (value: unknown, raw: unknown) =>
	({
		getNodeParameter: (name: string, item: number, byDefault: unknown, options?: object) => {
			if (name !== 'body' || item !== 3) return byDefault;
			return options === undefined ? value : raw;
		},
	}) as never;
const body = { name: 'body', displayName: 'Body', default: 'none' };

it('a field is read for its item, by default too', () => {
	expect(readParameter(contextOf(' a ', '={{ b }}'), 3, body, readText)).toBe('a');
	expect(readParameter(contextOf(' a ', '={{ b }}'), 4, body, readText)).toBe('none');
	expect(parameterOf(contextOf('a', '={{ b }}'), 3, 'body', '')).toEqual({
		value: 'a',
		raw: '={{ b }}',
	});
});

it('a problem names the field as the editor does', () => {
	expect(() => readParameter(contextOf('{{ a }}', '{{ a }}'), 3, body, readText)).toThrow(
		/^Body: It has \{\{ a \}\} in it/,
	);
	expect(() => readParameter(contextOf({}, '={{ a }}'), 3, body, readText)).toThrow(
		/^Body: It is an object/,
	);
});

it('members and entries keep what the node has', () => {
	const form = { value: { row: [{ a: 1 }, { a: 2 }] }, raw: { row: [{ a: '=1' }, { a: '=2' }] } };
	const rows = entriesOf(memberOf(form, 'row'));
	expect(rows.map((row) => memberOf(row, 'a'))).toEqual([
		{ value: 1, raw: '=1' },
		{ value: 2, raw: '=2' },
	]);
	expect(entriesOf({ value: { a: 1 }, raw: { a: '=1' } })).toEqual([
		{ value: { a: 1 }, raw: { a: '=1' } },
	]);
	expect(entriesOf({ value: undefined, raw: '={{ a }}' })).toEqual([]);
	expect(memberOf({ value: 'text', raw: '={{ a }}' }, 'length')).toEqual({
		value: undefined,
		raw: undefined,
	});
});
