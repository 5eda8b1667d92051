import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { invalidItem } from '../items/invalidItem';
import { oneOf, readFlag, readText, wholeNumber, type Reader } from './reading';

const EMPTY = 'It is empty for this item. Give it a value, or remove the option.';

/**
 * Reads the options of an item strictly: one that the user added must have a value. An expression that
 * comes out empty is a mistake, not a missing option: it could lift a limit, send now instead of later,
 * or in someone else's name.
 */
export class Options {
	private readonly values: IDataObject;
	private readonly complain: (option: string, problem: string) => void;

	/**
	 * The options of an item; reading the first wrong one throws.
	 *
	 * @throws InvalidItem, also from what reads an option
	 */
	static of(context: IExecuteFunctions, itemIndex: number): Options {
		return new Options(context.getNodeParameter('options', itemIndex, {}), (option, problem) => {
			throw invalidItem(option, problem);
		});
	}

	/** @param complain gets each wrong option, by its name in the editor; may throw */
	constructor(values: IDataObject, complain: (option: string, problem: string) => void) {
		this.values = values;
		this.complain = complain;
	}

	text(name: string, displayName: string): string | undefined {
		return this.read(name, displayName, readText);
	}

	flag(name: string, displayName: string): boolean | undefined {
		return this.read(name, displayName, readFlag);
	}

	wholeNumber(name: string, displayName: string, least: number): number | undefined {
		return this.read(name, displayName, wholeNumber(least));
	}

	choice<Choice extends string>(
		name: string,
		displayName: string,
		choices: readonly Choice[],
	): Choice | undefined {
		return this.read(name, displayName, oneOf(choices));
	}

	/** @returns undefined when the option is missing, or wrong */
	read<T>(name: string, displayName: string, reader: Reader<T>): T | undefined {
		if (!Object.hasOwn(this.values, name)) return undefined;
		const value = this.values[name];
		const reading = isEmpty(value) ? { problem: EMPTY } : reader(value);
		if ('value' in reading) return reading.value;
		this.complain(displayName, reading.problem);
		return undefined;
	}
}

// A picker is empty if its value is.
function isEmpty(value: unknown): boolean {
	if (typeof value === 'string') return value.trim() === '';
	if (typeof value === 'object' && value !== null && '__rl' in value) {
		return isEmpty((value as IDataObject).value);
	}
	return value === undefined || value === null;
}
