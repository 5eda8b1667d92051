import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { Options, type OptionReading } from '../shared/options';
import type { Refuse } from '../shared/perItem';

/** How many letters a run may send. */
export const maxLettersField = limitField(
	'Each recipient counts as one; what was sent before under a Send Once Key does not count.',
);

/** How many letters a run may send again. */
export const resendMaxLettersField = limitField('Each message ID counts as one.');

function limitField(counting: string): INodeProperties {
	return {
		displayName: 'Max Letters',
		name: 'maxLetters',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 100,
		description: `Refuses the whole run, before the first request, when more letters than this would go out. ${counting} Counted for each run of the node: in a loop, each round may send this many. The value of the first item counts.`,
	};
}

/** The limit of a run that has one. */
export function readMaxLetters(value: unknown): OptionReading<number> {
	const isNumber = typeof value === 'number' || typeof value === 'string';
	const max = Number(value);
	if (isNumber && Number.isInteger(max) && max >= 0) return { value: max };
	return { problem: `${JSON.stringify(value)} is not a whole number of letters, 0 or more.` };
}

/** How many letters there are, in all and of each type. */
export interface LetterCount {
	total: number;
	byType: Record<string, number>;
}

/** @param letters of each type, some number; the same type may come several times */
export function countLetters(letters: Iterable<{ type: string; count: number }>): LetterCount {
	const byType: Record<string, number> = {};
	let total = 0;
	for (const { type, count } of letters) {
		total += count;
		byType[type] = (byType[type] ?? 0) + count;
	}
	return { total, byType };
}

/** Such as "3 LRE, 10 AES", or nothing where the types are not known. */
export function typesInWords({ byType }: LetterCount): string {
	return Object.entries(byType)
		.map(([type, count]) => `${inWords(count)} ${type}`)
		.join(', ');
}

/** Such as "1,240 letters". */
export function lettersInWords(count: number): string {
	return count === 1 ? '1 letter' : `${inWords(count)} letters`;
}

function inWords(count: number): string {
	return count.toLocaleString('en');
}

/** @param itemIndex the item that fails with it, or null when the whole run does */
export function tooManyLetters(
	context: Pick<IExecuteFunctions, 'getNode'>,
	count: LetterCount,
	max: number,
	itemIndex: number | null,
): NodeOperationError {
	const types = typesInWords(count);
	const error = new NodeOperationError(
		context.getNode(),
		`Max Letters: ${lettersInWords(count.total)} would go out${types && ` (${types})`}, and at most ${inWords(max)} may. Nothing was sent.`,
		{
			...(itemIndex !== null && { itemIndex }),
			description:
				'Look at the input first: it may hold more items, or more recipients, than you meant. If the number is right, raise the option Max Letters.',
		},
	);
	error.context.data = { code: 'too-many-letters', letters: count.total, byType: count.byType };
	return error;
}

/**
 * Refuses a run that would send more letters again than its option allows; null lets it go.
 *
 * @throws NodeOperationError when the option is wrong
 */
export function resendLimit(
	context: IExecuteFunctions,
): ((leaving: unknown[]) => Refuse | null) | null {
	const max = Options.of(context, 0).read('maxLetters', 'Max Letters', readMaxLetters);
	if (max === undefined) return null;
	return ({ length: total }) =>
		total <= max
			? null
			: (itemIndex) => tooManyLetters(context, { total, byType: {} }, max, itemIndex);
}
