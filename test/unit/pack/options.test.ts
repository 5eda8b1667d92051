import { Options } from '../../../nodes/shared/fields/options.ts';

function read<T>(values: object, reading: (options: Options) => T) {
	const complaints: string[] = [];
	const options = new Options({ value: values, raw: values }, (option, problem) => {
		complaints.push(`${option}: ${problem}`);
	});
	return { value: reading(options), complaints };
}
const text = (options: Options) => options.text('key', 'Key');

it('one that is not there has no value, and that is no mistake', () => {
	expect(read({}, text)).toEqual({ value: undefined, complaints: [] });
});

it.each([
	['undefined', undefined],
	['null', null],
	['an empty text', ''],
	['spaces', '  '],
	['a picker without a choice', { __rl: true, mode: 'list', value: '' }],
	['a picker whose expression came out undefined', { __rl: true, mode: 'id', value: undefined }],
])('one that is there must have a value: %s', (_, key) => {
	expect(read({ key }, text)).toEqual({
		value: undefined,
		complaints: ['Key: It is empty for this item. Give it a value, or remove the option.'],
	});
});

it.each([
	['a text', 'INV-1', 'INV-1'],
	['with spaces around', ' INV-1 ', 'INV-1'],
	['a number', 42, '42'],
])('a text may be %s', (_, key, value) => {
	expect(read({ key }, text)).toEqual({ value, complaints: [] });
});

it.each([[{ a: 1 }], [['a']], [true]])('a text is not %j', (key) => {
	expect(read({ key }, text).complaints).toEqual([expect.stringMatching(/^Key: It is .*required/)]);
});

it.each([
	[true, true],
	['false', false],
	['TRUE', true],
])('%j is a yes or no', (key, value) => {
	expect(read({ key }, (options) => options.flag('key', 'Key'))).toEqual({ value, complaints: [] });
});

it.each([['maybe'], [{}], [2]])('%j is neither', (key) => {
	expect(read({ key }, (options) => options.flag('key', 'Key')).complaints).toHaveLength(1);
});

it('a choice is one of those there are, and any other is told all of them', () => {
	const choice = (options: Options) => options.choice('key', 'Key', ['one', 'two']);
	expect(read({ key: 'two' }, choice)).toEqual({ value: 'two', complaints: [] });
	expect(read({ key: 'three' }, choice)).toEqual({
		value: undefined,
		complaints: ['Key: It is "three". Choose one of one, two.'],
	});
});

it('the options of an item are read where it has them, and the first wrong one ends that', () => {
	const context = (values: object) => ({
		getNodeParameter: (name: string, item: number) =>
			name === 'options' && item === 3 ? values : {},
	});
	const optionsOf = (values: object) => Options.of(context(values) as never, 3);
	expect(optionsOf({ key: ' a ' }).text('key', 'Key')).toBe('a');
	expect(optionsOf({}).text('key', 'Key')).toBeUndefined();
	expect(() => optionsOf({ key: '' }).text('key', 'Key')).toThrow(/Key.*It is empty/s);
});
