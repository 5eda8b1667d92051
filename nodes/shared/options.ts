import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { describeValue } from './describeValue';
import { checkFlag } from './flag';
import { parameterError } from './perItem';
import { readText } from './text';
import { readWholeNumber } from './wholeNumber';

export type OptionReading<T> = { value: T } | { problem: string };

const EMPTY = 'It is empty for this item. Give it a value, or remove the option.';

/**
 * Reads the options of an item strictly: one that the user added has a value. An expression that comes
 * out empty is a mistake, and must not pass for an option that is not there: it could lift a limit, send
 * now instead of later, or in another's name (design, section 5).
 */
export class Options {
	private readonly values: IDataObject;
	private readonly complain: (option: string, problem: string) => void;

	/**
	 * The options of an item, of which the first wrong one ends it.
	 *
	 * @throws NodeOperationError of n8n, and from what reads them
	 */
	static of(context: IExecuteFunctions, itemIndex: number): Options {
		const values = context.getNodeParameter('options', itemIndex, {});
		return new Options(values, (option, problem) => {
			throw parameterError(context, itemIndex, option, problem);
		});
	}

	/** @param complain told of each wrong option, by its name in the editor; may throw */
	constructor(values: IDataObject, complain: (option: string, problem: string) => void) {
		this.values = values;
		this.complain = complain;
	}

	text(name: string, displayName: string): string | undefined {
		return this.read(name, displayName, (value) => {
			const reading = readText(value);
			return 'text' in reading ? { value: reading.text } : reading;
		});
	}

	flag(name: string, displayName: string): boolean | undefined {
		return this.read(name, displayName, (value) => {
			const reading = checkFlag(value);
			return 'flag' in reading ? { value: reading.flag } : reading;
		});
	}

	wholeNumber(name: string, displayName: string, least: number): number | undefined {
		return this.read(name, displayName, (value) => {
			const reading = readWholeNumber(value, least);
			return 'number' in reading ? { value: reading.number } : reading;
		});
	}

	choice<Choice extends string>(
		name: string,
		displayName: string,
		choices: readonly Choice[],
	): Choice | undefined {
		return this.read(name, displayName, (value) => {
			const chosen = choices.find((choice) => choice === value);
			if (chosen !== undefined) return { value: chosen };
			return { problem: `It is ${describeValue(value)}, which is none of ${choices.join(', ')}.` };
		});
	}

	/** @returns undefined when the option is not there, or when it is wrong */
	read<T>(
		name: string,
		displayName: string,
		read: (value: unknown) => OptionReading<T>,
	): T | undefined {
		if (!Object.hasOwn(this.values, name)) return undefined;
		const value = this.values[name];
		const reading = isEmpty(value) ? { problem: EMPTY } : read(value);
		if ('value' in reading) return reading.value;
		this.complain(displayName, reading.problem);
		return undefined;
	}
}

// What a picker holds counts, rather than the picker.
function isEmpty(value: unknown): boolean {
	if (typeof value === 'string') return value.trim() === '';
	if (typeof value === 'object' && value !== null && '__rl' in value) {
		return isEmpty((value as IDataObject).value);
	}
	return value === undefined || value === null;
}
