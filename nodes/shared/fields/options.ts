import type { IExecuteFunctions } from 'n8n-workflow';

import { invalidItem } from '../items/invalidItem';
import { isRecord } from './isRecord';
import { memberOf, parameterOf, readEvaluated, type Parameter } from './parameter';
import { oneOf, readFlag, readText, wholeNumber, type Reader } from './reading';

const EMPTY = 'It is empty for this item. Give it a value, or remove the option.';

/**
 * Reads the options of an item strictly: one that the user added must have a value. An expression that
 * comes out empty is a mistake, not a missing option: it could lift a limit, send now instead of later,
 * or in someone else's name.
 */
export class Options {
	private readonly collection: Parameter;
	private readonly complain: (option: string, problem: string) => void;

	/**
	 * The options of an item; reading the first wrong one throws.
	 *
	 * @throws InvalidItem, also from what reads an option
	 */
	static of(context: IExecuteFunctions, itemIndex: number): Options {
		return new Options(parameterOf(context, itemIndex, 'options', {}), (option, problem) => {
			throw invalidItem(option, problem);
		});
	}

	/** @param complain gets each wrong option, by its name in the editor; may throw */
	constructor(collection: Parameter, complain: (option: string, problem: string) => void) {
		this.collection = collection;
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
		if (!Object.hasOwn(this.collection.value as object, name)) return undefined;
		const reading = readEvaluated(memberOf(this.collection, name), (given) =>
			isEmpty(given) ? { problem: EMPTY } : reader(given),
		);
		if ('value' in reading) return reading.value;
		this.complain(displayName, reading.problem);
		return undefined;
	}
}

// A picker is empty if its value is.
function isEmpty(value: unknown): boolean {
	if (typeof value === 'string') return value.trim() === '';
	if (isRecord(value) && '__rl' in value) return isEmpty(value.value);
	return value === undefined || value === null;
}
