import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { SEEN } from '../../../webhook-receiver/src/core/unseen';
import { InvalidItem, itemProblem, type ItemProblem } from './invalidItem';
import { shortened } from './plainText';
import { describeValue, shown } from './describeValue';

/** The result of reading a value from a user or an expression; `problem` is a sentence for the user. */
export type Reading<T> = { value: T } | { problem: string };

export type Reader<T> = (value: unknown, context: Zoned) => Reading<T>;

/** The workflow's time zone, which a time without an offset is in. */
type Zoned = Pick<IExecuteFunctions, 'getTimezone'>;

// A symbol, so that n8n sees nothing but its own members when it copies a description.
const READER = Symbol('reader');

/** A field of a node: what it is called, what it shows and what it accepts, said once. */
export type Field<T> = INodeProperties & { [READER]: Reader<T> };

export function field<T>(property: INodeProperties, reader: Reader<T>): Field<T> {
	return { ...property, [READER]: reader };
}

/** A field that accepts what it offers. */
export function choiceField<const Choice extends string>(
	property: Omit<INodeProperties, 'options' | 'type'> & {
		options: Array<Omit<INodePropertyOptions, 'value'> & { value: Choice }>;
	},
): Field<Choice> {
	const choices = property.options.map(({ value }) => value);
	return field({ ...property, type: 'options' }, oneOf(choices));
}

export type Fields = Record<string, Field<unknown>>;
export type Values<F extends Fields> = {
	[Name in keyof F]: F[Name] extends Field<infer T> ? T : never;
};

/**
 * Reads fields, of an item or of one of its rows, and collects what is wrong with them, so that the user
 * sees everything at once.
 */
export class FieldReader {
	readonly problems: ItemProblem[] = [];
	private readonly context: Zoned;
	private readonly source: Source;

	constructor(context: Zoned, source: Source) {
		this.context = context;
		this.source = source;
	}

	/** @returns null for each that is wrong */
	fields<F extends Fields>(fields: F): { [Name in keyof F]: Values<F>[Name] | null } {
		const values = Object.entries(fields).map(([key, one]) => [key, this.field(one)]);
		return Object.fromEntries(values);
	}

	/**
	 * The options that the user added, each of which must have a value. An expression that comes out empty is a
	 * mistake, not a missing option: it could lift a limit, send now instead of later, or in someone else's name.
	 */
	options<F extends Fields>(options: F): Partial<Values<F>> {
		const values: Record<string, unknown> = {};
		try {
			const collection = this.source('options', {});
			for (const [key, { name, displayName, [READER]: reader }] of Object.entries(options)) {
				if (!Object.hasOwn(collection.value as object, name)) continue;
				const reading = readEvaluated(memberOf(collection, name), (value) =>
					isEmpty(value) ? { problem: EMPTY } : reader(value, this.context),
				);
				if ('value' in reading) values[key] = reading.value;
				else this.complain(displayName, reading.problem);
			}
		} catch (error) {
			this.collect('Options', error);
		}
		return values as Partial<Values<F>>;
	}

	/** @param parameter what is wrong, as the editor calls it */
	complain(parameter: string, message: string): void {
		this.problems.push(itemProblem(parameter, message));
	}

	/**
	 * Runs a step that reads more of the item.
	 *
	 * @param parameter what the step is about, as the editor calls it
	 * @returns null if it threw, which is a problem like any other
	 */
	async attempt<T>(parameter: string, step: () => T | Promise<T>): Promise<T | null> {
		try {
			return await step();
		} catch (error) {
			this.collect(parameter, error);
			return null;
		}
	}

	/** @throws InvalidItem with all problems there are */
	assertValid(): void {
		if (this.problems.length > 0) throw new InvalidItem(this.problems);
	}

	/** An expression that n8n cannot evaluate is a problem, too. */
	private collect(parameter: string, error: unknown): void {
		if (error instanceof InvalidItem) this.problems.push(...error.problems);
		else this.complain(parameter, (error as Error).message);
	}

	private field<T>({
		name,
		displayName,
		default: byDefault,
		[READER]: reader,
	}: Field<T>): T | null {
		try {
			const parameter = this.source(name, byDefault);
			const reading = readEvaluated(parameter, (value) => reader(value, this.context));
			if ('value' in reading) return reading.value;
			this.complain(displayName, reading.problem);
		} catch (error) {
			this.collect(displayName, error);
		}
		return null;
	}
}

/** @throws InvalidItem with everything that is wrong */
export function readFields<F extends Fields>(
	context: IExecuteFunctions,
	itemIndex: number,
	fields: F,
): Values<F> {
	const item = new FieldReader(context, parametersOf(context, itemIndex));
	const values = item.fields(fields);
	item.assertValid();
	return values as Values<F>;
}

/** @throws InvalidItem with everything that is wrong */
export function readField<T>(context: IExecuteFunctions, itemIndex: number, one: Field<T>): T {
	return readFields(context, itemIndex, { one }).one as T;
}

/** The options that the user added. @throws InvalidItem with everything that is wrong */
export function readOptions<F extends Fields>(
	context: IExecuteFunctions,
	itemIndex: number,
	options: F,
): Partial<Values<F>> {
	const item = new FieldReader(context, parametersOf(context, itemIndex));
	const values = item.options(options);
	item.assertValid();
	return values;
}

const EMPTY = 'It is empty for this item. Give it a value, or remove the option.';

// A picker is empty if its value is.
function isEmpty(value: unknown): boolean {
	if (typeof value === 'string') return !SEEN.test(value);
	if (isObject(value) && '__rl' in value && 'value' in value) {
		return isEmpty(value.value);
	}
	return value === undefined || value === null;
}

/** A parameter, or a member of one. */
interface Parameter {
	/** What it comes out as for an item. */
	value: unknown;
	/** What the node itself has there. An expression begins with "="; n8n evaluates nothing else. */
	raw: unknown;
}

/** Where fields are read from: the parameters of an item, or a row. */
export type Source = (name: string, byDefault: unknown) => Parameter;

/**
 * n8n applies the default only if the user never filled in the field. An expression that evaluates to
 * undefined stays undefined (tested in n8n 2.41), so a reader can reject it.
 */
export function parametersOf(context: IExecuteFunctions, itemIndex: number): Source {
	return (name, byDefault) => ({
		value: context.getNodeParameter(name, itemIndex, byDefault),
		raw: context.getNodeParameter(name, itemIndex, byDefault, { rawExpressions: true }),
	});
}

/**
 * The rows of a collection, or the one there is. In a node without the collection, its own parameters are the
 * row. A row that is no object is null.
 */
export function rowsOf(
	context: IExecuteFunctions,
	itemIndex: number,
	name: string,
	row: string,
): Array<Source | null> {
	const parameters = parametersOf(context, itemIndex);
	const collection = parameters(name, null);
	if (collection.value === null) return [parameters];
	const { value, raw } = memberOf(collection, row);
	const raws = [raw].flat();
	return [value ?? []].flat().map((entry, at) => rowOf(entry, raws[at]));
}

/** @param raw left out for data, in which braces are the user's own */
export function rowOf(value: unknown, raw: unknown = null): Source | null {
	return isObject(value) && !Array.isArray(value) ? (name) => memberOf({ value, raw }, name) : null;
}

function memberOf({ value, raw }: Parameter, name: string): Parameter {
	const member = (of: unknown) => (isObject(of) ? of[name] : undefined);
	return { value: member(value), raw: member(raw) };
}

/** A list is one, too: an expression may hide in it. */
function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}

/**
 * Reads a parameter, unless it has an expression that n8n did not evaluate: it would go out as it stands.
 * Braces in the data that an expression gives are the user's own.
 */
function readEvaluated<T>(
	{ value, raw }: Parameter,
	reader: (value: unknown) => Reading<T>,
): Reading<T> {
	// What is hidden has no value.
	const expression = value === undefined ? null : unevaluated(raw);
	if (expression === null) return reader(value);
	return {
		problem: `It has ${shortened(expression, 60)} in it as plain text, which n8n did not evaluate. Switch the field from Fixed to Expression. For braces that are meant as text, write {{ '{'.repeat(2) }} there.`,
	};
}

/** The first expression in braces that is text for n8n. */
function unevaluated(raw: unknown): string | null {
	if (isObject(raw)) {
		// Beside its value, a picker keeps the name of what was picked.
		const parts = '__rl' in raw && 'value' in raw ? [raw.value] : Object.values(raw);
		return parts.map(unevaluated).find((found) => found !== null) ?? null;
	}
	if (typeof raw !== 'string' || raw.startsWith('=')) return null;
	const start = raw.indexOf('{{');
	const end = start < 0 ? -1 : raw.indexOf('}}', start);
	return end < 0 ? null : raw.slice(start, end + 2);
}

/**
 * Reads a text and trims it; no value is an empty text. Only texts and numbers are valid: an object would be
 * sent as "[object Object]", and a date in the machine's format. A text that shows nothing would pass for one.
 */
export function readText(value: unknown): Reading<string> {
	const reading = readUntrimmed(value);
	if ('problem' in reading) return reading;
	const text = reading.value.trim();
	if (text === '' || SEEN.test(text)) return { value: text };
	return { problem: `It is "${text}", which shows nothing.` };
}

/**
 * Reads a text and keeps spaces at its ends. Only characters are valid that arrive as they are, in JSON and in
 * a form.
 */
export function readUntrimmed(value: unknown): Reading<string> {
	if (value === undefined || value === null) return { value: '' };
	if (typeof value === 'string') {
		const broken = brokenCharacter(value);
		return broken === null ? { value } : { problem: broken };
	}
	const isNumber = typeof value === 'number' && Number.isFinite(value);
	if (!isNumber) return { problem: `It is ${shown(value)}; text is required.` };
	const text = exactText(value);
	if (text !== null) return { value: text };
	return {
		problem: `It is the number ${value}, and a number this long is not exact. Format the column as text, or give it in quotes.`,
	};
}

/** NUL, and half of a character beyond U+FFFF, which is what is left where a text was cut in it. */
function brokenCharacter(text: string): string | null {
	const found = text.includes('\0') ? '\0' : /\p{Cs}/u.exec(text)?.[0];
	if (found === undefined) return null;
	const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
	return `It has a broken character in it (U+${code}), which cannot be sent. Remove it, or correct how the text is cut or read.`;
}

/** Digits that every decimal number keeps on its way through a spreadsheet's number, or JavaScript's. */
const EXACT_DIGITS = 15;

/**
 * A number as the text that stands for it alone; null if there is none: from 2^53 on two numbers become
 * one, and one key would stand for two letters.
 */
function exactText(number: number): string | null {
	const text = String(number);
	const digits = text.replace(/^-?0*\.?0*|\./g, '').length;
	const isDecimal = /^-?\d+\.\d+$/.test(text) && digits <= EXACT_DIGITS;
	return Number.isSafeInteger(number) || isDecimal ? text : null;
}

/**
 * Reads a text that may be empty, but must be there.
 *
 * @param hint what to do where there is nothing to give
 */
export function givenText(hint: string): (value: unknown) => Reading<string> {
	return (value) => {
		if (value !== undefined && value !== null) return readText(value);
		return { problem: `It is ${value} for this item. ${hint}` };
	};
}

const TRUE = ['true', '1', 'yes'];
const FALSE = ['false', '0', 'no'];

/**
 * Reads true or false, or a text or number that means it: spreadsheets give TRUE as text, and JavaScript
 * takes the text "false" for true.
 */
export function readFlag(value: unknown): Reading<boolean> {
	if (typeof value === 'boolean') return { value };
	const text = ['string', 'number'].includes(typeof value) ? String(value) : '';
	const word = text.trim().toLowerCase();
	if (TRUE.includes(word)) return { value: true };
	if (FALSE.includes(word)) return { value: false };
	return { problem: `It is ${shown(value)}; true or false is required.` };
}

export function readTexts(value: unknown): Reading<string[]> {
	const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
	if (isList) return { value };
	return { problem: `It is ${describeValue(value)}; a list of texts is required.` };
}

export function oneOf<Choice extends string>(
	choices: readonly Choice[],
): (value: unknown) => Reading<Choice> {
	return (value) => {
		const chosen = choices.find((choice) => choice === value);
		if (chosen !== undefined) return { value: chosen };
		return { problem: `It is ${describeValue(value)}. Choose one of ${choices.join(', ')}.` };
	};
}
